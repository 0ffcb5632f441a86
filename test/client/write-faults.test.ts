import { test } from 'vitest';
import { runWriteFaults } from './write-faults.ts';

// The long form is in `write-faults.slow.test.ts`. The limit is only for what hangs.
test(
  '300 writes over a line where everything goes wrong: the budget holds what the results said',
  () => runWriteFaults({ seed: 20_261_121, steps: 300 }),
  600_000,
);
