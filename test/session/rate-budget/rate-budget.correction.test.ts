import { describe, expect, it, test } from 'vitest';
import { BudgetError } from '../../../src/base/errors.ts';
import type { RateBudgetAttempt } from '../../../src/session/rate-budget/rate-budget.ts';
import { fresh, HOUR, MINUTE, SECOND, silent, tooMany, withCount } from '../spending.helper.ts';

describe('X-Rate-Limit', () => {
  it('X-Rate-Limit shows the requests of others', async () => {
    const { rateBudget, spend } = fresh();
    await spend(1, 'read', withCount(101));
    expect(await rateBudget.status()).toMatchObject({ used: 101, left: 99, leftForReads: 79 });
  });

  it('X-Rate-Limit sets the limit, which the operator may change', async () => {
    const { rateBudget, spend } = fresh();
    await spend(1, 'read', withCount(1, 50));
    expect(await rateBudget.status()).toMatchObject({ limit: 50, left: 49, leftForReads: 29 });
    await spend(1, 'read', withCount(2, 500));
    expect(await rateBudget.status()).toMatchObject({ limit: 500, left: 498, leftForReads: 478 });
  });

  it('of a limit above 1,000, the last 1,000 requests are used', async () => {
    const { clock, rateBudget, spend } = fresh();
    for (const count of [7, 8]) await spend(1, 'read', withCount(count, 100_000));
    expect(await rateBudget.status()).toMatchObject({ limit: 1_000, used: 2, left: 998 });
    await spend(1, 'read', withCount(99_990, 100_000));
    expect(await rateBudget.status()).toMatchObject({ used: 990, left: 10 });
    clock.advance(HOUR);
    await spend(1, 'read', withCount(3, 100));
    expect(await rateBudget.status()).toMatchObject({ limit: 100, used: 3, left: 97 });
  });

  it.each([
    ['1/1', 1],
    ['0/999999999999999', 1_000],
    ['999999999999999/1', 1],
    ['999999999999999/999999999999999', 1_000],
    ['999999999999999/200', 200],
  ])('the absurd value %s neither breaks the ledger nor makes it large', async (header, limit) => {
    const { clock, rateBudget, spend } = fresh();
    await spend(1, 'read', { status: 200, headers: { 'x-rate-limit': header } });
    const { used, left, returnsAt, allBackAt } = await rateBudget.status();
    expect(used).toBeLessThanOrEqual(1_001);
    expect(left).toBe(Math.max(limit - used, 0));
    expect(returnsAt.length).toBeLessThanOrEqual(1);
    expect(allBackAt).toBeLessThanOrEqual(clock.now() + HOUR);
    clock.advance(HOUR);
    await spend(1, 'read', withCount(1));
    expect(await rateBudget.status()).toMatchObject({ limit: 200, used: 1, left: 199 });
  });

  it('a 429 of a service with an absurd limit fills no more than 1,000 places', async () => {
    const { rateBudget, spend } = fresh();
    await spend(1, 'read', withCount(0, 999_999_999_999_999));
    await spend(1, 'read', tooMany);
    expect(await rateBudget.status()).toMatchObject({ limit: 1_000, used: 1_000, left: 0 });
  });

  it.each(['', 'many', '3', '3/0', '-1/200', '1e3/200', '3/200/200'])(
    'X-Rate-Limit is ignored if it is %j',
    async (header) => {
      const { rateBudget, spend } = fresh();
      await spend(1, 'read', { status: 200, headers: { 'x-rate-limit': header } });
      expect(await rateBudget.status()).toMatchObject({ limit: 200, used: 1 });
    },
  );

  it('X-Rate-Limit of an error response counts like that of any response', async () => {
    const { rateBudget, spend } = fresh();
    await spend(1, 'read', { ...withCount(7), status: 404 });
    expect(await rateBudget.status()).toMatchObject({ used: 7 });
  });

  it('X-Rate-Limit does not count requests in progress as those of others, in whatever order their responses arrive', async () => {
    const { clock, rateBudget } = fresh();
    const burst: RateBudgetAttempt[] = [];
    for (let i = 0; i < 8; i += 1) burst.push(await rateBudget.take('read'));
    clock.advance(SECOND);
    for (const [i, count] of [8, 3, 1, 2, 7, 6, 4, 5].entries()) {
      await burst[i]?.answered(withCount(count));
      expect(await rateBudget.status()).toMatchObject({ used: 8 });
    }
  });

  it('X-Rate-Limit of a slow response does not undo what a later response has shown', async () => {
    const { clock, rateBudget, spend } = fresh();
    const slow = await rateBudget.take('read');
    clock.advance(SECOND);
    await spend(1, 'read', withCount(42));
    await slow.answered(withCount(1));
    expect(await rateBudget.status()).toMatchObject({ used: 42 });
  });

  it('X-Rate-Limit may still count a request whose hour ends while the response is in progress', async () => {
    const { clock, rateBudget, spend } = fresh();
    await spend(1);
    clock.advance(HOUR - SECOND);
    const attempt = await rateBudget.take('read');
    clock.advance(10 * SECOND);
    expect(await rateBudget.status()).toMatchObject({ used: 1 });
    await attempt.answered(withCount(2));
    expect(await rateBudget.status()).toMatchObject({ used: 1 });
  });

  it('X-Rate-Limit may not count a request any more that was taken an hour ago and got its response later', async () => {
    const { clock, rateBudget, spend } = fresh();
    const slow = await rateBudget.take('read');
    clock.advance(10 * SECOND);
    await slow.answered(withCount(1));
    clock.advance(HOUR - MINUTE);
    await spend(1, 'read', withCount(4));
    clock.advance(MINUTE - 5 * SECOND);
    await (await rateBudget.take('read')).answered(withCount(4));
    clock.advance(5 * SECOND);
    expect(await rateBudget.status()).toMatchObject({ used: 4 });
  });

  it('X-Rate-Limit shows whether a request whose response was lost was counted', async () => {
    const { clock, rateBudget, spend } = fresh();
    await (await rateBudget.take('read')).failed(new BudgetError('timed_out', 'It failed.'));
    clock.advance(SECOND);
    await spend(1, 'read', withCount(1));
    expect(await rateBudget.status()).toMatchObject({ used: 1 });
  });

  it('X-Rate-Limit of a later request may count an own one that had returned before it was taken', async () => {
    const { clock, rateBudget } = fresh();
    await (await rateBudget.take('read')).answered(silent);
    clock.advance(HOUR - SECOND);
    await rateBudget.take('read');
    clock.advance(2 * SECOND);
    await (await rateBudget.take('read')).answered(withCount(3));
    expect(await rateBudget.status()).toMatchObject({ used: 3 });
  });

  it('requests of others in the first X-Rate-Limit become free evenly over the hour', async () => {
    const { clock, rateBudget, spend } = fresh();
    await spend(1, 'read', withCount(61));
    clock.advance(MINUTE);
    expect(await rateBudget.status()).toMatchObject({ used: 60 });
    clock.advance(29 * MINUTE);
    expect(await rateBudget.status()).toMatchObject({ used: 31 });
  });

  it('new requests of others in a later X-Rate-Limit become free evenly since the response before', async () => {
    const { clock, rateBudget, spend } = fresh();
    await spend(1, 'read', withCount(1));
    clock.advance(10 * MINUTE - SECOND);
    await spend(1, 'read', withCount(12));
    clock.advance(HOUR - 5 * MINUTE);
    expect(await rateBudget.status()).toMatchObject({ used: 1 + 5 });
  });

  it('X-Rate-Limit removes the oldest requests of others if it is lower than they explain', async () => {
    const { clock, rateBudget, spend } = fresh();
    await spend(1, 'read', withCount(61));
    clock.advance(MINUTE);
    await spend(1, 'read', withCount(12));
    const { used, allBackAt } = await rateBudget.status();
    expect([used, allBackAt]).toEqual([12, clock.now() + HOUR]);
    clock.advance(HOUR - 6 * MINUTE);
    expect(await rateBudget.status()).toMatchObject({ used: 2 + 5 });
  });
});

