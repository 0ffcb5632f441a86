import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const long = '**/*.long.test.ts';
const slow = '**/*.slow.test.ts';
const alone = '**/*.alone.test.ts';
const soak = '**/*.soak.test.ts';
/** `npm run test:hosts` runs these, because the hosts are more than a gigabyte. */
const hostPrograms = 'host-programs/**';

const everyProject = {
  root: import.meta.dirname,
  // Only stops a test that hangs, because no test may depend on the speed of the machine. With FUZZ_TIMES a fuzz test
  // takes longer.
  testTimeout: process.env['FUZZ_TIMES'] === undefined ? 600_000 : 3_600_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 60_000 } },
};

/**
 * Files that run in one worker share the modules that they import, since loading them takes longer than most files. So a test
 * leaves no state in a module, and none in the environment.
 */
const sharesModules = { isolate: false };

/** These files take longest, in this order. If one began last, the other workers would wait for it. */
const longest = [
  'evaluation/replay.long.test.ts',
  'programs/suspended-programs.sqlite.long.test.ts',
  'programs/earlier-calls.sqlite.long.test.ts',
  'programs/blocked-state.sqlite.long.test.ts',
  'evaluation/conversation.long.test.ts',
  'answers/planned-steps.killed.long.test.ts',
  'session/rate-budget/rate-budget.simulation.long.test.ts',
  'evaluation/task.steps.long.test.ts',
  'programs/serve-http.long.test.ts',
  'programs/sixteen-questions.long.test.ts',
  'mcp/tools.answer-size.long.test.ts',
  'programs/hosted-state.redis.long.test.ts',
  'session/budget-client.killed-writes.each-point.long.test.ts',
  'session/rate-budget/rate-budget.fairness.long.test.ts',
  'session/writes/refused-alike.property.long.test.ts',
  'views/page.slow.test.ts',
  'bundle/package.slow.test.ts',
  'clients/clients.slow.test.ts',
  'bundle/release.slow.test.ts',
  'views/transactions.slow.test.ts',
  'hosting/page.slow.test.ts',
  'image/image.slow.test.ts',
];
const renamed = longest.filter((file) => !existsSync(join(import.meta.dirname, file)));
if (renamed.length > 0) throw new Error(`There is no ${renamed.join(', ')}.`);

/** Of the others, Vitest begins with those that took longest, or are largest where it knows no times. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const placeOf = ({ moduleId }: TestSpecification) => {
      const place = longest.findIndex((file) => moduleId.endsWith(file));
      return place === -1 ? longest.length : place;
    };
    return [...new Set(sorted.map(({ project }) => project))].flatMap((project) =>
      sorted.filter((file) => file.project === project).sort((a, b) => placeOf(a) - placeOf(b)),
    );
  }
}

export default defineConfig({
  test: {
    root: import.meta.dirname,
    globalSetup: './build.ts',
    // Vitest would take one worker less than there are cores: on two cores, one file at a time. Most tests wait for
    // another process or a connection, so more of them fit.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    // It wants Node.js 22, and says so once for each test file that loads it.
    onConsoleLog: (text) => !text.startsWith('oidc-provider WARNING: Unsupported runtime'),
    projects: [
      {
        test: {
          ...everyProject,
          ...sharesModules,
          name: 'default',
          include: ['**/*.test.ts'],
          exclude: [...configDefaults.exclude, long, slow, alone, soak, hostPrograms],
        },
      },
      // What needs nothing but Node.js and runs long: searches over many inputs, and every tool through whole programs.
      { test: { ...everyProject, ...sharesModules, name: 'long', include: [long] } },
      // What needs more than Node.js, or minutes: a browser, a proxy, packages of the npm registry.
      {
        test: { ...everyProject, name: 'slow', include: [slow], maxWorkers: 3, sequence: { groupOrder: 1 } },
      },
      {
        test: {
          ...everyProject,
          name: 'alone',
          include: [alone],
          // Keychains of two files at once have kept each other waiting. Others have real servers on a clock that is moved.
          maxWorkers: 1,
          // Vitest wants projects with different numbers of workers to run one after the other.
          sequence: { groupOrder: 2 },
        },
      },
      // Many people at servers that are killed, for a minute and more. Not for each change: they keep the machine busy.
      {
        test: {
          ...everyProject,
          name: 'soak',
          include: [soak],
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
