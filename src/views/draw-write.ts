/** Draws a write: what it would change or has changed, and the balances before and after. */
import type { WriteContent, WriteValue } from '../answers/view-data/write-content.ts';
import { amountText, type Child, dayText, el, name, note, phrase, remark, separated } from './element.ts';
import { signed } from './money.ts';
import type { Drawing, Drawn } from './page.ts';
import { amountCell, table, tableRow } from './table.ts';

const states: Readonly<Record<WriteContent['state'], readonly [text: string, kind: string]>> = {
  preview: ['Preview: nothing is written yet', 'warn'],
  refused: ['It would be refused', 'bad'],
  written: ['Written', 'good'],
  unchanged: ['Nothing was changed', 'bad'],
};

export function drawWrite(content: WriteContent, drawing: Drawing): Drawn {
  const { title, state, changes, omitted, balances, unpredictable, notes } = content;
  const [text, kind] = states[state];
  return {
    title: phrase(...title.map((part) => valueText(part, drawing))),
    subtitle: [el('span', { class: `state ${kind}` }, phrase(text))],
    body: [
      notes.length > 0 &&
        el('ul', { class: 'open', 'aria-label': 'Notes' }, ...notes.map((each) => el('li', {}, name(each)))),
      ...changes.map((change) => changeOf(change, state, drawing)),
      omitted > 0 && remark(phrase(`${drawing.count(omitted)} more changes are not shown.`)),
      balances.length > 0 && balancesOf(content, drawing),
      unpredictable.length > 0 &&
        remark(phrase('Cannot be predicted: '), ...separated(unpredictable.map(name), ', ')),
    ],
  };
}

const DAY = /^\d{4}-\d\d-\d\d$/;

function valueText(value: WriteValue | undefined, { money, dates }: Drawing): Child {
  if (value === undefined) return '';
  if (typeof value === 'string') return DAY.test(value) ? dayText(dates.day(value)) : name(value);
  return 'month' in value ? name(dates.month(value.month)) : amountText(money(value.amount));
}

function changeOf(
  { what, date, amount, fields }: WriteContent['changes'][number],
  state: WriteContent['state'],
  drawing: Drawing,
): HTMLElement {
  const { money, dates } = drawing;
  const hasBefore = fields.some(({ before }) => before !== undefined);
  const hasAfter = fields.some(({ after }) => after !== undefined);
  const heads = {
    before: hasAfter ? (state === 'written' ? 'Before' : 'Now') : 'Deleted',
    after: hasBefore ? (state === 'written' ? 'Now' : 'Afterwards') : state === 'written' ? 'Written' : 'New',
  };
  return el(
    'section',
    {},
    what !== '' &&
      el(
        'h2',
        {},
        name(what),
        el(
          'span',
          { class: 'about' },
          date !== undefined && dayText(dates.day(date)),
          amount !== undefined && amountText(money(amount)),
        ),
      ),
    table(
      [['Field'], hasBefore && [heads.before, 'amount'], hasAfter && [heads.after, 'amount']],
      fields.map(({ label, before, after }) =>
        tableRow(
          el('span', { class: 'quiet' }, label),
          hasBefore && el('td', { class: hasAfter ? 'before' : '' }, valueText(before, drawing)),
          hasAfter && el('td', { class: 'after' }, valueText(after, drawing)),
        ),
      ),
      'fields',
    ),
  );
}

function balancesOf({ balances, state }: WriteContent, { money, dates }: Drawing): HTMLElement {
  const hasBefore = balances.some(({ before }) => before !== undefined);
  const [earlier, later] = state === 'written' ? ['Before', 'Now'] : ['Now', 'Afterwards'];
  const rows = balances.map(({ kind, name: text, month, before, after }) => {
    const isBad = after < 0 && kind !== 'account';
    return tableRow(
      [name(text), el('small', {}, month === undefined ? kind : dates.month(month))],
      hasBefore && amountCell(before === undefined ? '' : signed(money, after - before)),
      hasBefore && amountCell(before === undefined ? '' : money(before), 'extra quiet'),
      amountCell(
        money(after),
        isBad ? 'bad' : '',
        isBad && note(kind === 'ready' ? 'below zero' : 'overspent', 'bad'),
        before !== undefined &&
          el('small', { class: 'narrow' }, phrase(`${earlier.toLowerCase()} `, amountText(money(before)))),
      ),
    );
  });
  return el(
    'section',
    {},
    el('h2', {}, 'Balances'),
    table(
      [
        ['Account or category'],
        hasBefore && ['Change', 'amount'],
        hasBefore && [earlier, 'amount extra'],
        [later, 'amount'],
      ],
      rows,
    ),
  );
}
