/** The time of the rate ledger when a clock jumps or stops, or the machine is restarted. */
import { describe, expect, it } from 'vitest';
import type { RateBudget } from '../../../src/session/rate-budget/rate-budget.ts';
import { startMachine, takeIfAllowed } from '../asking-processes.helper.ts';
import { HOUR, MINUTE, SECOND, silent, withCount } from '../spending.helper.ts';

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

describe('a machine that is restarted', () => {
  /** All reads are used. The machine then runs for `runs` again, `off` after it was last used. */
  async function restart({ off, runs }: { off: number; runs: number }) {
    const before = startMachine();
    before.clock.advance(3 * HOUR);
    const { rateBudget } = before.startProcess();
    await use(rateBudget, 180);
    await rateBudget.settled();
    const machine = startMachine(before.memory, before.clock.now() + off - runs);
    machine.clock.advance(runs);
    return { clock: machine.clock, ...machine.startProcess() };
  }

  it('after a restart the requests count on, and one probe at once corrects the count', async () => {
    const { clock, rateBudget } = await restart({ off: 10 * MINUTE, runs: 2 * MINUTE });
    expect(await rateBudget.status()).toMatchObject({
      used: 180,
      nextReadAt: clock.now(),
    });
    const probe = await rateBudget.take('read');
    expect(await takeIfAllowed(rateBudget, 'read')).toBeUndefined();
    clock.advance(SECOND);
    await probe.answered(withCount(61));
    expect(await rateBudget.status()).toMatchObject({ used: 61, leftForReads: 119 });
  });

  it('after a restart the time since the start of the machine has surely passed', async () => {
    const { clock, rateBudget } = await restart({ off: 59 * MINUTE, runs: 20 * MINUTE });
    await use(rateBudget, 1);
    clock.advance(40 * MINUTE - 1);
    expect(await usedOf(rateBudget)).toBe(181);
    clock.advance(1);
    expect(await usedOf(rateBudget)).toBe(1);
  });

  it('after a restart with a wall clock that was set back no time has surely passed', async () => {
    const { clock, rateBudget } = await restart({ off: -HOUR, runs: 20 * MINUTE });
    await use(rateBudget, 1);
    clock.advance(HOUR - 1);
    expect(await usedOf(rateBudget)).toBe(181);
    clock.advance(1);
    expect(await usedOf(rateBudget)).toBe(0);
  });

  it('a request that was in progress at the restart is over, and may have been counted', async () => {
    const before = startMachine();
    before.clock.advance(HOUR);
    await before.startProcess().rateBudget.take('read');
    const { clock, startProcess } = startMachine(before.memory, before.clock.now() + MINUTE);
    const { rateBudget } = startProcess();
    clock.advance(30 * SECOND);
    const attempt = await rateBudget.take('read');
    expect(await rateBudget.status()).toMatchObject({ used: 2 });
    clock.advance(SECOND);
    await attempt.answered(withCount(1));
    expect(await rateBudget.status()).toMatchObject({ used: 1 });
  });
});
