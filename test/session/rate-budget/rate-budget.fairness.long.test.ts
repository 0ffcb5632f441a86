/** Eight processes with one token, each of which asks once a second or more often for hours. */
import { expect, it } from 'vitest';
import {
  askEverySecond,
  expectFairHours,
  type Pattern,
  PROCESSES,
  startMachine,
} from '../asking-processes.helper.ts';
import { HOUR } from '../spending.helper.ts';

const once = { hours: 2, times: 1, isFirstAlone: false, delayMs: 0 };
const patterns: [what: string, pattern: Pattern][] = [
  ['each asks once a second and is answered at once', once],
  ['each asks once a second and is answered within a second', { ...once, delayMs: 400 }],
  ['the first one asks 30 times a second', { ...once, hours: 1, times: 30, delayMs: 100 }],
  ['the first one has used all reads of the hour before', { ...once, isFirstAlone: true, delayMs: 100 }],
];

it.each(patterns)(
  'eight processes get no 429, leave the reserve to writes, and the least served one gets half of the mean, if %s',
  async (_, pattern) => {
    const { clock, startProcess } = startMachine();
    const rateBudgets = Array.from({ length: PROCESSES }, () => startProcess().rateBudget);
    const { sent, refusedWrites } = await askEverySecond(pattern, { clock, rateBudgets });
    expect(refusedWrites).toBe(0);
    expectFairHours(sent, { processes: PROCESSES, from: 0, until: pattern.hours * HOUR });
  },
);
