import { describe, expect, it } from 'vitest';
import { sqlite } from '../state/sqlite.helper.ts';
import { lineOf, NOTHING_WRONG } from './judgement.helper.ts';
import { runProgramSoak } from './soak.helper.ts';

describe.skipIf(!sqlite)('programs that share a state in files', () => {
  it('write everything as it is wanted if nothing goes wrong', async () => {
    const { found, counts, examples } = await runProgramSoak({
      seconds: 8,
      seed: 1,
      where: 'programs',
      troubles: [],
    });
    expect(found, examples.join('\n')).toEqual(NOTHING_WRONG);
    expect(counts).toMatchObject({ 'not written': 0, unknown: 0, written: counts['wishes'] });
  });

  // A short form of the second part of `npm run soak -- faults`.
  it('lose and double nothing and misreport nothing while they are killed and suspended, the token is revoked, and the state is full, deleted and restored', async () => {
    const { found, counts, troubles, examples } = await runProgramSoak({
      seconds: 30,
      seed: 2,
      where: 'programs',
    });
    expect(lineOf(found), examples.join('\n')).toBe(lineOf(NOTHING_WRONG));
    expect(counts['written']).toBeGreaterThan(0);
    expect(Object.keys(troubles).length).toBeGreaterThan(0);
  });
});
