/** `npm run fuzz`: every test that takes `fuzzRuns`, with many times as many inputs, one file after the other. */
import { configDefaults, defineConfig } from 'vitest/config';

const HOUR = 3_600_000;

export default defineConfig({
  test: {
    root: import.meta.dirname,
    globalSetup: './build.ts',
    include: [
      '**/*fuzz*.test.ts',
      'client/redaction.test.ts',
      'client/service-texts.test.ts',
      'mcp/hostile-texts.test.ts',
      'platform/quote.test.ts',
    ],
    // A keychain takes seconds for what the others do in milliseconds.
    exclude: [...configDefaults.exclude, '**/*.slow.test.ts'],
    env: { FUZZ_TIMES: process.env['FUZZ_TIMES'] ?? '10' },
    fileParallelism: false,
    // Only for what hangs: a long search takes its time.
    testTimeout: HOUR,
    hookTimeout: HOUR,
    reporters: ['verbose'],
  },
});
