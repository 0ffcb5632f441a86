import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addDays } from '../../src/service/ledger/calendar.ts';
import { startDeltaCheck } from './ledger/delta-check.helper.ts';
import { Budget, startWritingService, UNKNOWN, type WritingService } from './writes/writing.helper.ts';

let service: WritingService;
beforeAll(async () => {
  service = await startWritingService();
});
afterAll(() => service.close());

const OPERATIONS = [
  'create',
  'create',
  'create many',
  'create many',
  'update',
  'update',
  'update many',
  'delete',
  'schedule',
  'reschedule',
  'unschedule',
  'category',
  'month category',
  'payee',
  'new payee',
  'new category',
  'new group',
  'group',
  'account',
  'import',
] as const;

interface Write {
  readonly operation: (typeof OPERATIONS)[number];
  readonly picks: readonly number[];
  readonly amount: number | string;
  readonly legs: readonly number[];
}

/** Choices are numbers, taken modulo the number of options. About one field in thirty is invalid. */
const writes = fc.array(
  fc.record<Write>({
    operation: fc.constantFrom(...OPERATIONS),
    picks: fc.array(fc.nat(10_000), { minLength: 16, maxLength: 16 }),
    amount: fc.oneof(
      { weight: 12, arbitrary: fc.integer({ min: -30_000, max: 30_000 }) },
      { weight: 1, arbitrary: fc.constantFrom(-0, 0.5, 1e21, '1', Number.MAX_SAFE_INTEGER) },
    ),
    legs: fc.oneof(
      { weight: 2, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(fc.integer({ min: -9_000, max: 9_000 }), { maxLength: 3 }) },
    ),
  }),
  { minLength: 1, maxLength: 20 },
);

type Row = Record<string, unknown>;

function rowOf(budget: Budget, { picks, amount, legs }: Write, round = 0): Row {
  const pick = (index: number) => picks[(index + round * 5) % picks.length] ?? 0;
  const { state } = budget.ledger;
  const pickId = (ids: Iterable<string>, index: number) => {
    const all = [...ids];
    return pick(index) % 30 === 0 ? UNKNOWN : all[pick(index) % all.length];
  };
  const maybe = (row: Row, index: number) => (pick(index) % 3 === 0 ? {} : row);
  const lineFields = (index: number): Row => ({
    ...maybe({ payee_id: pick(index) % 2 ? pickId(state.payees.keys(), index) : null }, index),
    ...maybe({ payee_name: ['Baker', 'Grocer', 'baker', 'Transfer : Savings'][pick(index + 1) % 31] }, index),
    ...maybe({ category_id: pick(index) % 4 ? pickId(state.categories.keys(), index + 2) : null }, index + 1),
    ...maybe({ memo: `memo ${pick(index)}` }, index + 2),
  });
  const isSplit = legs.length > 0;
  const total = legs.reduce((sum, legAmount) => sum + legAmount, 0) + (pick(3) % 20 === 0 ? 1 : 0);
  return {
    account_id: pickId(state.accounts.keys(), 0),
    date: addDays(state.today, 2 - (pick(1) % 40)),
    amount: isSplit ? total : amount,
    ...lineFields(4),
    ...maybe({ cleared: ['cleared', 'uncleared', 'reconciled'][pick(8) % 3] }, 9),
    ...maybe({ approved: pick(8) % 2 === 0 }, 10),
    ...maybe({ flag_color: ['red', 'blue', '', null][pick(8) % 4] }, 11),
    ...(pick(12) % 3 ? {} : { import_id: `import ${pick(13) % 4}` }),
    ...(isSplit
      ? { subtransactions: legs.map((legAmount, i) => ({ amount: legAmount, ...lineFields(5 + i) })) }
      : {}),
  };
}

/** Some of the fields. */
function subsetOf(row: Row, picks: readonly number[]): Row {
  return Object.fromEntries(Object.entries(row).filter((_, i) => (picks[i % 16] ?? 0) % 3 === 0));
}

/** None, one that has or gets a rhythm, or its removal. */
const goalOf = ({ picks: [, second = 0, third = 0], amount }: Write): Row => ({
  ...(second % 2 && { goal_target: third % 5 ? amount : null }),
  ...(third % 3 === 0 && { goal_frequency: ['monthly', 'weekly', 'yearly'][second % 3] }),
});

