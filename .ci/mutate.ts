/**
 * `npm run mutate [-- group ...]`: changes the code of each group in small ways, one at a time, and says which changes
 * no test of the group notices. Fails where fewer than `REQUIRED` percent are noticed. Each group takes minutes, so that
 * this is no part of `.ci/run`.
 */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';

type Result = Awaited<ReturnType<Stryker['runMutationTest']>>[number];

/** `tests` are names in `test/`. The quick ones come first, because the first failure ends a run. */
interface Group {
  readonly mutate: readonly string[];
  readonly tests: readonly string[];
}

const REQUIRED = 85;

const groups: Readonly<Record<string, Group>> = {
  units: {
    mutate: ['src/format/units.ts'],
    tests: ['format/units', 'format/rows', 'format/transactions', 'format/dry-run', 'mcp/arguments'],
  },
  'rate-budget': {
    mutate: ['src/client/rate-budget.ts', 'src/client/fair-rate-budget.ts'],
    tests: ['client/rate-budget*', 'client/fair-rate-budget'],
  },
  freshness: {
    mutate: ['src/client/freshness-policy.ts', 'src/client/stale-reason.ts'],
    tests: [
      'client/freshness-policy',
      'client/cached-budgets',
      'client/gone-budgets',
      'client/after-writes',
      'client/budget-client',
    ],
  },
  replica: {
    mutate: ['src/replica/**/*.ts'],
    tests: ['replica/*'],
  },
  simulation: {
    mutate: [
      'src/client/simulation.ts',
      'src/client/balance-changes.ts',
      'src/operations/bookings.ts',
      'src/operations/simulation.ts',
      'src/operations/entries.ts',
    ],
    tests: [
      'client/balance-changes',
      'client/simulation',
      'client/simulation-imports',
      'client/simulation-transfers',
    ],
  },
  matching: {
    mutate: ['src/operations/matching.ts'],
    tests: ['operations/matching'],
  },
  writes: {
    mutate: [
      'src/client/exactly-once-writer.ts',
      'src/client/lost-write.ts',
      'src/client/unsettled-writes.ts',
      'src/client/write-call.ts',
      'src/client/knowledge-watermarks.ts',
      'src/client/delta-after-write.ts',
      'src/client/evidence.ts',
      'src/client/own-rows.ts',
      'src/client/current-reads.ts',
    ],
    tests: [
      'client/exactly-once-writer',
      'client/lost-write',
      'client/unsettled-outcomes',
      'client/knowledge-watermarks',
      'client/delta-after-write',
      'client/evidence',
      'client/own-rows',
      'client/current-reads',
      'client/unsettled-writes',
      'client/lost-writes',
      'client/after-writes',
    ],
  },
};

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { concurrency: { type: 'string', default: '2' } },
});
const unknown = positionals.filter((name) => !(name in groups));
if (unknown.length > 0)
  throw new Error(`There is no group ${unknown.join(', ')}, only ${Object.keys(groups).join(', ')}.`);

for (const [name, group] of Object.entries(groups)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const results = await run(name, group);
  report(name, results);
  if (scoreOf(results) < REQUIRED) process.exitCode = 1;
}

function run(name: string, { mutate, tests }: Group): Promise<readonly Result[]> {
  // The test runner has processes of its own, which read these.
  process.env['MUTATION_TESTS'] = JSON.stringify(tests);
  process.env['FUZZ_RUNS'] = '10';
  return new Stryker({
    mutate: [...mutate],
    testRunner: 'vitest',
    vitest: { configFile: '.ci/mutation-vitest.ts', related: false },
    plugins: ['@stryker-mutator/vitest-runner'],
    coverageAnalysis: 'perTest',
    // What runs once when a file is loaded would need all tests again for each change.
    ignoreStatic: true,
    concurrency: Number(values.concurrency),
    // What was noticed before is not tried again until its code or its test changes.
    incremental: true,
    incrementalFile: `node_modules/.cache/mutation/${name}.json`,
    timeoutMS: 20_000,
    tempDirName: join(tmpdir(), `budget-mcp-mutation-${process.pid}`),
    // Stryker asks TypeScript to rewrite this file, by an interface that TypeScript 7 no longer has.
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
    for (const { location, mutatorName, replacement, status } of inFile.filter(isUnnoticed))
      lines.push(
        `    ${location.start.line}:${location.start.column} ${status} ${mutatorName} ${replacement}`,
      );
  }
  process.stdout.write(`${lines.join('\n')}\n`);
}

function fileOf({ fileName }: Result): string {
  return fileName.slice(fileName.lastIndexOf('/src/') + 1);
}

function isUnnoticed({ status }: Result): boolean {
  return status === 'Survived' || status === 'NoCoverage';
}

function isTried(result: Result): boolean {
  return isUnnoticed(result) || result.status === 'Killed' || result.status === 'Timeout';
}

function scoreOf(results: readonly Result[]): number {
  const tried = results.filter(isTried);
  return (100 * tried.filter((result) => !isUnnoticed(result)).length) / tried.length;
}
