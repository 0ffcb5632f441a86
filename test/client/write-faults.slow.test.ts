import { test } from 'vitest';
import { runWriteFaults } from './write-faults.ts';

/** `WRITE_FAULTS_SEED` repeats one that failed, or tries another. */
const { WRITE_FAULTS_SEED } = process.env;
const SEEDS = WRITE_FAULTS_SEED === undefined ? [20_261_121, 1, 2] : [Number(WRITE_FAULTS_SEED)];

// The limit is only for what hangs.
test.each(SEEDS)(
  '1,000 writes over a line where everything goes wrong, seed %i: the budget holds what the results said',
  (seed) => runWriteFaults({ seed, steps: 1_000 }),
  1_800_000,
);
