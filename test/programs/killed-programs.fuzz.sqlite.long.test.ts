/** `npm run fuzz` kills ten times as many programs: 200. */
import { describe, expect, test } from 'vitest';
import { fuzzRuns } from '../fuzz.helper.ts';
import { sqlite } from '../state/sqlite.helper.ts';
import { KilledPrograms } from './killed-programs.helper.ts';

/** For one sign-in, which has a service of its own. */
const KILLS = 10;
const signIns = Array.from({ length: fuzzRuns(2) }, (_, index) => index + 1);

describe.skipIf(!sqlite)('programs that are killed while they write', () => {
  test.for(signIns)(
    'leave no torn state, and what their successors say about each write is so (sign-in %i)',
    async (signIn, { annotate }) => {
      const counts = await KilledPrograms.run(signIn, KILLS);
      await annotate(
        [...counts]
          .map((each) => each.join(': '))
          .toSorted()
          .join('\n'),
      );
      const kills = [...counts].filter(([what]) => what.startsWith('killed')).map(([, count]) => count);
      expect(kills.reduce((sum, count) => sum + count, 0)).toBe(KILLS);
    },
  );
});