function send(budget: Budget, write: Write) {
  const { picks, amount } = write;
  const { state } = budget.ledger;
  const [first = 0, second = 0] = picks;
  const pickId = (ids: Iterable<string>) => [...ids, UNKNOWN][first % ([...ids].length + 1)] ?? UNKNOWN;
  const row = rowOf(budget, write);
  const scheduled = { ...row, date: addDays(state.today, (second % 40) - 1) };
  const change = subsetOf(row, picks);
  switch (write.operation) {
    case 'create':
      return budget.send('POST', '/transactions', { transaction: row });
    case 'create many': {
      const rows = [0, 1, 2].map((round) => rowOf(budget, write, round));
      return budget.send('POST', '/transactions', { transactions: rows });
    }
    case 'update':
      return budget.send('PUT', `/transactions/${pickId(state.transactions.keys())}`, {
        transaction: change,
      });
    case 'update many': {
      const ids = [...state.transactions.keys()];
      const rows = [0, 1, 2].map((round) => ({
        ...subsetOf(rowOf(budget, write, round), picks),
        id: ids[(first + round * second) % ids.length],
      }));
      return budget.send('PATCH', '/transactions', { transactions: rows });
    }
    case 'delete':
      return budget.send('DELETE', `/transactions/${pickId(state.transactions.keys())}`);
    case 'schedule':
      return budget.send('POST', '/scheduled_transactions', { scheduled_transaction: scheduled });
    case 'reschedule': {
      const path = `/scheduled_transactions/${pickId(state.scheduled.keys())}`;
      return budget.send('PUT', path, { scheduled_transaction: scheduled });
    }
    case 'unschedule':
      return budget.send('DELETE', `/scheduled_transactions/${pickId(state.scheduled.keys())}`);
    case 'category': {
      const category = { name: `name ${first}`, ...goalOf(write) };
      return budget.send('PATCH', `/categories/${pickId(state.categories.keys())}`, { category });
    }
    case 'month category': {
      const month = ['current', '2026-01-01', '2026-03-01', '1999-01-01'][second % 4];
      const path = `/months/${month}/categories/${pickId(state.categories.keys())}`;
      return budget.send('PATCH', path, { category: { budgeted: amount } });
    }
    case 'new category': {
      const category_group_id = pickId(state.groups.keys());
      const category = { name: `name ${first}`, category_group_id, ...goalOf(write) };
      return budget.send('POST', '/categories', { category });
    }
    case 'new group':
      return budget.send('POST', '/category_groups', { category_group: { name: 'x'.repeat(second % 55) } });
    case 'group': {
      const category_group = { name: `name ${second}` };
      return budget.send('PATCH', `/category_groups/${pickId(state.groups.keys())}`, { category_group });
    }
    case 'new payee': {
      const name = second % 9 ? `name ${second}` : 'Transfer : x';
      return budget.send('POST', '/payees', { payee: { name } });
    }
    case 'payee': {
      const name = second % 9 ? `name ${second}` : 'Transfer : x';
      return budget.send('PATCH', `/payees/${pickId(state.payees.keys())}`, { payee: { name } });
    }
    case 'account': {
      const type = ['cash', 'creditCard', 'mortgage', 'piggy'][second % 4];
      return budget.send('POST', '/accounts', { account: { name: `name ${first}`, type, balance: amount } });
    }
    case 'import':
      return budget.send('POST', '/transactions/import');
  }
}

test('after any writes the ledger balances and deltas update a copy, and a refused write changes nothing', async () => {
  const statuses = new Set<number>();
  await fc.assert(
    fc.asyncProperty(writes, async (all) => {
      const budget = new Budget(service);
      const check = startDeltaCheck(budget.ledger);
      for (const write of all) {
        const { knowledge } = budget.ledger;
        const before = budget.snapshot();
        const { status } = await send(budget, write);
        statuses.add(status);
        expect([200, 201, 209, 400, 403, 404, 409]).toContain(status);
        if (status >= 400) budget.expectUnchanged(before);
        else if (write.operation !== 'import') expect(budget.ledger.knowledge).toBe(knowledge + 1);
        budget.expectBalanced();
      }
      check();
    }),
    { numRuns: 100 },
  );
  expect([...statuses]).toEqual(expect.arrayContaining([200, 201, 209, 400, 404]));
});
