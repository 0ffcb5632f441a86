import { test } from 'vitest';
import { runWriteFaults } from './write-faults.helper.ts';

/** `WRITE_FAULTS_SEED` tries another seed than 1. */
const { WRITE_FAULTS_SEED } = process.env;
const seed = Number(WRITE_FAULTS_SEED ?? 1);

// The time limit only stops a test that hangs.
test(
  `1,000 writes over a connection with all faults, seed ${seed}: the ledger agrees with the results`,
  () => runWriteFaults({ seed, steps: 1_000 }),
  1_800_000,
);
