import { describe, expect, it } from 'vitest';
import type { RateBudgetAttempt } from '../../src/client/rate-budget.ts';
import { BudgetError } from '../../src/errors.ts';
import { fresh, HOUR, MINUTE, SECOND, told, tooMany } from './spending.ts';

describe('X-Rate-Limit', () => {
  it('tells what others have spent', async () => {
    const { rateBudget, spend } = fresh();
    await spend(1, 'read', told(101));
    expect(await rateBudget.status()).toMatchObject({ used: 101, left: 99, leftForReads: 79 });
  });

  it('tells the limit, which the operator may change', async () => {
    const { rateBudget, spend } = fresh();
    await spend(1, 'read', told(1, 50));
    expect(await rateBudget.status()).toMatchObject({ limit: 50, left: 49, leftForReads: 29 });
    await spend(1, 'read', told(2, 500));
    expect(await rateBudget.status()).toMatchObject({ limit: 500, left: 498, leftForReads: 478 });
  });

  it.each(['', 'many', '3', '3/0', '-1/200', '1e3/200', '3/200/200'])(
    'is ignored when it says %j',
    async (header) => {
      const { rateBudget, spend } = fresh();
      await spend(1, 'read', { status: 200, headers: { 'x-rate-limit': header } });
      expect(await rateBudget.status()).toMatchObject({ limit: 200, used: 1 });
    },
  );

  it('counts on errors of the service as on any answer', async () => {
    const { rateBudget, spend } = fresh();
    await spend(1, 'read', { ...told(7), status: 404 });
    expect(await rateBudget.status()).toMatchObject({ used: 7 });
  });

  it('does not take our own requests on their way for those of others, in whatever order they are answered', async () => {
    const { clock, rateBudget } = fresh();
    const burst: RateBudgetAttempt[] = [];
    for (let i = 0; i < 8; i += 1) burst.push(await rateBudget.take('read'));
    clock.advance(SECOND);
    for (const [i, count] of [8, 3, 1, 2, 7, 6, 4, 5].entries()) {
      await burst[i]?.answered(told(count));
      expect(await rateBudget.status()).toMatchObject({ used: 8 });
    }
  });

  it('does not take back, from an answer that was long on its way, what a later one has told', async () => {
    const { clock, rateBudget, spend } = fresh();
    const slow = await rateBudget.take('read');
    clock.advance(SECOND);
    await spend(1, 'read', told(42));
    await slow.answered(told(1));
    expect(await rateBudget.status()).toMatchObject({ used: 42 });
  });

  it('may still count a request of ours whose hour ends while the answer is on its way', async () => {
    const { clock, rateBudget, spend } = fresh();
    await spend(1);
    clock.advance(HOUR - SECOND);
    const attempt = await rateBudget.take('read');
    clock.advance(10 * SECOND);
    expect(await rateBudget.status()).toMatchObject({ used: 1 });
    await attempt.answered(told(2));
    expect(await rateBudget.status()).toMatchObject({ used: 1 });
  });

  it('may count no more a request of ours that was taken an hour ago and answered later', async () => {
    const { clock, rateBudget, spend } = fresh();
    const slow = await rateBudget.take('read');
    clock.advance(10 * SECOND);
    await slow.answered(told(1));
    clock.advance(HOUR - MINUTE);
    await spend(1, 'read', told(4));
    clock.advance(MINUTE - 5 * SECOND);
    await (await rateBudget.take('read')).answered(told(4));
    clock.advance(5 * SECOND);
    expect(await rateBudget.status()).toMatchObject({ used: 4 });
  });

  it('settles whether a request whose answer was lost was counted', async () => {
    const { clock, rateBudget, spend } = fresh();
    await (await rateBudget.take('read')).failed(new BudgetError('timed_out', 'It failed.'));
    clock.advance(SECOND);
    await spend(1, 'read', told(1));
    expect(await rateBudget.status()).toMatchObject({ used: 1 });
  });

  it('settles whether an error of something in between was counted', async () => {
    const { clock, rateBudget, spend } = fresh();
    await spend(1, 'read', { status: 502, headers: {} });
    expect(await rateBudget.status()).toMatchObject({ used: 1 });
    clock.advance(SECOND);
    await spend(1, 'read', told(1));
    expect(await rateBudget.status()).toMatchObject({ used: 1 });
  });

  it('leaves those of others to come back evenly over the hour, where it was the first', async () => {
    const { clock, rateBudget, spend } = fresh();
    await spend(1, 'read', told(61));
    clock.advance(MINUTE);
    expect(await rateBudget.status()).toMatchObject({ used: 60 });
    clock.advance(29 * MINUTE);
    expect(await rateBudget.status()).toMatchObject({ used: 31 });
  });

  it('leaves what is new to come back evenly as it came since the one before', async () => {
    const { clock, rateBudget, spend } = fresh();
    await spend(1, 'read', told(1));
    clock.advance(10 * MINUTE - SECOND);
    await spend(1, 'read', told(12));
    clock.advance(HOUR - 5 * MINUTE);
    expect(await rateBudget.status()).toMatchObject({ used: 1 + 5 });
  });

  it('takes away the oldest of others when fewer are left than were presumed', async () => {
    const { clock, rateBudget, spend } = fresh();
    await spend(1, 'read', told(61));
    clock.advance(MINUTE);
    await spend(1, 'read', told(12));
    const { used, allBackAt } = await rateBudget.status();
    expect([used, allBackAt]).toEqual([12, clock.now() + HOUR]);
    clock.advance(HOUR - 6 * MINUTE);
    expect(await rateBudget.status()).toMatchObject({ used: 2 + 5 });
  });
});

