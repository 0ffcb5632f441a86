/**
 * Replaces the machine's clock in a program by that of a test, which several programs share. It is loaded before the
 * program's own files (`node --import`) and replaces only the functions that src/base/clock.ts uses.
 *
 * The clock is a file with the wall clock and the monotonic clock as two numbers, which only the test changes. So all
 * programs see the same time at every moment.
 */
import { openSync, readSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { ManualClock } from '../manual-clock.helper.ts';

/** How often a program looks whether a timer is due, in real milliseconds. */
const LOOK_MS = 3;

const file = openSync(process.env['CLOCK_FILE'] ?? '', 'r');
const times = new Float64Array(2);

function read(): { readonly wall: number; readonly monotonic: number } {
  readSync(file, times, 0, times.byteLength, 0);
  const [wall = 0, monotonic = 0] = times;
  return { wall, monotonic };
}

/** Only for the timers. */
const clock = new ManualClock(0);
const start = read().monotonic;
const catchUp = () => clock.advance(read().monotonic - start - clock.monotonic());
setInterval(() => clock.nextWakeIn !== undefined && catchUp(), LOOK_MS).unref();

Object.assign(Date, { now: () => read().wall });
Object.assign(process.hrtime, { bigint: () => BigInt(Math.round(read().monotonic * 1e6)) });
Object.assign(timers, {
  setTimeout: (milliseconds: number, _value: unknown, { signal }: { signal?: AbortSignal } = {}) => {
    catchUp();
    return clock.sleep(milliseconds, signal);
  },
});
syncBuiltinESMExports();
