/** Bars under a name, and the legend of colours and signs. */
import { el, sized } from './element.ts';

/** The meaning of a colour or a sign of a picture, in the words of its legend. `style.css` has a rule for each. */
export const kinds = {
  income: 'Income',
  spending: 'Spending',
  owned: 'Owned',
  owed: 'Owed',
  net_worth: 'Net worth',
  over: 'Over budget',
  below: 'Below zero',
  left: 'Left',
  budgeted: 'Budgeted',
  certain: 'Certain',
  likely: 'Likely',
  range: '8 times of 10',
  lowest: 'Lowest day',
  broken: 'Not to scale',
};

export type Kind = keyof typeof kinds;

/** Says what these colours and signs are. */
export const legend = (shown: readonly Kind[], heading?: string): HTMLElement =>
  el(
    'div',
    { class: 'legend' },
    heading !== undefined && el('h2', {}, heading),
    ...shown.map((kind) => el('span', { class: `key ${kind}` }, kinds[kind])),
  );

/** A bar with an optional mark, and with a gap if it is not to scale. Bar and mark are parts of the width. The amounts beside it say the same, so it is a picture only. */
export function amountBar(
  part: number,
  { mark, kind, isBroken = false }: { mark?: number | undefined; kind: Kind; isBroken?: boolean },
): HTMLElement {
  return el(
    'span',
    { class: `meter ${kind} ${isBroken ? 'broken' : ''}`, 'aria-hidden': 'true' },
    sized(el('i'), '--size', part),
    mark !== undefined && sized(el('b'), '--from', mark),
  );
}
