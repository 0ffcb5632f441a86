import { describe, expect, it, vi } from 'vitest';
import { BudgetError, type ErrorCode } from '../../../src/base/errors.ts';
import { RateBudget } from '../../../src/session/rate-budget/rate-budget.ts';
import { MemoryStore } from '../../../src/store/memory-store.ts';
import { collectGarbage } from '../../collect-garbage.helper.ts';
import { ManualClock } from '../../manual-clock.helper.ts';
import { fresh, HOUR, SECOND, silent, start, withCount } from '../spending.helper.ts';

describe('a rate budget that never gets a count', () => {
  it('a rate budget allows 200 requests per hour, of which 20 are reserved for writes', async () => {
    const { rateBudget } = fresh();
    expect(await rateBudget.status()).toEqual({
      limit: 200,
      used: 0,
      left: 200,
      leftForReads: 180,
      nextReadAt: start,
      nextWriteAt: start,
      allBackAt: start,
      returnsAt: [],
    });
  });

  it('a rate budget refuses a read when only the reserve is left, and a write only when nothing is left', async () => {
    const { spend, refused } = fresh({ limit: 5, reserve: 2 });
    await spend(3);
    expect(await refused('read')).toMatchObject({ code: 'rate_budget_spent' });
    await spend(2, 'write');
    expect(await refused('write')).toMatchObject({ code: 'rate_budget_spent' });
  });

  it('a rate budget says when the next request is free, and it is then free', async () => {
    const { clock, rateBudget, spend, refused } = fresh({ limit: 3, reserve: 1 });
    await spend(2);
    expect((await refused('read')).message).toBe(
      'The remaining requests are reserved for writes. The next request is free in 3599 s, at 2026-11-21T13:00:01.000Z.',
    );
    await spend(1, 'write');
    const { nextReadAt, nextWriteAt, allBackAt } = await rateBudget.status();
    expect([nextReadAt, nextWriteAt, allBackAt]).toEqual([2, 1, 3].map((s) => start + HOUR + s * SECOND));
    clock.advance(nextWriteAt - clock.now() - 1);
    expect((await refused('write')).message).toContain('used up');
    clock.advance(1);
    await spend(1, 'write');
  });

  it('a rate budget always has a next free read, also if the limit is not larger than the reserve', async () => {
    const { spend, refused } = fresh({ limit: 10 });
    await spend(5);
    expect(await refused('read')).toMatchObject({ code: 'rate_budget_spent' });
    await spend(5, 'write');
  });

  it('a rate budget counts a request from when it is taken until an hour after its response', async () => {
    const { clock, rateBudget } = fresh();
    const attempt = await rateBudget.take('read');
    expect(await rateBudget.status()).toMatchObject({ used: 1, left: 199 });
    clock.advance(30 * SECOND);
    await attempt.answered(silent);
    clock.advance(HOUR - 1);
    expect(await rateBudget.status()).toMatchObject({ used: 1 });
    clock.advance(1);
    expect(await rateBudget.status()).toMatchObject({ used: 0 });
  });

  it('a request is free exactly an hour after its response, also while another one is in progress', async () => {
    const { clock, rateBudget, spend } = fresh();
    await spend(1);
    clock.advance(HOUR - SECOND);
    await rateBudget.take('read');
    clock.advance(SECOND);
    expect(await rateBudget.status()).toMatchObject({ used: 1, returnsAt: [clock.now() + HOUR] });
  });

  const notSent: ErrorCode[] = ['unreachable', 'not_signed_in', 'invalid_input'];
  it.each(notSent)(
    'a rate budget does not count a request that never reached the service: %s',
    async (code) => {
      const { rateBudget } = fresh();
      await (await rateBudget.take('read')).failed(new BudgetError(code, 'It failed.'));
      expect(await rateBudget.status()).toMatchObject({ used: 0 });
    },
  );

  const perhapsSeen: ErrorCode[] = ['timed_out', 'connection_lost', 'cancelled', 'unexpected_response'];
  it.each(perhapsSeen)(
    'a rate budget counts a request that the service may have received: %s',
    async (code) => {
      const { clock, rateBudget } = fresh();
      await (await rateBudget.take('read')).failed(new BudgetError(code, 'It failed.'));
      expect(await rateBudget.status()).toMatchObject({ used: 1 });
      clock.advance(HOUR);
      expect(await rateBudget.status()).toMatchObject({ used: 0 });
    },
  );

  it('an attempt that is never settled expires', async () => {
    const { clock, rateBudget } = fresh();
    await rateBudget.take('read');
    clock.advance(2 * HOUR);
    expect(await rateBudget.status()).toMatchObject({ used: 0, returnsAt: [] });
  });
});

describe('the times when requests of this process become free', () => {
  it('the times when requests of this process become free are ascending, without requests of others', async () => {
    const { clock, rateBudget } = fresh();
    const first = await rateBudget.take('read');
    clock.advance(SECOND);
    await (await rateBudget.take('write')).answered(withCount(30));
    clock.advance(SECOND);
    await first.answered(silent);
    const { used, returnsAt } = await rateBudget.status();
    expect(used).toBe(30);
    expect(returnsAt).toEqual([start + HOUR + SECOND, start + HOUR + 2 * SECOND]);
  });
});

it('a rate budget keeps no body of a response that is settled later', async () => {
  const clock = new ManualClock(start);
  const store = new MemoryStore(clock);
  const rateBudget = new RateBudget({ clock, store });
  const update = vi.spyOn(store, 'update');
  const attempt = await rateBudget.take('read');
  const answer = async () => {
    const body = Buffer.alloc(1_000);
    await attempt.answered(Object.assign(withCount(1), { body }));
    return new WeakRef(body);
  };
  const body = await answer();
  await collectGarbage();
  expect(body.deref()).toBeUndefined();
  // Only taken so far.
  expect(update).toHaveBeenCalledOnce();
});
