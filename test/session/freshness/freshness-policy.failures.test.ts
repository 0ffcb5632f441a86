/** Whether an answer comes from the cache, with a source that responds when the test wants it. */
import { expect, test } from 'vitest';
import { momentOf, yieldTurn } from '../../../src/base/clock.ts';
import { BudgetError } from '../../../src/base/errors.ts';
import { FreshnessPolicy } from '../../../src/session/freshness/freshness-policy.ts';
import { RateBudget } from '../../../src/session/rate-budget/rate-budget.ts';
import type { StateStatus } from '../../../src/store/shared-stores.ts';
import { payeesOf, startCache, unavailable } from '../../model/replica/cache-fixture.helper.ts';
import { failureOf } from '../sending.helper.ts';

const spent = new BudgetError('rate_budget_spent', 'None is left.');
const cancelled = new BudgetError('cancelled', 'The call was cancelled.');
const signedOut = new BudgetError('sign_in_changed', 'Another user has signed in.');
const rejected = new BudgetError('not_authorized', 'The token is not valid.');

function start(status: StateStatus = { shared: true }) {
  const cached = startCache();
  const { cache: replicas, clock, marks, requests } = cached;
  const rateBudget = new RateBudget({ clock });
  const policy = new FreshnessPolicy({ clock, replicas, marks, status: () => status });
  const getFresh = async () => policy.getFresh('home', await rateBudget.status());
  /** Waits until the policy has sent its request, and fails it. */
  const failing = async <T>(work: Promise<T>, error: BudgetError) => {
    await new Promise((resolve) => setImmediate(resolve));
    requests.at(-1)?.fail(error);
    return work;
  };
  return { ...cached, policy, getFresh, failing };
}

test('revalidation of a cached budget ignores every failure except a cancellation and a change of the user', async () => {
  const { policy, syncNow, requests, failing } = start();
  await policy.revalidate('home');
  expect(requests).toHaveLength(0);
  await syncNow();
  for (const error of [unavailable, spent]) await failing(policy.revalidate('home'), error);
  for (const error of [cancelled, signedOut])
    expect(await failureOf(failing(policy.revalidate('home'), error))).toBe(error);
  expect(requests).toHaveLength(5);
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

test('a budget in which a name was not found is synced if it was not read since, and then not for ten seconds', async () => {
  const { policy, syncNow, clock, requests, addPayee } = start();
  const search = async (answer = true) => {
    const found = policy.searchAgain('home', momentOf(clock));
    if (answer) await requests.at(-1)?.respond();
    return found;
  };
  expect(await search(false)).toBeUndefined();
  await syncNow();
  clock.advance(1);
  addPayee('Florist');
  const found = await search();
  expect(found && payeesOf(found)).toContain('Florist');
  expect(requests).toHaveLength(2);
  clock.advance(9_999);
  expect(await search(false)).toBeUndefined();
  expect(requests).toHaveLength(2);
  clock.advance(1);
  expect(await search()).toBeDefined();
  expect(requests).toHaveLength(3);
});

test('a read since a name was asked for counts as the search for it', async () => {
  const { policy, syncNow, clock, requests } = start();
  const since = momentOf(clock);
  await syncNow();
  expect(await policy.searchAgain('home', since)).toBeUndefined();
  clock.advance(9_999);
  expect(await policy.searchAgain('home', momentOf(clock))).toBeUndefined();
  expect(requests).toHaveLength(1);
});

test('a search that cannot reach the service has the cached budget and says why, and another failure is thrown', async () => {
  const { policy, syncNow, clock, failing } = start();
  await syncNow();
  clock.advance(20_000);
  const found = await failing(policy.searchAgain('home', momentOf(clock)), unavailable);
  expect(found?.staleReason).toContain(unavailable.message);
  clock.advance(20_000);
  const failure = failureOf(failing(policy.searchAgain('home', momentOf(clock)), rejected));
  expect(await failure).toBe(rejected);
});

test('after the state has failed, a budget is fresh only in the moment it was read', async () => {
  const { getFresh, syncNow, clock, requests } = start({ shared: false, hasFailed: true });
  await syncNow();
  expect(await getFresh()).toMatchObject({ isHit: true });
  clock.advance(1);
  const asked = getFresh();
  await yieldTurn();
  expect(requests).toHaveLength(2);
  await requests[1]?.respond();
  const budget = await asked;
  expect([budget?.asOf.wall, budget?.isHit]).toEqual([clock.now(), undefined]);
});
