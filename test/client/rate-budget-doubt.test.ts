/** What a rate budget does about requests of which it does not know whether the service has counted them. */
import { describe, expect, it } from 'vitest';
import { BudgetError } from '../../src/errors.ts';
import { fresh, HOUR, MINUTE, SECOND, silent, start, told, tooMany } from './spending.ts';

const lost = new BudgetError('timed_out', 'It failed.');
const unavailable = { status: 503, headers: {} };

describe('probes', () => {
  it('wait one minute after a first 429, and twice as long after each refused probe, up to 16 minutes', async () => {
    const { clock, rateBudget, spend } = fresh();
    const waits = async () => (await rateBudget.status()).nextWriteAt - clock.now();
    await spend(1, 'read', told(1));
    for (const minutes of [1, 2, 4, 8, 16, 16]) {
      await spend(1, 'write', tooMany);
      expect(await waits()).toBe(minutes * MINUTE);
      clock.advance(minutes * MINUTE);
    }
    await spend(1, 'write', told(1));
    await spend(1, 'write', tooMany);
    expect(await waits()).toBe(MINUTE);
  });

  it('are not put off by requests that were let through as usual', async () => {
    const { clock, rateBudget, spend } = fresh({ limit: 10, reserve: 2 });
    await (await rateBudget.take('read')).failed(lost);
    clock.advance(MINUTE - 7 * SECOND);
    await spend(7);
    expect((await rateBudget.status()).nextReadAt).toBe(start + MINUTE);
    await spend(1);
  });

  it('are not put off by an answer that tells a count', async () => {
    const { clock, rateBudget } = fresh({ limit: 2, reserve: 0 });
    const slow = await rateBudget.take('write');
    await (await rateBudget.take('write')).failed(lost);
    clock.advance(30 * SECOND);
    await slow.answered(told(1, 2));
    expect((await rateBudget.status()).nextWriteAt).toBe(start + MINUTE);
  });

  it('that are answered without a count free the place of a doubtful request, not of one that was counted', async () => {
    const { clock, rateBudget, spend } = fresh({ limit: 10, reserve: 0 });
    await (await rateBudget.take('write')).answered(told(9, 10));
    await (await rateBudget.take('write')).failed(lost);
    clock.advance(MINUTE);
    await spend(1, 'write');
    // The eight of others came evenly over the hour before.
    expect(await rateBudget.status()).toMatchObject({ left: 0, nextWriteAt: start + HOUR / 8 });
  });
});

describe('a request of which it is not known whether it was counted', () => {
  it('stays counted when another one is answered without a count', async () => {
    const { rateBudget, spend } = fresh();
    await (await rateBudget.take('read')).failed(lost);
    await spend(1);
    expect(await rateBudget.status()).toMatchObject({ used: 2 });
  });

  it('stays doubtful after a 429, so that a read may find out a minute later', async () => {
    const { clock, rateBudget, spend } = fresh({ limit: 10, reserve: 2 });
    await spend(8, 'read', unavailable);
    await spend(1, 'write', unavailable);
    await spend(1, 'write', tooMany);
    expect((await rateBudget.status()).nextReadAt).toBe(clock.now() + MINUTE);
  });

  it('is no longer doubtful once a later request has told the count', async () => {
    const { clock, rateBudget, spend } = fresh({ limit: 2, reserve: 0 });
    await (await rateBudget.take('write')).failed(lost);
    clock.advance(SECOND);
    await spend(1, 'write', told(2, 2));
    expect((await rateBudget.status()).nextWriteAt).toBe(start + HOUR);
  });
});

describe('a count that the service tells', () => {
  it('is not explained by a request of ours that had come back before the counted one was taken', async () => {
    const { clock, rateBudget } = fresh();
    await (await rateBudget.take('read')).answered(silent);
    clock.advance(HOUR - SECOND);
    await rateBudget.take('read');
    clock.advance(2 * SECOND);
    await (await rateBudget.take('read')).answered(told(3));
    expect(await rateBudget.status()).toMatchObject({ used: 3 });
  });

  it('takes away the oldest of what is presumed, however that became known', async () => {
    const { clock, rateBudget, spend } = fresh();
    await (await rateBudget.take('read')).answered(told(1));
    clock.advance(10 * MINUTE);
    await (await rateBudget.take('read')).failed(lost);
    clock.advance(10 * MINUTE);
    // Three of others, taken to have come after 6 2/3, 13 1/3 and 20 minutes.
    await (await rateBudget.take('read')).answered(told(6));
    clock.advance(SECOND);
    await spend(1, 'read', told(6));
    clock.advance(HOUR - 13 * MINUTE);
    // The first request of our own has come back, and nothing else.
    expect(await rateBudget.status()).toMatchObject({ used: 5 });
  });
});
