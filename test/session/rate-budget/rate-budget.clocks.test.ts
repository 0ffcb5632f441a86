/** The time of the rate ledger when a clock jumps or stops, or the machine is restarted. */
import { describe, expect, it, test } from 'vitest';
import type { RateBudget } from '../../../src/session/rate-budget/rate-budget.ts';
import { startMachine } from '../asking-processes.helper.ts';
import { HOUR, MINUTE, silent } from '../spending.helper.ts';

async function use(rateBudget: RateBudget, count: number) {
  for (let sent = 0; sent < count; sent += 1) await (await rateBudget.take('write')).answered(silent);
}

const usedOf = async (rateBudget: RateBudget) => (await rateBudget.status()).used;

describe('a wall clock that is set', () => {
  it('a wall clock that is set forward by hours frees nothing early, for no process', async () => {
    const { clock, startProcess } = startMachine();
    const [one, other] = [startProcess(), startProcess()];
    await use(one.rateBudget, 3);
    clock.advance(HOUR / 2);
    clock.setWallClock(clock.now() + 5 * HOUR);
    expect(await usedOf(other.rateBudget)).toBe(3);
    await use(other.rateBudget, 1);
    clock.advance(HOUR / 2 - 1);
    expect(await usedOf(one.rateBudget)).toBe(4);
    clock.advance(1);
    expect(await usedOf(one.rateBudget)).toBe(1);
  });

  it('a wall clock that is set back by hours frees nothing early, and nothing later than an hour after the next request', async () => {
    const { clock, startProcess } = startMachine();
    const [one, other] = [startProcess(), startProcess()];
    await use(one.rateBudget, 3);
    clock.advance(HOUR / 2);
    clock.setWallClock(clock.now() - 5 * HOUR);
    expect(await usedOf(other.rateBudget)).toBe(3);
    await use(other.rateBudget, 1);
    clock.advance(HOUR / 2);
    expect(await usedOf(one.rateBudget)).toBe(4);
    clock.advance(HOUR / 2);
    expect(await usedOf(one.rateBudget)).toBe(0);
  });
});

describe('a machine that sleeps', () => {
  it('requests come back late if the monotonic clock stands still meanwhile, and not early', async () => {
    const { clock, startProcess } = startMachine();
    const { rateBudget } = startProcess();
    await use(rateBudget, 3);
    clock.setWallClock(clock.now() + 8 * HOUR);
    expect(await usedOf(rateBudget)).toBe(3);
    clock.advance(HOUR - 1);
    expect(await usedOf(rateBudget)).toBe(3);
    clock.advance(1);
    expect(await usedOf(rateBudget)).toBe(0);
  });
});

test('after a restart of the machine the time passes that its wall clock shows', async () => {
  const before = startMachine();
  before.clock.advance(3 * HOUR);
  const { rateBudget } = before.startProcess();
  await use(rateBudget, 3);
  await rateBudget.settled();
  const after = startMachine(before.memory, before.clock.now() + 50 * MINUTE);
  const other = after.startProcess().rateBudget;
  expect(await usedOf(other)).toBe(3);
  await use(other, 1);
  after.clock.advance(10 * MINUTE);
  expect(await usedOf(other)).toBe(1);
});
