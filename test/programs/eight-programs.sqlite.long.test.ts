/** Shorter than `npm run soak -- processes`, so each host asks more often. */
import { describe, expect, it } from 'vitest';
import { askByEightPrograms, problemsOf } from '../eight-programs.helper.ts';
import { sqlite } from '../store/sqlite.helper.ts';

describe.skipIf(!sqlite)('eight programs with one token and one state', () => {
  it('send no more requests than the hour has, starve none of them, and can always write', async () => {
    const options = { seconds: 20, everyMs: 250, asking: 'sync' } as const;
    expect(problemsOf(await askByEightPrograms(options), options)).toEqual([]);
  });

  it('answer every ordinary question with the requests that one program would need', async () => {
    const options = { seconds: 10, everyMs: 500, asking: 'questions' } as const;
    expect(problemsOf(await askByEightPrograms(options), options)).toEqual([]);
  });
});
