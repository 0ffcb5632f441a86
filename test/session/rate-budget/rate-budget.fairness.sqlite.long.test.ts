/** Eight stores in one file, as eight processes have them, with one token. Each asks once a second for an hour. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RateBudget } from '../../../src/session/rate-budget/rate-budget.ts';
import { ManualClock } from '../../manual-clock.helper.ts';
import { openStore, sqlite, temporaryDirectory } from '../../store/sqlite.helper.ts';
import { askEverySecond, expectFairHours, PROCESSES } from '../asking-processes.helper.ts';
import { HOUR, start } from '../spending.helper.ts';

describe.skipIf(!sqlite)('stores of eight processes in one file', () => {
  it('in an hour there is no 429, the reserve is left to writes, and the least served process gets half of the mean', async () => {
    const clock = new ManualClock(start);
    const path = join(temporaryDirectory(), 'state.db');
    const rateBudgets = [];
    for (let process = 0; process < PROCESSES; process += 1)
      rateBudgets.push(new RateBudget({ clock, store: await openStore(path, clock) }));
    const pattern = { hours: 1, times: 1, isFirstAlone: false, delayMs: 400 };
    const { sent, refusedWrites } = await askEverySecond(pattern, { clock, rateBudgets });
    expect(refusedWrites).toBe(0);
    expect(sent.filter(({ isRead }) => !isRead).length).toBeGreaterThan(10);
    expectFairHours(sent, { processes: PROCESSES, from: 0, until: HOUR });
  });
});
