import { test } from 'vitest';
import { runWriteFaults } from './write-faults.helper.ts';

// The long form is in `budget-client.write-faults.slow.test.ts`. The time limit only stops a test that hangs.
test(
  '300 writes over a connection with all faults: the ledger agrees with the results',
  () => runWriteFaults({ seed: 20_261_121, steps: 300 }),
  600_000,
);
