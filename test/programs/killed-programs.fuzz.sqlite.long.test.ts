/** `npm run fuzz` kills ten times as many programs: 200. */
import { describe, expect, test } from 'vitest';
import { Random } from '../../src/service/demo-data/random.ts';
import { fuzzRuns } from '../fuzz.helper.ts';
import { sqlite } from '../store/sqlite.helper.ts';
import { KilledPrograms, killWhileStarting } from './killed-programs.helper.ts';
import { startSharing, stateOf } from './sharing-programs.helper.ts';
import { filesOf, integrityOf } from './state-files.helper.ts';

const STARTS = fuzzRuns(10);

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

describe.skipIf(!sqlite)('programs that are killed while they start', () => {
  test('leave a state that the next ones share, and no files but those of it', async () => {
    const { start, directory, args, env, clock } = await startSharing();
    const random = new Random(1);
    for (let time = 1; time <= STARTS; time += 1)
      await clock.passing(Promise.all([1, 2, 3].map(() => killWhileStarting(args, env, random))));
    const hosts = [await start(), await start()];
    expect(integrityOf(directory)).toEqual(['ok']);
    for (const host of hosts) expect(await stateOf(host)).toEqual({ shared: true });
    const files = filesOf(directory);
    expect(files.filter((path) => /process-[^/]*\.lock$/.test(path))).toHaveLength(hosts.length);
    expect(files.filter((path) => path.endsWith('.unusable'))).toEqual([]);
  });
});
