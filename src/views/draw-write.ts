/** Draws a write: what it would change or has changed, and the balances before and after. */
import type { WriteContent, WriteValue } from '../view-data/write-content.ts';
import { amountCell, columnHead } from './amount-bar.ts';
import { type Child, el, name, phrase } from './element.ts';
import type { Drawing, Drawn } from './page.ts';

const states: Readonly<Record<WriteContent['state'], readonly [text: string, kind: string]>> = {
  preview: ['Preview: nothing is written yet', 'warn'],
  refused: ['It would be refused', 'bad'],
  written: ['Written', 'good'],
};

export function drawWrite(content: WriteContent, drawing: Drawing): Drawn {
  const { title, state, changes, omitted, balances, unpredictable, notes } = content;
  const [text, kind] = states[state];
  return {
    title,
    subtitle: [el('span', { class: `state ${kind}` }, phrase(text))],
    body: [
      notes.length > 0 &&
        el('ul', { class: 'open', 'aria-label': 'Notes' }, ...notes.map((each) => el('li', {}, name(each)))),
      ...changes.map((change) => changeOf(change, state, drawing)),
      omitted > 0 &&
        el('p', { class: 'empty' }, phrase(`${drawing.count(omitted)} more changes are not shown.`)),
      balances.length > 0 && balancesOf(content, drawing),
      unpredictable.length > 0 &&
        el(
          'p',
          { class: 'empty' },
          phrase('Cannot be predicted: '),
          ...unpredictable.flatMap((each, index) => [index > 0 && ', ', name(each)]),
        ),
    ],
  };
}

function changeOf(
  { what, date, amount, fields }: WriteContent['changes'][number],
  state: WriteContent['state'],
  { money, dates }: Drawing,
): HTMLElement {
  const hasBefore = fields.some(({ before }) => before !== undefined);
  const hasAfter = fields.some(({ after }) => after !== undefined);
  const value = (of: WriteValue | undefined): Child => {
    if (of === undefined) return '';
    if (typeof of !== 'string') return el('span', { class: 'money' }, money(of.amount));
    return name(/^\d{4}-\d\d-\d\d$/.test(of) ? dates.day(of) : of);
  };
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
          date !== undefined && name(dates.day(date)),
          amount !== undefined && el('span', { class: 'money' }, money(amount)),
        ),
      ),
    el(
      'table',
      { class: 'fields' },
      el(
        'thead',
        {},
        el(
          'tr',
          {},
          columnHead('Field'),
          hasBefore && columnHead(heads.before),
          hasAfter && columnHead(heads.after),
        ),
      ),
      el(
        'tbody',
        {},
        ...fields.map(({ label, before, after }) =>
          el(
            'tr',
            {},
            el('th', { scope: 'row', class: 'quiet' }, label),
            hasBefore && el('td', { class: hasAfter ? 'before' : '' }, value(before)),
            hasAfter && el('td', { class: 'after' }, value(after)),
          ),
        ),
      ),
    ),
  );
}

function balancesOf({ balances, state }: WriteContent, { money }: Drawing): HTMLElement {
  const hasBefore = balances.some(({ before }) => before !== undefined);
  const change = (before: number | undefined, after: number) => {
    const difference = after - (before ?? after);
    return `${difference > 0 ? '+' : ''}${money(difference)}`;
  };
  return el(
    'section',
    {},
    el('h2', {}, 'Balances'),
    el(
      'table',
      {},
      el(
        'thead',
        {},
        el(
          'tr',
          {},
          columnHead('Account or category'),
          hasBefore && columnHead('Change', 'amount extra'),
          hasBefore && columnHead(state === 'written' ? 'Before' : 'Now', 'amount'),
          columnHead(state === 'written' ? 'Now' : 'Afterwards', 'amount'),
        ),
      ),
      el(
        'tbody',
        {},
        ...balances.map(({ kind, name: text, before, after }) =>
          el(
            'tr',
            {},
            el('th', { scope: 'row' }, name(text), el('small', {}, kind)),
            hasBefore && amountCell(change(before, after), 'extra quiet'),
            hasBefore && amountCell(before === undefined ? '' : money(before), 'quiet'),
            el(
              'td',
              { class: 'amount' },
              el('span', { class: after < 0 && kind === 'category' ? 'money bad' : 'money' }, money(after)),
              after < 0 && kind === 'category' && el('small', { class: 'bad' }, 'overspent'),
            ),
          ),
        ),
      ),
    ),
  );
}
