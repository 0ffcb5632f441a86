/** Requests of which the rate budget does not know whether the service has counted them. */
import { describe, expect, it } from 'vitest';
import { BudgetError } from '../../../src/base/errors.ts';
import { fresh, HOUR, MINUTE, SECOND, silent, start, tooMany, withCount } from '../spending.helper.ts';

const lost = new BudgetError('timed_out', 'It failed.');
const unavailable = { status: 503, headers: {} };

describe('probes', () => {
  it('a probe is not delayed by requests that were allowed as usual', async () => {
    const { clock, rateBudget, spend } = fresh({ limit: 10, reserve: 2 });
    await (await rateBudget.take('read')).failed(lost);
    clock.advance(MINUTE - 7 * SECOND);
    await spend(7);
    expect((await rateBudget.status()).nextReadAt).toBe(start + MINUTE);
    await spend(1);
  });

  it('a probe is not delayed by a response with a count', async () => {
    const { clock, rateBudget } = fresh({ limit: 2, reserve: 0 });
    const slow = await rateBudget.take('write');
    await (await rateBudget.take('write')).failed(lost);
    clock.advance(30 * SECOND);
    await slow.answered(withCount(1, 2));
    expect((await rateBudget.status()).nextWriteAt).toBe(start + MINUTE);
  });
});

describe('requests that may have been counted', () => {
  it('a request that has not ended after a minute is uncertain, so that another one may probe', async () => {
    const { clock, rateBudget, refused } = fresh({ limit: 1, reserve: 0 });
    await rateBudget.take('write');
    clock.advance(MINUTE - 1);
    await refused('write');
    clock.advance(1);
    await rateBudget.take('write');
  });

  it('an uncertain request stays counted after the response to another request has no count', async () => {
    const { rateBudget, spend } = fresh();
    await (await rateBudget.take('read')).failed(lost);
    await spend(1);
    expect(await rateBudget.status()).toMatchObject({ used: 2 });
  });

  it('an uncertain request stays uncertain after a 429, so that a read may probe a minute later', async () => {
    const { clock, rateBudget, spend } = fresh({ limit: 10, reserve: 2 });
    await spend(8, 'read', unavailable);
    await spend(1, 'write', unavailable);
    await spend(1, 'write', tooMany);
    expect((await rateBudget.status()).nextReadAt).toBe(clock.now() + MINUTE);
  });

  it('an uncertain request is certain after the response to a later request has a count', async () => {
    const { clock, rateBudget, spend } = fresh({ limit: 2, reserve: 0 });
    await (await rateBudget.take('write')).failed(lost);
    clock.advance(SECOND);
    await spend(1, 'write', withCount(2, 2));
    expect((await rateBudget.status()).nextWriteAt).toBe(start + HOUR);
  });
});

describe('counts of the service', () => {
  it('a count does not include an own request that had returned before the counted request was taken', async () => {
    const { clock, rateBudget } = fresh();
    await (await rateBudget.take('read')).answered(silent);
    clock.advance(HOUR - SECOND);
    await rateBudget.take('read');
    clock.advance(2 * SECOND);
    await (await rateBudget.take('read')).answered(withCount(3));
    expect(await rateBudget.status()).toMatchObject({ used: 3 });
  });

  it('a count does not include an own request whose response was exactly an hour ago', async () => {
    const { clock, rateBudget, spend } = fresh();
    await spend(1);
    clock.advance(HOUR - SECOND);
    await rateBudget.take('read');
    clock.advance(SECOND);
    await (await rateBudget.take('read')).answered(withCount(3));
    expect(await rateBudget.status()).toMatchObject({ used: 3 });
  });

  it('a count need not include an own request that was taken exactly an hour ago', async () => {
    const { clock, rateBudget, spend } = fresh();
    await spend(1);
    await (await rateBudget.take('read')).failed(lost);
    clock.advance(HOUR - 2 * SECOND);
    await spend(1, 'read', withCount(2));
    expect(await rateBudget.status()).toMatchObject({ used: 3 });
  });

  it('a lower count removes the oldest doubtful requests, whatever they were doubtful from', async () => {
    const { clock, rateBudget, spend } = fresh();
    await (await rateBudget.take('read')).answered(withCount(1));
    clock.advance(10 * MINUTE);
    await (await rateBudget.take('read')).failed(lost);
    clock.advance(10 * MINUTE);
    // Three requests of other programs, taken to have been sent after 6 2/3, 13 1/3 and 20 minutes.
    await (await rateBudget.take('read')).answered(withCount(6));
    clock.advance(SECOND);
    await spend(1, 'read', withCount(6));
    clock.advance(HOUR - 13 * MINUTE);
    // Only the first own request has returned.
    expect(await rateBudget.status()).toMatchObject({ used: 5 });
  });
});