describe('a 429', () => {
  it('a 429 does not count, and shows that the limit is reached, whatever was counted', async () => {
    const { rateBudget, spend, refused } = fresh();
    await spend(50);
    await spend(1, 'read', tooMany);
    expect(await rateBudget.status()).toMatchObject({ used: 200, left: 0, leftForReads: 0 });
    expect(await refused('write')).toMatchObject({ code: 'rate_budget_spent' });
  });

  it('after a 429 one request per minute, read or write, is tried', async () => {
    const { clock, rateBudget, spend, refused } = fresh({ limit: 10, reserve: 2 });
    for (const effect of ['read', 'write'] as const) {
      await spend(1, effect, tooMany);
      const { nextReadAt, nextWriteAt } = await rateBudget.status();
      expect([nextReadAt, nextWriteAt]).toEqual([clock.now() + MINUTE, clock.now() + MINUTE]);
      clock.advance(MINUTE - 1);
      await refused(effect);
      clock.advance(1);
      await spend(1, effect, withCount(3, 10));
      expect(await rateBudget.status()).toMatchObject({ used: 3, left: 7 });
    }
  });

  it('a 429 is not counted twice by a response in progress that shows the same', async () => {
    const { rateBudget, spend } = fresh({ limit: 10 });
    const attempt = await rateBudget.take('write');
    await spend(1, 'write', tooMany);
    await attempt.answered(withCount(10, 10));
    expect(await rateBudget.status()).toMatchObject({ used: 10 });
  });
});

test.each([500, 502, 503])(
  'an answer with status %i and without a count is of a request that was not counted',
  async (status) => {
    const { rateBudget, spend } = fresh();
    await spend(180, 'read', { status, headers: {} });
    expect(await rateBudget.status()).toMatchObject({ used: 0, leftForReads: 180 });
  },
);

test('a request whose response was lost counts for an hour, or until a later response has a lower count', async () => {
  const { clock, rateBudget, refused } = fresh({ limit: 2, reserve: 0 });
  for (let sent = 0; sent < 2; sent += 1)
    await (await rateBudget.take('write')).failed(new BudgetError('timed_out', 'It failed.'));
  clock.advance(HOUR - 1);
  await refused('write');
  clock.advance(1);
  await rateBudget.take('write');
});
