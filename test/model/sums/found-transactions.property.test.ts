import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { TransactionQuery } from '../../../src/base/schema/transaction-query.ts';
import { BudgetReplica } from '../../../src/model/replica/budget-replica.ts';
import type { Export } from '../../../src/model/replica/entities.ts';
import { findTransactions } from '../../../src/model/sums/found-transactions.ts';
import { createPayee } from '../../../src/service/ledger/payees.ts';
import { addTransaction, type LegInput } from '../../../src/service/ledger/transactions.ts';
import type { Ledger } from '../../../src/service/ledger.ts';
import { fuzzRuns } from '../../fuzz.helper.ts';
import { smallLedger } from '../../service/ledger/random-changes.helper.ts';
import { directReader } from '../replica/service-reader.helper.ts';

const MEMOS = [null, 'Umbrella 🌧️', 'Crème brûlée', 'BAKER street', '54.10 for Ana', 'STRASSE / Straße'];
const AMOUNTS = [0, 10, -10, 54_100, -54_100, -54_000, -20_000, 30_000];
const DATES = ['2025-12-31', '2026-01-01', '2026-01-19', '2026-01-20'];
const WORDS = [
  'baker',
  'BUTCHER',
  'creme',
  'brulée',
  'umbrella',
  '🌧',
  'strasse',
  'cafe',
  'zoe',
  'bills',
  'Fun',
  '1',
];
const MORE_WORDS = ['checking', 'savings', '54.1', '54,10', '-54', '20', 'transfer', 'split', 'card', 'zzz'];
const texts = fc
  .array(fc.constantFrom(...WORDS, ...MORE_WORDS), { minLength: 1, maxLength: 2 })
  .map((words) => words.join(' '));

const pick = fc.option(fc.nat(20), { nil: null, freq: 3 });
const line = fc.record({
  amount: fc.constantFrom(...AMOUNTS),
  payee: pick,
  category: pick,
  memo: fc.constantFrom(...MEMOS),
});
const entries = fc.array(
  fc.record({
    line,
    legs: fc.array(line, { maxLength: 3 }).map((legs) => (legs.length === 1 ? [] : legs)),
    account: fc.nat(20),
    date: fc.constantFrom(...DATES),
    cleared: fc.constantFrom('cleared' as const, 'uncleared' as const, 'reconciled' as const),
    approved: fc.boolean(),
    flag_color: fc.constantFrom('red' as const, 'blue' as const, null),
  }),
  { minLength: 1, maxLength: 12 },
);
type Entries = typeof entries extends fc.Arbitrary<infer Value> ? Value : never;

/** References are numbers, taken modulo the number of things that there are. */
const conditions = fc.record({
  text: texts,
  min_amount: fc.constantFrom(0, 10, 54_000, -54_100),
  max_amount: fc.constantFrom(0, 20_000, 54_050, -54_100),
  since: fc.constantFrom(...DATES),
  until: fc.constantFrom(...DATES),
  account: fc.nat(20),
  category: fc.nat(20),
  payee: fc.nat(20),
  cleared: fc.constantFrom('cleared', 'reconciled'),
  approved: fc.boolean(),
  flag_color: fc.constantFrom('red', 'blue'),
  type: fc.constantFrom('uncategorized' as const, 'unapproved' as const, 'transfer' as const),
});
const names = [
  'text',
  'min_amount',
  'max_amount',
  'since',
  'until',
  'account',
  'category',
  'payee',
  'cleared',
  'approved',
  'flag_color',
  'type',
];
/** More conditions would exclude nearly everything. */
const queries = fc
  .tuple(conditions, fc.subarray(['text', ...names], { maxLength: 3 }))
  .map(
    ([all, chosen]): Partial<typeof all> =>
      Object.fromEntries(Object.entries(all).filter(([name]) => chosen.includes(name))),
  );

function ledgerWith(added: Entries): Ledger {
  const ledger = smallLedger();
  ledger.commit((state) => {
    createPayee(state, 'Café Zoë');
    const payees = [...state.payees.keys()];
    const categories = [...state.categories.keys()];
    const accounts = [...state.accounts.keys()];
    const inputOf = ({ amount, payee, category, memo }: Entries[number]['line']): LegInput => ({
      amount,
      memo,
      payee_id: at(payees, payee) ?? null,
      category_id: at(categories, category) ?? null,
    });
    for (const { line, legs, account, ...fields } of added) {
      const account_id = at(accounts, account) ?? '';
      // A transfer to the account itself is impossible.
      const own = new Set(
        [...state.payees.values()].flatMap((each) =>
          each.transfer_account_id === account_id ? each.id : [],
        ),
      );
      const possible = (leg: LegInput) => (own.has(leg.payee_id ?? '') ? { ...leg, payee_id: null } : leg);
      const { amount, ...head } = possible(inputOf(line));
      const parts = legs.map(inputOf).map(possible);
      if (parts.length === 0) addTransaction(state, { ...fields, account_id, amount, ...head });
      else {
        const total = parts.reduce((sum, part) => sum + part.amount, 0);
        const { memo = null, payee_id = null } = head;
        const isTransfer = state.payees.get(payee_id ?? '')?.transfer_account_id != null;
        addTransaction(state, {
          ...fields,
          account_id,
          memo,
          amount: total,
          payee_id: isTransfer ? null : payee_id,
          legs: parts,
        });
      }
    }
  });
  return ledger;
}