describe('a 429', () => {
  it('does not count, and says that the hour is full, whatever was counted', async () => {
    const { rateBudget, spend, refused } = fresh();
    await spend(50);
    await spend(1, 'read', tooMany);
    expect(await rateBudget.status()).toMatchObject({ used: 200, left: 0, leftForReads: 0 });
    expect(await refused('write')).toMatchObject({ code: 'rate_budget_spent' });
  });

  it('lets one request a minute find out whether it is still so, read or write', async () => {
    const { clock, rateBudget, spend, refused } = fresh({ limit: 10, reserve: 2 });
    for (const effect of ['read', 'write'] as const) {
      await spend(1, effect, tooMany);
      const { nextReadAt, nextWriteAt } = await rateBudget.status();
      expect([nextReadAt, nextWriteAt]).toEqual([clock.now() + MINUTE, clock.now() + MINUTE]);
      clock.advance(MINUTE - 1);
      await refused(effect);
      clock.advance(1);
      await spend(1, effect, told(3, 10));
      expect(await rateBudget.status()).toMatchObject({ used: 3, left: 7 });
    }
  });

  it('that a probe meets makes the next one wait twice as long', async () => {
    const { clock, rateBudget, spend } = fresh();
    for (const minutes of [1, 2, 4, 8, 16, 16]) {
      await spend(1, 'write', tooMany);
      const { nextWriteAt, returnsAt } = await rateBudget.status();
      expect(returnsAt).toEqual([]);
      expect(nextWriteAt - clock.now()).toBeLessThanOrEqual(minutes * MINUTE);
      clock.advance(nextWriteAt - clock.now());
    }
  });

  it('lets go of some of what was presumed where a probe is answered without a count', async () => {
    const { clock, rateBudget, spend } = fresh();
    await spend(3, 'read', told(3));
    await spend(1, 'write', tooMany);
    clock.advance(MINUTE);
    expect(await rateBudget.status()).toMatchObject({ left: 0 });
    await spend(1, 'write');
    const { left } = await rateBudget.status();
    expect(left).toBeGreaterThan(15);
    expect(left).toBeLessThan(30);
  });

  it('is not counted twice by an answer that was on its way and says the same', async () => {
    const { rateBudget, spend } = fresh({ limit: 10 });
    const attempt = await rateBudget.take('write');
    await spend(1, 'write', tooMany);
    await attempt.answered(told(10, 10));
    expect(await rateBudget.status()).toMatchObject({ used: 10 });
  });
});

describe('requests of which nobody knows whether they were counted', () => {
  const unavailable = { status: 503, headers: {} };

  it('lock nobody out: a read a minute later finds out, and its answer corrects the count', async () => {
    const { clock, rateBudget, spend, refused } = fresh();
    await spend(180, 'read', unavailable);
    expect(await refused('read')).toMatchObject({ code: 'rate_budget_spent' });
    clock.advance(MINUTE);
    await spend(1, 'read', told(4));
    expect(await rateBudget.status()).toMatchObject({ used: 4, leftForReads: 176 });
  });

  it('are probed by one request at a time, once a minute while the service is away', async () => {
    const { clock, rateBudget, spend, refused } = fresh();
    await spend(180, 'read', unavailable);
    for (let minute = 0; minute < 10; minute += 1) {
      clock.advance(MINUTE);
      const probe = await rateBudget.take('read');
      await refused('read');
      await probe.answered(unavailable);
      await refused('read');
    }
  });

  it('are not probed where the service has told that it counted them', async () => {
    const { clock, rateBudget, spend, refused } = fresh({ limit: 10, reserve: 2 });
    await spend(7, 'read', unavailable);
    clock.advance(SECOND);
    await spend(1, 'read', told(8, 10));
    clock.advance(MINUTE);
    expect((await refused('read')).message).toContain('reserved');
    expect((await rateBudget.status()).nextReadAt).toBeGreaterThan(clock.now() + 50 * MINUTE);
  });
});

describe('a wall clock that is set', () => {
  it.each([
    ['forward', 2 * HOUR],
    ['back', -2 * HOUR],
  ])('%s frees nothing early and holds nothing back longer', async (_, jump) => {
    const { clock, rateBudget, spend, refused } = fresh({ limit: 4, reserve: 1 });
    await spend(3);
    clock.setWallClock(clock.now() + jump);
    const { message } = await refused('read');
    expect(message).toContain(`in 3598 s, at ${new Date(clock.now() + HOUR - 2 * SECOND).toISOString()}`);
    const { nextReadAt } = await rateBudget.status();
    clock.advance(nextReadAt - clock.now());
    await spend(1);
  });
});
