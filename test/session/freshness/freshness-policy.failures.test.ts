/** Whether an answer comes from the cache, with a source that responds when the test wants it. */
import { expect, test } from 'vitest';
import { BudgetError } from '../../../src/base/errors.ts';
import { FreshnessPolicy } from '../../../src/session/freshness/freshness-policy.ts';
import { RateBudget } from '../../../src/session/rate-budget/rate-budget.ts';
import { startCache, unavailable } from '../../model/replica/cache-fixture.helper.ts';
import { failureOf } from '../sending.helper.ts';

const spent = new BudgetError('rate_budget_spent', 'None is left.');
const cancelled = new BudgetError('cancelled', 'The call was cancelled.');

function start() {
  const cached = startCache();
  const { cache: replicas, clock, marks, requests } = cached;
  const rateBudget = new RateBudget({ clock });
  const policy = new FreshnessPolicy({ clock, replicas, marks, status: () => ({ shared: true }) });
  const getFresh = async () => policy.getFresh('home', await rateBudget.status());
  /** Waits until the policy has sent its request, and fails it. */
  const failing = async <T>(work: Promise<T>, error: BudgetError) => {
    await new Promise((resolve) => setImmediate(resolve));
    requests.at(-1)?.fail(error);
    return work;
  };
  return { ...cached, policy, getFresh, failing };
}

test('revalidation of a cached budget ignores every failure except a cancellation', async () => {
  const { policy, syncNow, requests, failing } = start();
  await policy.revalidate('home');
  expect(requests).toHaveLength(0);
  await syncNow();
  for (const error of [unavailable, spent]) await failing(policy.revalidate('home'), error);
  expect(await failureOf(failing(policy.revalidate('home'), cancelled))).toBe(cancelled);
  expect(requests).toHaveLength(4);
});

test('a budget that cannot be loaded is left to a specific request, unless no request could be sent', async () => {
  const load = async (error: BudgetError) => {
    const { getFresh, failing } = start();
    return failing(getFresh(), error);
  };
  expect(await load(unavailable)).toBeUndefined();
  expect(await failureOf(load(spent))).toBe(spent);
  expect(await failureOf(load(cancelled))).toBe(cancelled);
});

test('an answer is a cache hit when it is young, or when no request could be sent', async () => {
  const { getFresh, syncNow, clock, failing } = start();
  await syncNow();
  expect(await getFresh()).toMatchObject({ isHit: true });
  clock.advance(60_000);
  expect(await failing(getFresh(), spent)).toMatchObject({ isHit: true });
  expect(await failing(getFresh(), unavailable)).toMatchObject({ isHit: false });
});
