/** Small parts of tables: bars under a name, and cells with an amount. */
import { amountText, type Child, el, phrase, sized } from './element.ts';
import type { Count } from './money.ts';

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

/** The name of a row, as a button if something can be asked about it. */
export function rowName(text: string, key: string, onPress: (() => void) | undefined): HTMLElement {
  return onPress
    ? el('button', { type: 'button', class: 'name', 'data-key': key, onclick: onPress }, el('bdi', {}, text))
    : el('bdi', { class: 'name' }, text);
}

export const amountCell = (text: string, kind = ''): HTMLElement =>
  el('td', { class: `amount ${kind}` }, amountText(text));

export const columnHead = (text: string, kind = ''): HTMLElement =>
  el('th', { scope: 'col', class: kind }, text);

/** So many rows are shown at first, because an answer in a chat should not be long. */
const FIRST = 10;

/** A table with the first rows, and a button that shows the others. */
export function firstRows(rows: readonly HTMLElement[], count: Count, head: Node, foot: Child): HTMLElement {
  const hasMore = rows.length > FIRST + 2;
  const body = el('tbody', {}, ...rows.slice(0, hasMore ? FIRST : rows.length));
  const table = el('table', {}, head, body, !hasMore && foot);
  if (!hasMore) return table;
  const rest = rows.slice(FIRST);
  const button: HTMLElement = el(
    'button',
    {
      type: 'button',
      class: 'more',
      onclick: () => {
        body.append(...rest);
        if (foot) table.append(foot);
        button.remove();
        rest[0]?.querySelector('button')?.focus();
      },
    },
    phrase(`Show ${count(rest.length)} more`),
  );
  return el('div', { class: 'rows' }, table, button);
}
