import { test } from 'vitest';
import { runWriteFaults } from './write-faults.helper.ts';

/** `WRITE_FAULTS_SEED` repeats a failed run or tries another seed. */
const { WRITE_FAULTS_SEED } = process.env;
const SEEDS = WRITE_FAULTS_SEED === undefined ? [20_261_121, 1, 2] : [Number(WRITE_FAULTS_SEED)];

// The time limit only stops a test that hangs.
test.each(SEEDS)(
  '1,000 writes over a connection with all faults, seed %i: the ledger agrees with the results',
  (seed) => runWriteFaults({ seed, steps: 1_000 }),
  1_800_000,
);
