import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fixedTokenProvider } from '../../src/auth/token-provider.ts';
import { BudgetClient } from '../../src/client/budget-client.ts';
import { HttpSender } from '../../src/client/http-sender.ts';
import { RollingRateBudget } from '../../src/client/rate-budget.ts';
import { BudgetError } from '../../src/errors.ts';
import { listAccounts } from '../../src/operations/accounts.ts';
import { listCategories } from '../../src/operations/categories.ts';
import { INTERNAL_GROUP, PAYMENT_GROUP } from '../../src/schema/category.ts';
import type { PredictedChanges } from '../../src/writes/balance-changes.ts';
import { Budget, startWritingService, type WritingService } from '../service/writes/writing.helper.ts';
import { type PreparedWrite, prepared, randomWrites } from './random-dry-runs.helper.ts';

let service: WritingService;
let sender: HttpSender;
beforeAll(async () => {
  service = await startWritingService();
  sender = new HttpSender({ clock: service.clock });
});
afterAll(async () => {
  await sender.close();
  await service.close();
});

const REFUSALS = new Set(['bad_request', 'conflict', 'resource_not_found']);

/** A new budget, the tested client, and another client that reads all balances without a cache. */
function start(cacheBytes: number) {
  const budget = new Budget(service);
  const { clock, baseUrl } = service;
  const token = String(budget.headers['Authorization']).replace('Bearer ', '');
  const clientOf = (cacheBytes: number) =>
    new BudgetClient({
      tokens: fixedTokenProvider({ baseUrl, token }),
      sender,
      clock,
      budget: budget.ledger.id,
      rateBudget: () => new RollingRateBudget({ clock, limit: 1_000_000 }),
      cacheBytes,
    });
  const client = clientOf(cacheBytes);
  const reader = clientOf(0);
  const balances = async () => {
    const { accounts } = (await reader.call(listAccounts, {})).data;
    const { category_groups } = (await reader.call(listCategories, {})).data;
    const categories = category_groups
      .filter(({ name }) => name !== INTERNAL_GROUP)
      .flatMap(({ categories }) => categories);
    return new Map([...accounts, ...categories].map((each) => [each.id, each]));
  };
  const simulated = ({ operation, input }: PreparedWrite) =>
    client.begin().simulate(operation, operation.input.parse({ budget_id: budget.ledger.id, ...input }));
  /** Whether it was written or refused. */
  const write = async ({ operation, input }: PreparedWrite) => {
    try {
      await client.call(operation, operation.input.parse(input));
      return true;
    } catch (error) {
      if (error instanceof BudgetError && REFUSALS.has(error.code)) return false;
      throw error;
    }
  };
  return { budget, balances, simulated, write };
}

type Balances = Awaited<ReturnType<ReturnType<typeof start>['balances']>>;

/**
 * The balances after the simulated write, by id. A balance that it does not mention stays. Without the balances that it
 * names as not predictable, and without those of credit card payments, which it does not predict.
 */
function predictedBalances(before: Balances, { balanceChanges, unpredictable }: PredictedChanges) {
  const then = new Map(balanceChanges.map(({ id, balanceAfter }) => [id, balanceAfter]));
  return [...before.values()].flatMap((each) => {
    const isPayment = 'category_group_name' in each && each.category_group_name === PAYMENT_GROUP;
    const isOpen = isPayment || unpredictable.includes(each.name);
    return isOpen && !then.has(each.id) ? [] : [[each.id, then.get(each.id) ?? each.balance] as const];
  });
}

describe.each([
  ['with a cached budget', 2 ** 24],
  ['without a cached budget', 0],
])('a dry run %s', (_, cacheBytes) => {
  test('the balances after a write are those that its dry run predicted, and balances that it did not mention stay', async () => {
    const counts = { written: 0, refused: 0, stated: 0, unpredictable: 0 };
    await fc.assert(
      fc.asyncProperty(randomWrites, async (writes) => {
        const { budget, balances, simulated, write } = start(cacheBytes);
        for (const choices of writes) {
          const next = prepared(budget.ledger, choices);
          const before = await balances();
          const preview = await simulated(next);
          const isOfOtherMonth = String(next.input['month']).startsWith('2025');
          if (!(await write(next))) {
            counts.refused += 1;
            continue;
          }
          counts.written += 1;
          counts.stated += preview.balanceChanges.length;
          counts.unpredictable += preview.unpredictable.length;
          expect(preview.problems).toEqual([]);
          // A budgeted amount in another month is predicted for that month, whose balances are not compared here.
          if (isOfOtherMonth) continue;
          const after = await balances();
          const expected = predictedBalances(before, preview);
          const actual = expected.map(([id]) => [id, after.get(id)?.balance]);
          expect(actual, JSON.stringify(next.input)).toEqual(expected);
        }
      }),
      { numRuns: Number(process.env['DRY_RUNS'] ?? 100) },
    );
    expect(counts.written).toBeGreaterThan(100);
    expect(counts.stated).toBeGreaterThan(100);
    expect(counts.unpredictable).toBeGreaterThan(10);
  });
});
