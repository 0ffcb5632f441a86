/**
 * Months or years as bars or as a line, which a person can pick, and the same as a table. Bars begin at zero. The scale of a
 * line begins at its lowest amount, because a change of a large amount would not be seen otherwise.
 */
import { type Kind, kinds, legend } from './amount-bar.ts';
import { amountText, button, el, path, picture, sized } from './element.ts';
import type { Drawing } from './page.ts';
import { amountCell, type Column, table, tableRow } from './table.ts';

export interface Bar {
  readonly kind: Kind;
  readonly amount: number;
}

export interface PeriodOfChart {
  readonly period: string;
  readonly isShown: boolean;
  readonly bars: readonly Bar[];
  /** The net worth, which is drawn as a line in the place of bars. */
  readonly line?: number;
  /** In words, for the label of the bar. */
  readonly text: string;
}

/** `pick` is called with a period. With `isOpen` the table is shown at first. */
export function periodChart(
  periods: readonly PeriodOfChart[],
  { caption, isOpen }: { readonly caption: string; readonly isOpen: boolean },
  { dates, money }: Drawing,
  pick: ((period: string) => void) | undefined,
): HTMLElement {
  const line = periods.flatMap(({ line }) => line ?? []);
  const isLine = line.length > 0;
  const amounts = isLine ? line : [0, ...periods.flatMap(({ bars }) => bars.map(({ amount }) => amount))];
  const [top, bottom] = [Math.max(...amounts), Math.min(...amounts)];
  const range = top - bottom || 1;
  const columns = [...new Set(periods.flatMap(({ bars }) => bars.map(({ kind }) => kind)))];
  const bar = ({ kind, amount }: Bar) => {
    const part = sized(el('i', { class: kind }), '--size', Math.abs(amount) / range);
    return sized(part, '--from', (top - Math.max(0, amount)) / range);
  };
  // In the middle of each column.
  const points = line.map(
    (amount, index) => `${index + 0.5} ${Math.round(((top - amount) / range) * 10_000) / 10_000}`,
  );
  const point = (amount: number) => sized(el('i', { class: 'point' }), '--from', (top - amount) / range);
  const column = ({ period, isShown, bars, text, line }: PeriodOfChart) =>
    button(
      'period',
      () => pick?.(period),
      {
        'data-key': period,
        'aria-pressed': String(isShown),
        title: `${dates.month(period)}: ${text}`,
        disabled: !pick,
      },
      el('span', { class: 'bars' }, ...(line === undefined ? bars.map(bar) : [point(line)])),
      el('span', { class: 'label' }, dates.shortMonth(period)),
      el('span', { class: 'unseen' }, ` ${period.length === 4 ? '' : period.slice(0, 4)}: ${text}`),
    );
  const rows = periods.map(({ period, bars, line }) =>
    tableRow(
      dates.month(period),
      ...bars.map(({ amount }) => amountCell(money(amount))),
      line !== undefined && amountCell(money(line)),
    ),
  );
  const headings = [...columns, ...(isLine ? (['net_worth'] as const) : [])].map(
    (kind): Column => [kinds[kind], 'amount'],
  );
  return el(
    'section',
    { class: 'chart', 'aria-label': caption },
    legend(isLine ? ['net_worth'] : columns, caption),
    el(
      'div',
      { class: 'plot', role: 'group', 'aria-label': pick ? 'Pick a period' : caption },
      el('span', { class: 'axis' }, amountText(money(top))),
      el('span', { class: 'axis' }, amountText(money(bottom))),
      ...periods.map(column),
      isLine && picture(line.length, path(`M${points.join('L')}`)),
    ),
    el('details', { open: isOpen }, el('summary', {}, 'As a table'), table([['Period'], ...headings], rows)),
  );
}
