/** `npm run fuzz`: every test that takes `fuzzRuns`, with more inputs, one file after the other. */
import { configDefaults, defineConfig } from 'vitest/config';

const HOUR = 3_600_000;

export default defineConfig({
  test: {
    root: import.meta.dirname,
    globalSetup: './build.ts',
    include: [
      '**/*fuzz*.test.ts',
      'session/http/codec.redaction.test.ts',
      'session/budget-client.service-texts.test.ts',
      'answers/tool-result.hostile-texts.long.test.ts',
      'base/quote.test.ts',
    ],
    // A keychain needs seconds per input.
    exclude: [...configDefaults.exclude, '**/*.slow.test.ts', '**/*.alone.test.ts'],
    env: { FUZZ_TIMES: process.env['FUZZ_TIMES'] ?? '10' },
    fileParallelism: false,
    // Only stops a test that hangs, because a long search takes long.
    testTimeout: HOUR,
    hookTimeout: HOUR,
    reporters: ['verbose'],
  },
});
