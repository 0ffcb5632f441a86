import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { demoBudgets } from '../../../src/service/demo-data.ts';
import type { Ledger } from '../../../src/service/ledger.ts';
import { inMilliunits } from '../in-milliunits.helper.ts';
import * as wire from '../wire.helper.ts';
import { Budget, startWritingService, type WritingService } from '../writes/writing.helper.ts';

let service: WritingService;
beforeAll(async () => {
  service = await startWritingService();
});
afterAll(() => service.close());

const List = z.strictObject({
  data: z.strictObject({ money_movements: z.array(wire.MoneyMovement), server_knowledge: z.int() }),
});

const movementsOf = async (budget: Budget, path = '/money_movements') =>
  List.parse((await budget.send('GET', path)).body).data.money_movements;

const assign = (budget: Budget, category: string, budgeted: number, month = 'current') =>
  budget.send('PATCH', `/months/${month}/categories/${budget.category(category)}`, {
    category: { budgeted },
  });

/** What the movements brought to a category in a month. */
function sumOf(movements: ReturnType<Ledger['moneyMovements']>, category: string, month: string): number {
  return movements
    .filter((movement) => movement.month === month)
    .reduce((sum, { from_category_id, to_category_id, amount }) => {
      if (to_category_id === category) return sum + amount;
      return from_category_id === category ? sum - amount : sum;
    }, 0);
}

test('assigning money records a movement from Ready to Assign with time and user, and taking it back one to it', async () => {
  const budget = new Budget(service);
  const common = {
    month: '2026-01-01',
    note: null,
    money_movement_group_id: null,
    performed_by_user_id: service.access.users.at(-1)?.id,
  };
  const category = budget.category('Fun 1');
  const movedAt = service.clock.now();
  await assign(budget, 'Fun 1', 5_000);
  service.clock.advance(1_500);
  await assign(budget, 'Fun 1', 2_000);
  const id = expect.any(String);
  expect(inMilliunits(await movementsOf(budget))).toEqual([
    {
      ...common,
      id,
      moved_at: new Date(movedAt).toISOString(),
      from_category_id: null,
      to_category_id: category,
      amount: 5_000,
    },
    {
      ...common,
      id,
      moved_at: new Date(movedAt + 1_500).toISOString(),
      from_category_id: category,
      to_category_id: null,
      amount: 3_000,
    },
  ]);
});

test('the movements of a month are a part of all movements, and current is the current month', async () => {
  const budget = new Budget(service);
  await assign(budget, 'Fun 1', 1_000);
  await assign(budget, 'Fun 2', 2_000, '2026-02-01');
  expect(await movementsOf(budget)).toMatchObject([{ amount: 1_000 }, { amount: 2_000 }]);
  expect(await movementsOf(budget, '/months/current/money_movements')).toMatchObject([{ amount: 1_000 }]);
  expect(await movementsOf(budget, '/months/2026-02-01/money_movements')).toMatchObject([{ amount: 2_000 }]);
});

test('a refused or unchanged assignment records no movement', async () => {
  const budget = new Budget(service);
  await assign(budget, 'Fun 1', 0);
  expect((await assign(budget, 'Fun 1', Number.MAX_SAFE_INTEGER)).status).toBe(403);
  expect((await assign(budget, 'Uncategorized', 5)).status).toBe(400);
  expect(await movementsOf(budget)).toEqual([]);
});

test('money movements are in no delta and not in the export, and last_knowledge_of_server is ignored', async () => {
  const budget = new Budget(service);
  await assign(budget, 'Fun 1', 1_000);
  const { knowledge } = budget.ledger;
  for (const since of [0, knowledge, 'x']) {
    const path = `/money_movements?last_knowledge_of_server=${since}`;
    expect(await movementsOf(budget, path)).toHaveLength(1);
  }
  expect(Object.keys(budget.ledger.detail()).filter((key) => key.includes('movement'))).toEqual([]);
});

test('after any assignments the movements of each category and month add up to the change of its budgeted amount', async () => {
  const categories = ['Fun 1', 'Fun 2', 'Bills 1', 'Card'];
  const months = ['2026-01-01', '2026-02-01', '2026-05-01'];
  const assignment = fc.record({
    category: fc.constantFrom(...categories),
    month: fc.constantFrom(...months),
    budgeted: fc.integer({ min: -20_000, max: 20_000 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(assignment, { maxLength: 8 }), async (assignments) => {
      const budget = new Budget(service);
      for (const { category, month, budgeted } of assignments) {
        expect((await assign(budget, category, budgeted, month)).status).toBe(200);
      }
      const movements = await movementsOf(budget);
      expect(movements.every(({ amount }) => amount > 0)).toBe(true);
      for (const name of categories) {
        for (const month of months) {
          const id = budget.category(name);
          const budgeted = budget.ledger.category(id, month)?.budgeted ?? 0;
          expect(sumOf(movements, id, month)).toBe(budgeted);
        }
      }
    }),
    { numRuns: 15 },
  );
});

test('the movements of the demo budgets add up to their budgeted amounts, in one group for each month', () => {
  for (const ledger of demoBudgets({ now: Date.parse('2026-11-21T09:00:00Z'), transactions: 300 })) {
    const movements = ledger.moneyMovements();
    expect(movements.length).toBeGreaterThan(3);
    for (const { month, categories } of ledger.detail().months) {
      for (const { id, budgeted } of categories) expect(sumOf(movements, id, month)).toBe(budgeted);
    }
    const groups = new Map(ledger.moneyMovementGroups().map((group) => [group.id, group]));
    expect(new Set(movements.map(({ month }) => month)).size).toBe(groups.size);
    for (const { money_movement_group_id, month, moved_at } of movements) {
      expect(groups.get(money_movement_group_id ?? '')).toMatchObject({ month, group_created_at: moved_at });
    }
  }
});
