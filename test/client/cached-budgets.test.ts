/** Whether an answer is taken from the cache, before a source that answers when the test wants it to. */
import { expect, test } from 'vitest';
import { FreshnessPolicy } from '../../src/client/freshness-policy.ts';
import { RollingRateBudget } from '../../src/client/rate-budget.ts';
import { BudgetError } from '../../src/errors.ts';
import { start as startCache, unavailable } from '../replica/holding-cache.ts';
import { failureOf } from './sending.ts';

const spent = new BudgetError('rate_budget_spent', 'None is left.');
const cancelled = new BudgetError('cancelled', 'The call was cancelled.');

function start() {
  const cached = startCache();
  const { cache: replicas, clock, marks, requests } = cached;
  const rateBudget = new RollingRateBudget({ clock });
  const policy = new FreshnessPolicy({ clock, replicas, marks, rateBudget });
  /** Lets the policy come to its request, and has that fail. */
  const failing = async <T>(work: Promise<T>, error: BudgetError) => {
    await new Promise((go) => setImmediate(go));
    requests.at(-1)?.fail(error);
    return work;
  };
  return { ...cached, policy, failing };
}

test('A budget is brought up to date as far as that can be done; only who cancels is told', async () => {
  const { policy, synced, requests, failing } = start();
  await policy.revalidate('home');
  expect(requests).toHaveLength(0);
  await synced();
  for (const error of [unavailable, spent]) await failing(policy.revalidate('home'), error);
  expect(await failureOf(failing(policy.revalidate('home'), cancelled))).toBe(cancelled);
  expect(requests).toHaveLength(4);
});

test('A budget that cannot be loaded is asked specifically, unless that could not be asked either', async () => {
  const load = async (error: BudgetError) => {
    const { policy, failing } = start();
    expect(await policy.getFresh('home')).toBeUndefined();
    return failing(policy.getFresh('home'), error);
  };
  expect(await load(unavailable)).toBeUndefined();
  expect(await failureOf(load(spent))).toBe(spent);
  expect(await failureOf(load(cancelled))).toBe(cancelled);
});

test('An answer cost no request where it is young, or where none could be sent', async () => {
  const { policy, synced, clock, failing } = start();
  await synced();
  expect(await policy.getFresh('home')).toMatchObject({ isHit: true });
  clock.advance(60_000);
  expect(await failing(policy.getFresh('home'), spent)).toMatchObject({ isHit: true });
  expect(await failing(policy.getFresh('home'), unavailable)).toMatchObject({ isHit: false });
});
