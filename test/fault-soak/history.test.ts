import { expect, it } from 'vitest';
import { setBudgeted } from '../../src/service/ledger/categories.ts';
import {
  addTransaction,
  deleteTransaction,
  updateTransaction,
} from '../../src/service/ledger/transactions.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { History, mark, type Row } from './history.helper.ts';
import { furnish, LaggingLedger, LeadingLedger } from './ledgers.helper.ts';

function start() {
  const clock = new ManualClock('2026-11-05T08:00:00Z');
  const ledger = new LeadingLedger(clock);
  furnish(ledger);
  const history = new History(ledger);
  ledger.onChange = () => history.record();
  const account_id = history.current('account')[1]?.id ?? '';
  const enter = (memo: string) =>
    ledger.commit((books) => addTransaction(books, { account_id, date: books.today, amount: -1_000, memo }))
      .id;
  return { clock, ledger, history, account_id, enter };
}

it('the history finds when the ledger contained exactly a given list', () => {
  const { ledger, history, enter } = start();
  const before = history.current('transaction');
  const [start0, id] = [ledger.knowledge, enter('one')];
  const withOne = history.current('transaction');
  ledger.commit((books) => updateTransaction(books, id, { memo: 'other' }));
  const changed = history.current('transaction');
  ledger.commit((books) => deleteTransaction(books, id));
  const spans = (rows: readonly Row[]) => history.spansOf('transaction', rows);
  expect(spans(withOne)).toEqual([{ from: start0 + 1, to: start0 + 1 }]);
  expect(spans(changed)).toEqual([{ from: start0 + 2, to: start0 + 2 }]);
  expect(spans(before)).toEqual([
    { from: start0, to: start0 },
    { from: start0 + 3, to: start0 + 3 },
  ]);
});

it('the history finds no moment for a list that mixes two of them', () => {
  const { history, enter } = start();
  enter('one');
  enter('two');
  const mixed = history.current('transaction').filter(({ memo }) => memo !== 'one');
  expect(history.spansOf('transaction', mixed)).toEqual([]);
  const made = history.current('transaction').map((row) => ({ ...row, memo: 'never' }));
  expect(history.spansOf('transaction', made)).toEqual([]);
});

it('the history compares a narrower list with the rows that it should have', () => {
  const { ledger, history, account_id, enter } = start();
  const isMeant = (row: Row) => row['account_id'] === account_id;
  const before = history.current('transaction').filter(isMeant);
  const knowledge = ledger.knowledge;
  enter('one');
  expect(history.spansOf('transaction', before, isMeant)).toEqual([
    { from: expect.any(Number), to: knowledge },
  ]);
});

it('the history marks what was created, changed and deleted, once for each time', () => {
  const { ledger, history, account_id, enter } = start();
  const [one, two] = [enter('same'), enter('same')];
  expect(history.marks(mark.created('same', account_id)).map(({ id }) => id)).toEqual([one, two]);
  ledger.commit((books) => updateTransaction(books, one, { memo: 'other' }));
  ledger.commit((books) => updateTransaction(books, one, { memo: 'other' }));
  const changes = history.marks(mark.changed('transaction', one, 'memo', 'other'));
  expect(changes).toEqual([{ id: one, knowledge: ledger.knowledge - 1 }]);
  ledger.commit((books) => deleteTransaction(books, one));
  expect(history.marks(mark.deleted(one))).toHaveLength(1);
});

it('a lagging copy is the same budget some time later, including refused changes', () => {
  const { clock, ledger, history, enter } = start();
  const copy = new LaggingLedger(ledger, clock.now(), 8_000);
  const refused = () =>
    ledger.commit((books) => {
      books.newId();
      throw new Error('refused');
    });
  expect(refused).toThrow('refused');
  enter('one');
  const [category] = history.current('category');
  ledger.commit((books) => setBudgeted(books, category?.id ?? '', books.currentMonth, 5_000));
  const knowledge = ledger.knowledge;
  clock.advance(7_000);
  copy.advanceTo(clock.now());
  expect(copy.knowledge).toBeLessThan(knowledge);
  clock.advance(1_000);
  copy.advanceTo(clock.now());
  expect(copy.knowledge).toBe(knowledge);
  expect(copy.transactions(undefined)).toEqual(ledger.transactions(undefined));
  // A new day and a new month are changes too.
  clock.advance(30 * 86_400_000);
  ledger.advanceTo(clock.now());
  clock.advance(8_000);
  copy.advanceTo(clock.now());
  expect(copy.categoryGroups()).toEqual(ledger.categoryGroups());
});
