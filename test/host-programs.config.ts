/** `npm run test:hosts`: real hosts, one after the other. The first run installs them from the npm registry. */
import { defineConfig } from 'vitest/config';

const MINUTE = 60_000;

export default defineConfig({
  test: {
    root: import.meta.dirname,
    globalSetup: './build.ts',
    include: ['host-programs/*.test.ts'],
    fileParallelism: false,
    // Only stops a test that hangs.
    testTimeout: 5 * MINUTE,
    hookTimeout: 20 * MINUTE,
    reporters: ['verbose'],
  },
});
