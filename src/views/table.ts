/** Tables: their headings, rows and cells, and a button for the rows that are not shown at first. */
import { amountText, button, type Child, el, phrase } from './element.ts';
import type { Count } from './money.ts';

/** A heading with the class of its column, such as `amount`. A narrow page leaves out columns that are `extra`. */
export type Column = readonly [heading: string, kind?: string];

/** So many rows are shown at first, because an answer in a chat should not be long. */
const FIRST = 10;

export const table = (
  columns: readonly (Column | false)[],
  rows: readonly Child[],
  kind?: string,
): HTMLElement => el('table', { class: kind }, tableHead(columns), el('tbody', {}, ...rows));

export function tableHead(columns: readonly (Column | false)[]): HTMLElement {
  const headings = columns.map((column) => {
    if (!column) return false;
    const [heading, kind] = column;
    return el('th', { scope: 'col', class: kind }, heading);
  });
  return el('thead', {}, el('tr', {}, ...headings));
}

/** The cells of a row follow its name, which may have notes under it. */
export const tableRow = (name: Child | readonly Child[], ...cells: Child[]): HTMLElement =>
  el('tr', {}, el('th', { scope: 'row' }, ...[name].flat()), ...cells);

export const amountCell = (text: string, kind = '', ...notes: Child[]): HTMLElement =>
  el('td', { class: `amount ${kind}` }, amountText(text), ...notes);

/** The name of a row, as a button if something can be asked about it. */
export function rowName(text: string, key: string, onPress: (() => void) | undefined): HTMLElement {
  return onPress
    ? button('name', onPress, { 'data-key': key }, el('bdi', {}, text))
    : el('bdi', { class: 'name' }, text);
}

/** A table with the first rows, and a button that shows the others. `foot` is a row for what is left out. */
export function firstRows(
  columns: readonly (Column | false)[],
  rows: readonly HTMLElement[],
  foot: Child,
  count: Count,
): HTMLElement {
  const hasMore = rows.length > FIRST + 2;
  const shown = table(columns, rows.slice(0, hasMore ? FIRST : rows.length));
  const addFoot = () => foot && shown.append(el('tfoot', {}, foot));
  if (!hasMore) {
    addFoot();
    return shown;
  }
  const rest = rows.slice(FIRST);
  const showRest = () => {
    shown.querySelector('tbody')?.append(...rest);
    addFoot();
    more.remove();
    rest[0]?.querySelector('button')?.focus();
  };
  const more = button('more', showRest, {}, phrase(`Show ${count(rest.length)} more`));
  return el('div', { class: 'rows' }, shown, more);
}
