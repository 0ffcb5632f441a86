import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ignoredIn } from '../../src/answers/ignored.ts';
import { fixedTokenProvider } from '../../src/auth/token-provider.ts';
import { BudgetError } from '../../src/base/errors.ts';
import type { PredictedChanges } from '../../src/model/bookkeeping/balance-changes.ts';
import { listAccounts } from '../../src/operations/accounts.ts';
import { listCategories } from '../../src/operations/categories.ts';
import { BudgetClient } from '../../src/session/budget-client.ts';
import { HttpSender } from '../../src/session/http/http-sender.ts';
import { RateBudget } from '../../src/session/rate-budget/rate-budget.ts';
import { callOperation } from '../call-operation.helper.ts';
import { unhurried } from '../manual-clock.helper.ts';
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
  const { baseUrl } = service;
  // The clock stands still, so that a request that is repeated after a lost connection would wait for ever.
  const clock = unhurried(service.clock);
  const token = String(budget.headers['Authorization']).replace('Bearer ', '');
  const clientOf = (cacheBytes: number) =>
    new BudgetClient({
      tokens: fixedTokenProvider({ baseUrl, token }),
      sender,
      clock,
      budget: budget.ledger.id,
      rateBudget: () => new RateBudget({ clock, limit: 1_000_000 }),
      cacheBytes,
    });
  const client = clientOf(cacheBytes);
  const reader = clientOf(0);
  const balances = async () => {
    const { accounts } = (await callOperation(reader, listAccounts, {})).data;
    const { category_groups } = (await callOperation(reader, listCategories, {})).data;
    const categories = category_groups
      .filter(({ name }) => name !== 'Internal Master Category')
      .flatMap(({ categories }) => categories);
    return new Map([...accounts, ...categories].map((each) => [each.id, each]));
  };
  const simulated = ({ operation, input }: PreparedWrite) =>
    client.begin().simulate(operation, operation.input.parse({ budget_id: budget.ledger.id, ...input }));
  /** The data of the response. Undefined if it was refused. */
  const write = async ({ operation, input }: PreparedWrite) => {
    try {
      return (await callOperation(client, operation, operation.input.parse(input))).data;
    } catch (error) {
      if (error instanceof BudgetError && REFUSALS.has(error.code)) return undefined;
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
    const isPayment = 'category_group_name' in each && each.category_group_name === 'Credit Card Payments';
    const isOpen = isPayment || unpredictable.includes(each.name);
    return isOpen && !then.has(each.id) ? [] : [[each.id, then.get(each.id) ?? each.balance] as const];
  });
}

const written = z.object({
  transaction: z.looseObject({}).optional(),
  transactions: z.array(z.looseObject({})).optional(),
});

const rowsOf = z.object({
  transactions: z
    .array(z.object({ id: z.string().optional(), import_id: z.string().optional() }))
    .default([]),
});

/**
 * The fields that the response shows as ignored. Undefined for other writes than those of transactions, for imports,
 * because one that is matched takes fields of the existing transaction, and for several rows about one transaction,
 * because the response has its last state only.
 */
function ignoredByService({ operation, input }: PreparedWrite, data: unknown): readonly string[] | undefined {
  const { transactions: sent } = rowsOf.parse(input);
  const ids = sent.flatMap(({ id }) => id ?? []);
  const isImport = sent.some(({ import_id }) => import_id !== undefined);
  if (!/\/transactions\b/.test(operation.route) || isImport || new Set(ids).size < ids.length)
    return undefined;
  const { transaction, transactions = transaction ? [transaction] : [] } = written.parse(data);
  return ignoredIn(operation, operation.input.parse(input), transactions).ignored;
}

/** The simulated register knows payees by their ids, so a dry run does not predict that a name is ignored. */
const withoutPayeeNames = (paths: readonly string[]) => paths.filter((path) => !path.endsWith('payee_name'));

describe.each([
  ['with a cached budget', 2 ** 24],
  ['without a cached budget', 0],
])('a dry run %s', (_, cacheBytes) => {
  test('the balances after a write and the ignored fields are those that its dry run predicted, and balances that it did not mention stay', async () => {
    const counts = { written: 0, refused: 0, stated: 0, unpredictable: 0, ignored: 0 };
    await fc.assert(
      fc.asyncProperty(randomWrites, async (writes) => {
        const { budget, balances, simulated, write } = start(cacheBytes);
        for (const choices of writes) {
          const next = prepared(budget.ledger, choices);
          const before = await balances();
          const preview = await simulated(next);
          const isOfOtherMonth = String(next.input['month']).startsWith('2025');
          const response = await write(next);
          if (!response) {
            counts.refused += 1;
            continue;
          }
          counts.written += 1;
          counts.stated += preview.balanceChanges.length;
          counts.unpredictable += preview.unpredictable.length;
          expect(preview.problems).toEqual([]);
          const ignored = ignoredByService(next, response);
          if (ignored)
            expect(withoutPayeeNames(preview.ignored ?? []), JSON.stringify(next.input)).toEqual(
              withoutPayeeNames(ignored),
            );
          counts.ignored += ignored?.length ?? 0;
          // A budgeted amount in another month is predicted for that month, whose balances are not compared here.
          if (isOfOtherMonth) continue;
          const after = await balances();
          const expected = predictedBalances(before, preview);
          const actual = expected.map(([id]) => [id, after.get(id)?.balance]);
          expect(actual, JSON.stringify(next.input)).toEqual(expected);
        }
      }),
      // Finding a shorter example can take longer than the time limit of the test.
      { numRuns: Number(process.env['DRY_RUNS'] ?? 50), endOnFailure: true },
    );
    expect(counts.written).toBeGreaterThan(100);
    expect(counts.stated).toBeGreaterThan(100);
    expect(counts.unpredictable).toBeGreaterThan(10);
    expect(counts.ignored).toBeGreaterThan(10);
  });
});
