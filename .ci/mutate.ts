/**
 * `npm run mutate [-- group ...]`: mutation testing with Stryker. It changes the code of each group in small ways, one at
 * a time, and lists the changes that no test of the group detects. It fails if less than `REQUIRED` percent are detected.
 * Each group takes minutes, and `writes` an hour, so it is not part of `.ci/run`. `-- group --file src/…` tries only this file of
 * the group. What is known of the others is kept, so that a long group can be run file by file.
 */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';

type Result = Awaited<ReturnType<Stryker['runMutationTest']>>[number];

/** `tests` are paths in `test/`. Fast tests come first, because the first failure ends a run. */
interface Group {
  readonly mutate: readonly string[];
  readonly tests: readonly string[];
}

const REQUIRED = 85;

/** The files of `src/` for dry runs. They are a group of their own. */
const SIMULATION = ['src/model/bookkeeping/balance-changes.ts', 'src/operations/simulation.ts'] as const;

/** Whether they refuse what the service refuses is compared by tests of dry runs. */
const REFUSALS = ['src/model/bookkeeping/category-refusals.ts', 'src/model/bookkeeping/refusals.ts'] as const;

const groups: Readonly<Record<string, Group>> = {
  units: {
    mutate: ['src/answers/units.ts'],
    tests: ['answers/units', 'answers/rows', 'answers/transactions', 'answers/dry-run', 'mcp/tool-schemas.*'],
  },
  'rate-budget': {
    mutate: [
      'src/session/rate-budget/rate-budget.ts',
      'src/session/rate-budget/rate-ledger.ts',
      'src/session/rate-budget/rate-usage.ts',
    ],
    tests: ['session/rate-budget/*'],
  },
  freshness: {
    mutate: ['src/session/freshness/freshness-policy.ts', 'src/session/call-result.ts'],
    tests: [
      'session/freshness/freshness-policy*',
      'session/call-budget',
      'session/budget-client.deleted-budgets',
      'session/budget-client.after-writes',
      'session/budget-client',
    ],
  },
  replica: {
    mutate: ['src/model/replica/*.ts', 'src/session/freshness/*.ts'],
    tests: [
      'model/replica/*',
      'session/freshness/*',
      'session/http/codec.in-steps',
      'session/sync/*',
      'session/call-budget',
      'session/budget-client.deleted-budgets',
      'session/budget-client.after-writes',
      'session/budget-client',
    ],
  },
  bookkeeping: {
    mutate: ['src/model/bookkeeping/*.ts', ...[...SIMULATION, ...REFUSALS].map((file) => `!${file}`)],
    tests: [
      'model/bookkeeping/*',
      'operations/payees',
      'operations/simulation',
      'operations/simulation.*',
      'session/writes/lost-write',
      'session/writes/lost-write.own-rows',
    ],
  },
  refusals: {
    mutate: [...REFUSALS],
    tests: ['session/writes/refused-alike.*', 'operations/simulation.*'],
  },
  references: {
    mutate: ['src/answers/references/*.ts'],
    tests: [
      'answers/references/thing-index',
      'answers/references/references*',
      'answers/text',
      'answers/references/*',
      'mcp/completions',
    ],
  },
  simulation: {
    mutate: [...SIMULATION, 'src/operations/transaction-simulation.ts'],
    tests: ['model/bookkeeping/balance-changes', 'operations/simulation', 'operations/simulation.*'],
  },
  writes: {
    mutate: ['src/session/writes/*.ts'],
    tests: [
      'session/writes/write-call.waiting-host',
      'session/writes/exactly-once-writer',
      'session/writes/unsettled-writes.outcomes',
      'session/freshness/watermarks.for-writes',
      'session/writes/write-turns',
      'session/writes/write-turns.processes',
      'session/writes/own-writes.deliveries',
      'session/writes/write-response.*',
      'session/writes/pending-writes',
      'session/writes/pending-write',
      'session/writes/own-write',
      'session/writes/journal',
      'session/writes/lost-write.own-rows',
      'session/writes/lost-write.current-reads',
      'session/writes/unsettled-writes',
      'session/session-writes.other-processes',
      'session/budget-client.earlier-calls',
      'session/budget-client.lost-answers',
      'session/budget-client.killed-writes',
      'session/budget-client.left-writes',
      'session/budget-call.several-writes',
      'session/budget-client.failing-store',
      'session/budget-client.stalled-store',
      'session/budget-client.processes',
      'session/writes/lost-write.creations',
      'session/writes/lost-write',
      'session/budget-client.shared-writes',
      'session/budget-client.after-writes',
    ],
  },
};

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { concurrency: { type: 'string', default: '2' }, file: { type: 'string', multiple: true } },
});
const unknown = positionals.filter((name) => !(name in groups));
if (unknown.length > 0)
  throw new Error(`There is no group ${unknown.join(', ')}, only ${Object.keys(groups).join(', ')}.`);
if (values.file && positionals.length !== 1)
  throw new Error('Name the one group whose tests are to try this file.');

for (const [name, group] of Object.entries(groups)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const results = await run(name, group);
  report(name, results);
  if (scoreOf(results) < REQUIRED) process.exitCode = 1;
}

function run(name: string, { mutate, tests }: Group): Promise<readonly Result[]> {
  // The processes of the test runner read these.
  process.env['MUTATION_TESTS'] = JSON.stringify(tests);
  process.env['FUZZ_TIMES'] = '0.2';
  return new Stryker({
    mutate: values.file ?? [...mutate],
    testRunner: 'vitest',
    vitest: { configFile: '.ci/mutation-vitest.ts', related: false },
    plugins: ['@stryker-mutator/vitest-runner'],
    coverageAnalysis: 'perTest',
    // A change in code that runs when a file is loaded would need a run of all tests.
    ignoreStatic: true,
    concurrency: Number(values.concurrency),
    // A change that was detected before is not tried again until its code or its test changes.
    incremental: true,
    incrementalFile: `node_modules/.cache/mutation/${name}.json`,
    timeoutMS: 20_000,
    tempDirName: join(tmpdir(), `budget-mcp-mutation-${process.pid}`),
    // Stryker rewrites this file with an interface that TypeScript 7 no longer has.
    tsconfigFile: 'none',
    reporters: ['progress-append-only'],
    allowConsoleColors: false,
  }).runMutationTest();
}

function report(name: string, results: readonly Result[]): void {
  const lines = [`${name}: ${scoreOf(results).toFixed(1)} %`];
  for (const file of new Set(results.map(fileOf))) {
    const inFile = results.filter((result) => fileOf(result) === file);
    lines.push(`  ${file}: ${scoreOf(inFile).toFixed(1)} % of ${inFile.filter(isTried).length}`);
    for (const { location, mutatorName, replacement, status } of inFile.filter(isUndetected))
      lines.push(
        `    ${location.start.line}:${location.start.column} ${status} ${mutatorName} ${replacement}`,
      );
  }
  process.stdout.write(`${lines.join('\n')}\n`);
}

function fileOf({ fileName }: Result): string {
  return fileName.slice(fileName.lastIndexOf('/src/') + 1);
}

function isUndetected({ status }: Result): boolean {
  return status === 'Survived' || status === 'NoCoverage';
}

function isTried(result: Result): boolean {
  return isUndetected(result) || result.status === 'Killed' || result.status === 'Timeout';
}

function scoreOf(results: readonly Result[]): number {
  const tried = results.filter(isTried);
  return (100 * tried.filter((result) => !isUndetected(result)).length) / tried.length;
}
