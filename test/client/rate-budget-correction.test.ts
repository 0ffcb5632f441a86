import { describe, expect, it } from 'vitest';
import type { Attempt } from '../../src/client/rate-budget.ts';
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
    const burst: Attempt[] = [];
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

  it('lets writes go on with the next that comes back, and reads with the first beyond the reserve', async () => {
    const { clock, rateBudget, spend, refused } = fresh({ limit: 10, reserve: 2 });
    await spend(1, 'write', tooMany);
    clock.advance((await rateBudget.status()).nextWriteAt - clock.now());
    expect(await rateBudget.status()).toMatchObject({ used: 9 });
    await refused('read');
    clock.advance((await rateBudget.status()).nextReadAt - clock.now());
    expect(await rateBudget.status()).toMatchObject({ used: 7, leftForReads: 1 });
  });

  it('is not counted twice by an answer that was on its way and says the same', async () => {
    const { rateBudget, spend } = fresh({ limit: 10 });
    const attempt = await rateBudget.take('write');
    await spend(1, 'write', tooMany);
    await attempt.answered(told(10, 10));
    expect(await rateBudget.status()).toMatchObject({ used: 10 });
  });
});
