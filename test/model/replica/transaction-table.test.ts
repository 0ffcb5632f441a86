/** The order of transactions in a replica, after any changes. */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { noRows } from '../../../src/base/schema/budget.ts';
import { BudgetReplica } from '../../../src/model/replica/budget-replica.ts';
import type { Export, TransactionSummary } from '../../../src/model/replica/entities.ts';
import { fuzzRuns } from '../../fuzz.helper.ts';
import { smallLedger } from '../../service/ledger/random-changes.helper.ts';
import { directReader } from './service-reader.helper.ts';

type Row = Pick<TransactionSummary, 'id' | 'date' | 'amount'>;

const TODAY = '2026-01-20';
const days = ['2026-01-30', '2026-01-31', '2026-02-01', '2026-02-28', '2026-03-01'];
const edits = fc.array(
  fc.record({
    id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
    date: fc.constantFrom(...days),
    deleted: fc.boolean(),
    isRead: fc.boolean(),
  }),
  { maxLength: 30 },
);

let exported: Export;
let sample: TransactionSummary;

beforeAll(async () => {
  exported = await directReader(smallLedger()).export();
  sample = exported.budget.transactions[0] ?? expect.unreachable();
});

const rowOf = (row: Row): TransactionSummary => ({ ...sample, ...row });
const withRows = (rows: readonly Row[]): Export => ({
  ...exported,
  budget: { ...exported.budget, transactions: rows.map(rowOf), subtransactions: [] },
});
const deltaOf = (rows: readonly (Row & { readonly deleted?: boolean })[]): Export => ({
  ...exported,
  budget: { ...exported.budget, ...noRows, transactions: rows.map((row) => ({ ...sample, ...row })) },
});
const inOrder = (rows: Iterable<Row>) =>
  [...rows].sort((a, b) => b.date.localeCompare(a.date) || a.id.localeCompare(b.id));
const shown = (rows: readonly Row[]) => rows.map(({ id, date, amount }) => ({ id, date, amount }));

describe('transactions in order', () => {
  it('after any changes the rows equal a new sort, and returned arrays never change', () => {
    fc.assert(
      fc.property(edits, (all) => {
        const replica = BudgetReplica.load(withRows([]), TODAY);
        const model = new Map<string, Row>();
        const returned: [readonly Row[], readonly Row[]][] = [];
        all.forEach(({ id, date, deleted, isRead }, amount) => {
          const row = { id, date, amount };
          replica.apply(deltaOf([{ ...row, deleted }]), TODAY);
          if (deleted) model.delete(id);
          else model.set(id, row);
          if (isRead) returned.push([replica.transactions.list({}), inOrder(model.values())]);
        });
        expect(shown(replica.transactions.list({}))).toEqual(inOrder(model.values()));
        for (const [rows, expected] of returned) expect(shown(rows)).toEqual(expected);
      }),
      { numRuns: fuzzRuns(300) },
    );
  });

  it.each([10, 1_000, 20_000])('%i of 20,000 rows can change at once', (changed) => {
    const day = (at: number) => days[at % days.length] ?? expect.unreachable();
    const rows = Array.from({ length: 20_000 }, (_, at) => ({
      id: String((at * 7_919) % 20_000).padStart(6, '0'),
      date: day(at),
      amount: 0,
    }));
    const replica = BudgetReplica.load(withRows(rows), TODAY);
    const before = replica.transactions.list({});
    const moved = rows.slice(0, changed).map(({ id }, at) => ({ id, date: day(at + 1), amount: 1 }));
    replica.apply(deltaOf(moved), TODAY);
    expect(shown(replica.transactions.list({}))).toEqual(inOrder([...moved, ...rows.slice(changed)]));
    expect(shown(before)).toEqual(inOrder(rows));
  });

  const rows = inOrder(days.map((date, at) => ({ id: `${at}`, date, amount: at })));
  const dates = (found: readonly Row[]) => found.map(({ date }) => date);

  it('rows are found from one date to another, including both', () => {
    const { transactions } = BudgetReplica.load(withRows(rows), TODAY);
    const between = (since_date?: string, until_date?: string) =>
      dates(transactions.list({ since_date, until_date }));
    expect(between('2026-02-28')).toEqual(['2026-03-01', '2026-02-28']);
    expect(between('2026-01-31', '2026-02-28')).toEqual(['2026-02-28', '2026-02-01', '2026-01-31']);
    expect(between(undefined, '2026-01-30')).toEqual(dates(rows).filter((date) => date <= '2026-01-30'));
    expect(between()).toEqual(dates(rows));
    expect(between('2027-01-01')).toEqual([]);
    expect(between('2026-02-28', '2026-01-31')).toEqual([]);
  });

  it('rows are found within a month, from its first to its last day, and within dates in it', () => {
    const [month = expect.unreachable()] = exported.budget.months;
    const months = ['2025-12-01', '2026-01-01', '2026-02-01'].map((first) => ({ ...month, month: first }));
    const { budget, server_knowledge } = withRows(rows);
    const { transactions } = BudgetReplica.load({ server_knowledge, budget: { ...budget, months } }, TODAY);
    expect(dates(transactions.ofMonth('2026-02-01', {}))).toEqual(['2026-02-28', '2026-02-01']);
    expect(dates(transactions.ofMonth('2026-01-01', {}))).toEqual(['2026-01-31', '2026-01-30']);
    expect(transactions.ofMonth('2025-12-01', {})).toEqual([]);
    expect(dates(transactions.ofMonth('2026-02-01', { since_date: '2026-02-02' }))).toEqual(['2026-02-28']);
    expect(dates(transactions.ofMonth('2026-02-01', { until_date: '2026-02-27' }))).toEqual(['2026-02-01']);
    expect(
      dates(transactions.ofMonth('2026-02-01', { since_date: '2026-01-01', until_date: '2026-03-01' })),
    ).toEqual(['2026-02-28', '2026-02-01']);
    expect(transactions.ofMonth('2026-02-01', { since_date: '2026-03-01' })).toEqual([]);
    expect(transactions.ofMonth('2026-02-01', { until_date: '2026-01-31' })).toEqual([]);
  });
});