const at = <T>(values: readonly T[], index: number | null | undefined) =>
  index === null || index === undefined ? undefined : values[index % values.length];

/** One or two of them. */
const idsAt = (values: readonly { readonly id: string }[], index: number | undefined) =>
  index === undefined
    ? undefined
    : [at(values, index)?.id ?? '', ...(index % 2 === 1 ? [at(values, index + 1)?.id ?? ''] : [])];

const isAmong = (ids: readonly string[] | undefined, id: string | null | undefined) =>
  ids === undefined || ids.some((each) => each === id);

const plain = (text: string) =>
  text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss');

/** What a person would do with the export: join the names, look at every line, add up. */
function findNaively({ budget }: Export, query: TransactionQuery): Map<string, number> {
  const nameOf = new Map(
    [...budget.accounts, ...budget.payees, ...budget.categories].map((it) => [it.id, it.name]),
  );
  const tracking = new Set(budget.accounts.flatMap(({ id, on_budget }) => (on_budget ? [] : [id])));
  const inGroup = new Map(budget.categories.map((it) => [it.id, it.category_group_id]));
  const found = new Map<string, number>();
  for (const row of budget.transactions) {
    const legs = budget.subtransactions.filter(({ transaction_id }) => transaction_id === row.id);
    const needsCategory = (each: (typeof legs)[number] | typeof row) =>
      each.category_id === null &&
      !tracking.has(row.account_id) &&
      (each.transfer_account_id === null || tracking.has(each.transfer_account_id));
    const isRow =
      row.date >= (query.since ?? '') &&
      row.date <= (query.until ?? '9999') &&
      isAmong(query.account, row.account_id) &&
      [undefined, row.cleared].includes(query.cleared) &&
      [undefined, row.approved].includes(query.approved) &&
      (query.flag_color === undefined || row.flag_color === query.flag_color) &&
      (query.type !== 'unapproved' || !row.approved);
    if (!isRow) continue;
    const isOfLine = (each: (typeof legs)[number] | typeof row) =>
      (query.type !== 'transfer' || each.transfer_account_id !== null) &&
      (query.type !== 'uncategorized' || needsCategory(each)) &&
      isAmong(query.payee, each.payee_id ?? row.payee_id) &&
      (isAmong(query.category, each.category_id) ||
        (each.category_id !== null && isAmong(query.category, inGroup.get(each.category_id))));
    const hasContent = (each: (typeof legs)[number] | typeof row) => {
      const texts = [each, row].flatMap(({ memo, payee_id, category_id }) => [
        memo ?? '',
        nameOf.get(payee_id ?? '') ?? '',
        nameOf.get(category_id ?? '') ?? '',
      ]);
      const all = plain([...texts, nameOf.get(row.account_id) ?? ''].join('\n'));
      const size = Math.abs(each.amount);
      return (
        size >= Math.abs(query.min_amount ?? 0) &&
        size <= Math.abs(query.max_amount ?? Number.MAX_SAFE_INTEGER) &&
        plain(query.text ?? '')
          .split(' ')
          .every((word) => all.includes(word) || Math.abs(Number(word.replace(',', '.'))) * 1000 === size)
      );
    };
    const lines = legs.length > 0 ? legs : [row];
    const matching =
      lines.every(isOfLine) && hasContent(row) ? lines : lines.filter((it) => isOfLine(it) && hasContent(it));
    if (matching.length > 0)
      found.set(
        row.id,
        matching.reduce((sum, { amount }) => sum + amount, 0),
      );
  }
  return found;
}

it('a search finds what a look at every exported line finds, with the same amounts', async () => {
  let total = 0;
  await fc.assert(
    fc.asyncProperty(entries, fc.array(queries, { minLength: 5, maxLength: 5 }), async (added, drawn) => {
      const ledger = ledgerWith(added);
      const exported = await directReader(ledger).export();
      const replica = BudgetReplica.load(exported, ledger.state.today);
      const { accounts, categories, payees, category_groups } = exported.budget;
      const groupsAndCategories = [...categories, ...category_groups];
      for (const { account, category, payee, ...others } of drawn) {
        const query: TransactionQuery = {
          ...others,
          account: idsAt(accounts, account),
          category: idsAt(groupsAndCategories, category),
          payee: idsAt(payees, payee),
        };
        const found = findTransactions(replica, query);
        total += found.length;
        expect(
          new Map(found.map(({ id, amount, matching_amount }) => [id, matching_amount ?? amount])),
        ).toEqual(findNaively(exported, query));
        const dates = found.map(({ date }) => date);
        expect(dates).toEqual(dates.toSorted().reverse());
      }
    }),
    { numRuns: fuzzRuns(100) },
  );
  // Otherwise the queries exclude everything, and this test proves nothing.
  expect(total).toBeGreaterThan(200);
});
