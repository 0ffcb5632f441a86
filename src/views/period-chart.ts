/**
 * Bars for months or years, which a person can pick, and the same as a table. Amounts above zero are drawn upwards, those
 * below zero downwards.
 */
import { el, sized, svg } from './element.ts';
import type { Drawing } from './page.ts';

export interface Bar {
  /** The kind of amount, which has a colour. */
  readonly kind: 'spending' | 'income' | 'owned' | 'owed';
  readonly amount: number;
}

export interface PeriodOfChart {
  readonly period: string;
  readonly isShown: boolean;
  readonly bars: readonly Bar[];
  /** A line over the bars. */
  readonly line?: number;
  /** In words, for the label of the bar. */
  readonly text: string;
}

const labels: Readonly<Record<Bar['kind'], string>> = {
  spending: 'Spending',
  income: 'Income',
  owned: 'Owned',
  owed: 'Owed',
};

export interface ChartOptions {
  readonly caption: string;
  /** Whether the table is shown at first. */
  readonly isOpen: boolean;
  /** What the line is. */
  readonly line?: string;
}

/** `pick` is called with a period. */
export function periodChart(
  periods: readonly PeriodOfChart[],
  { caption, line, isOpen }: ChartOptions,
  { dates, money }: Drawing,
  pick: ((period: string) => void) | undefined,
): HTMLElement {
  const amounts = periods.flatMap(({ bars, line }) => [...bars.map(({ amount }) => amount), line ?? 0]);
  const top = Math.max(0, ...amounts);
  const range = top - Math.min(0, ...amounts) || 1;
  const kinds = [...new Set(periods.flatMap(({ bars }) => bars.map(({ kind }) => kind)))];
  const bar = ({ kind, amount }: Bar) => {
    const part = sized(el('i', { class: `bar-${kind}` }), '--size', Math.abs(amount) / range);
    return sized(part, '--from', (top - Math.max(0, amount)) / range);
  };
  const column = ({ period, isShown, bars, text }: PeriodOfChart) => {
    return el(
      'button',
      {
        type: 'button',
        class: 'period',
        'data-key': period,
        'aria-pressed': String(isShown),
        title: `${dates.month(period)}: ${text}`,
        disabled: !pick,
        onclick: () => pick?.(period),
      },
      el('span', { class: 'bars' }, ...bars.map(bar)),
      el('span', { class: 'label' }, dates.shortMonth(period)),
      el('span', { class: 'unseen' }, ` ${period.length === 4 ? '' : period.slice(0, 4)}: ${text}`),
    );
  };
  const rows = periods.map(({ period, bars, line }) =>
    el(
      'tr',
      {},
      el('th', { scope: 'row' }, dates.month(period)),
      ...bars.map(({ amount }) => el('td', { class: 'amount' }, money(amount))),
      line !== undefined && el('td', { class: 'amount' }, money(line)),
    ),
  );
  return el(
    'section',
    { class: 'chart', 'aria-label': caption },
    el(
      'div',
      { class: 'legend' },
      el('h2', {}, caption),
      ...(kinds.length > 1 || line !== undefined
        ? [
            ...kinds.map((kind) => el('span', { class: `key key-${kind}` }, labels[kind])),
            line !== undefined && el('span', { class: 'key key-line' }, line),
          ]
        : []),
    ),
    el(
      'div',
      { class: 'plot', role: 'group', 'aria-label': pick ? 'Pick a period' : caption },
      ...periods.map(column),
      line !== undefined && lineOf(periods.map((each) => (top - (each.line ?? 0)) / range)),
    ),
    el(
      'details',
      { open: isOpen },
      el('summary', {}, 'As a table'),
      el(
        'table',
        {},
        el(
          'thead',
          {},
          el(
            'tr',
            {},
            el('th', { scope: 'col' }, 'Period'),
            ...kinds.map((kind) => el('th', { scope: 'col', class: 'amount' }, labels[kind])),
            line !== undefined && el('th', { scope: 'col', class: 'amount' }, line),
          ),
        ),
        el('tbody', {}, ...rows),
      ),
    ),
  );
}

/** A path through the middle of each column. `heights` are parts from the top. */
function lineOf(heights: readonly number[]): SVGElement {
  const points = heights.map((height, index) => `${index + 0.5} ${Math.round(height * 10_000) / 10_000}`);
  return svg(
    'svg',
    { class: 'line', viewBox: `0 0 ${heights.length} 1`, preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    svg('path', { d: `M${points.join('L')}`, 'vector-effect': 'non-scaling-stroke' }),
  );
}
