import { expect, test } from 'vitest';
import { updateMonthCategory } from '../../src/operations/categories.ts';
import {
  listMoneyMovementGroups,
  listMoneyMovements,
  listMonthMoneyMovements,
} from '../../src/operations/money-movements.ts';
import { assignMoney } from '../../src/service/ledger/money-movements.ts';
import { callOperation } from '../call-operation.helper.ts';
import { startHolding } from './holding.helper.ts';

const MOVEMENTS = 'home/money_movements';
const isDelta = (path: string) => path.includes('last_knowledge');

/** A client that has its budget in the cache and has read the movements. */
async function started() {
  const holding = await startHolding();
  const { client, ledger, service, clock } = holding;
  const read = async () => {
    const { data, freshness } = await callOperation(client, listMoneyMovements, {});
    return { movements: data.money_movements, freshness };
  };
  const category = ledger.categoryGroups().flatMap(({ categories }) => categories)[4] ?? expect.unreachable();
  /** As in the app of the service. */
  const assign = (amount: number) =>
    ledger.commit((state) =>
      assignMoney(state, category.id, state.currentMonth, amount, {
        moved_at: new Date(clock.now()).toISOString(),
        user_id: service.user.id,
        group_id: null,
      }),
    );
  await read();
  return { ...holding, read, category, assign };
}

test('equal questions cost no request while the budget is fresh', async () => {
  const { read, asked, ledger } = await started();
  asked();
  const { movements, freshness } = await read();
  expect(movements).toEqual(ledger.moneyMovements());
  expect(movements.length).toBeGreaterThan(0);
  expect(freshness.source).toBe('replica');
  expect(asked()).toEqual([]);
});

test('while nothing changes, an equal question costs only the delta that freshness wants', async () => {
  const { read, asked, clock } = await started();
  await read();
  asked();
  clock.advance(600_000);
  const { freshness } = await read();
  expect(asked()).toEqual([expect.stringMatching(/^home\?last_knowledge/)]);
  expect(freshness.as_of).toBe(new Date(clock.now()).toISOString());
});

test('after a change in the app of the service, the next delta leads to a new read', async () => {
  const { read, asked, clock, assign, ledger } = await started();
  await read();
  const before = ledger.moneyMovements().length;
  assign(77_770);
  clock.advance(600_000);
  asked();
  const { movements } = await read();
  expect(movements).toHaveLength(before + 1);
  expect(movements).toEqual(ledger.moneyMovements());
  expect(asked().map((path) => (isDelta(path) ? 'delta' : path))).toEqual(['delta', MOVEMENTS]);
});

test('a movement of the own write is in the next answer', async () => {
  const { client, read, category, ledger } = await started();
  await read();
  await callOperation(client, updateMonthCategory, {
    month: 'current',
    category_id: category.id,
    budgeted: 88_880,
  });
  const { movements, freshness } = await read();
  expect(movements).toEqual(ledger.moneyMovements());
  expect(movements.at(-1)?.to_category_id ?? movements.at(-1)?.from_category_id).toBe(category.id);
  expect(freshness.stale_reason).toBeUndefined();
});

test('movements and groups, and the movements of different months, are different questions', async () => {
  const { client, ledger, asked } = await started();
  const { firstMonth: month, currentMonth } = ledger.state;
  expect(month).not.toBe(currentMonth);
  const thisMonth = await callOperation(client, listMonthMoneyMovements, { month: 'current' });
  expect(thisMonth.data.money_movements).toEqual(ledger.moneyMovements(currentMonth));
  const earlier = await callOperation(client, listMonthMoneyMovements, { month });
  expect(earlier.data.money_movements).toEqual(ledger.moneyMovements(month));
  const groups = await callOperation(client, listMoneyMovementGroups, {});
  expect(groups.data.money_movement_groups).toEqual(ledger.moneyMovementGroups());
  asked();
  await callOperation(client, listMonthMoneyMovements, { month });
  expect(asked()).toEqual([]);
});

test('every read of movements counts in the rate budget', async () => {
  const { client, read, asked } = await started();
  await read();
  await callOperation(client, listMoneyMovementGroups, {});
  expect((await client.status()).requests.used).toBe(asked().length);
});

test('in the next month the current month is read again, though nothing has changed', async () => {
  const { client, clock, asked } = await started();
  for (const _ of [1, 2]) await callOperation(client, listMonthMoneyMovements, { month: 'current' });
  asked();
  clock.advance(15 * 86_400_000);
  await callOperation(client, listMonthMoneyMovements, { month: 'current' }).catch(() => {});
  expect(asked()).toContain('home/months/current/money_movements');
});
