import { readdirSync, readFileSync } from 'node:fs';
import { basename, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import {
  breachesOf,
  codeOf,
  cyclesOf,
  inverted,
  isBarrel,
  type Permissions,
  roomOf,
  type Sources,
  usesOfFiles,
  usesOfLibraries,
  usesOfRooms,
} from './import-rules.helper.ts';

/** The permitted imports of each room. An import that is not listed is forbidden, and an unused permission is an error. */
const rooms: Permissions = {
  base: {},
  model: { base: 'values' },
  store: { base: 'values' },
  auth: { base: 'values', store: 'types' },
  operations: { base: 'values', model: 'values' },
  session: {
    auth: 'values',
    base: 'values',
    model: 'values',
    operations: 'values',
    store: 'values',
  },
  answers: { base: 'values', model: 'values', operations: 'values', session: 'types' },
  features: {
    answers: 'values',
    base: 'values',
    model: 'values',
    operations: 'values',
    'package.json': 'values',
    session: 'types',
  },
  views: { answers: 'values', features: 'types' },
  mcp: {
    answers: 'values',
    base: 'values',
    features: 'values',
    operations: 'values',
    session: 'types',
    store: 'values',
  },
  transports: { base: 'values', mcp: 'types' },
  hosting: {
    auth: 'values',
    base: 'values',
    operations: 'values',
    store: 'values',
    transports: 'values',
  },
  app: {
    auth: 'values',
    base: 'values',
    features: 'values',
    hosting: 'values',
    mcp: 'values',
    operations: 'values',
    'package.json': 'values',
    service: 'values',
    session: 'values',
    store: 'values',
    transports: 'values',
  },
  service: { base: 'values' },
  main: { program: 'lazily' },
  program: { app: 'values', base: 'values' },
};

/** The rooms and files that may import a library. */
const libraries: Permissions = {
  '@clack/prompts': { 'app/commands/prompts.ts': 'lazily' },
  '@hono/node-server': {
    'hosting/authorization.ts': 'values',
    'service/server.ts': 'values',
    'transports/http.ts': 'values',
    'transports/http/app.ts': 'types',
    'transports/http/request-context.ts': 'types',
  },
  '@modelcontextprotocol/client': { 'app/commands/call.ts': 'values', 'app/commands/demo.ts': 'values' },
  '@modelcontextprotocol/ext-apps': { 'mcp/apps.ts': 'values' },
  '@modelcontextprotocol/server': { mcp: 'values', transports: 'values' },
  '@napi-rs/keyring': { 'auth/keychain-child.ts': 'lazily' },
  commander: { 'app/commands/command-line.ts': 'values' },
  'csv-parse': { 'features/reconcile/statements/table-lines.ts': 'values' },
  'env-paths': { 'app/compose/places.ts': 'values' },
  'fastest-levenshtein': {
    'answers/references/thing-index.ts': 'values',
    'app/commands/call.ts': 'values',
    'app/commands/command-line.ts': 'values',
    'mcp/tool-schemas.ts': 'values',
  },
  hono: {
    'auth/page-layout.ts': 'values',
    'auth/redirect-pages.ts': 'values',
    'auth/sign-in-form.ts': 'values',
    hosting: 'values',
    service: 'values',
    transports: 'values',
  },
  ioredis: {
    'store/redis-client.ts': 'values',
  },
  'jsonc-parser': { 'app/hosts/config-formats.ts': 'values' },
  'lru-cache': {
    'features/reconcile/bank-thread.ts': 'values',
    'session/kept-answers.ts': 'values',
    'hosting/public-limits.ts': 'values',
    'hosting/hosted-entry.ts': 'values',
    'hosting/webhooks.ts': 'values',
    'session/freshness/cache-entries.ts': 'values',
    'store/redis-store.ts': 'values',
    'store/sqlite-store.ts': 'values',
    'transports/http/request-limits.ts': 'values',
  },
  'oidc-provider': { hosting: 'values' },
  oauth4webapi: { 'auth/oauth.ts': 'values' },
  open: { 'app/commands/login.ts': 'lazily' },
  pino: { base: 'types', 'base/log.ts': 'lazily' },
  'prom-client': { 'app/metrics/prometheus.ts': 'values' },
  'proper-lockfile': { 'auth/refresh-lock.ts': 'lazily' },
  'smol-toml': { 'app/hosts/config-formats.ts': 'values' },
  standardwebhooks: { 'hosting/webhooks.ts': 'values' },
  tsx: { 'features/reconcile/bank-thread.ts': 'lazily' },
  undici: { 'hosting/public-fetch.ts': 'lazily', 'session/http/http-sender.ts': 'lazily' },
  yaml: { 'app/hosts/config-formats.ts': 'values' },
  zod: {
    answers: 'values',
    app: 'values',
    auth: 'values',
    base: 'values',
    features: 'values',
    hosting: 'values',
    mcp: 'values',
    operations: 'values',
    service: 'values',
    session: 'values',
    store: 'values',
    transports: 'values',
  },
};

/** Uses of global functions and modules that reach outside the program, and the only files that may use them. */
const reaches: readonly (readonly [what: string, pattern: RegExp, files: readonly string[]])[] = [
  ['the environment', /\bprocess\.env\b/, ['app/config/load-config.ts']],
  [
    'the time and timers',
    /\bDate\.now\b|\bnew Date\(\)|\bset(Timeout|Interval|Immediate)\b|\bperformance\b|\bAbortSignal\.timeout\b|\bhrtime\b/,
    ['base/clock.ts'],
  ],
  [
    'the end of the process',
    /\bprocess\.(exit|abort|kill|reallyExit)\b/,
    ['auth/keychain-child.ts', 'program.ts'],
  ],
  ['standard output', /\bprocess\.stdout\b/, ['auth/keychain-child.ts', 'program.ts', 'transports/stdio.ts']],
  ['the console', /\bconsole\b/, []],
  ['chance without a seed', /\bMath\.random\b/, []],
  ['the globals by a back door', /'(node:)?(process|perf_hooks|console)'|\bglobalThis\b/, []],
];

const root = new URL('../src/', import.meta.url);
const sources: Sources = new Map(
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.ts'))
    .map((file) => [file, readFileSync(new URL(file, root), 'utf8')]),
);

describe('the imports between the rooms of src', () => {
  it('no room has a forbidden import, and no permission is unused', () => {
    expect(breachesOf(rooms, usesOfRooms(sources))).toEqual([]);
  });

  it('the table has a row for every room', () => {
    expect([...new Set([...sources.keys()].map(roomOf))].toSorted()).toEqual(Object.keys(rooms).toSorted());
  });

  it('no feature imports another one', () => {
    const featureOf = (file: string) => /^features\/[^/]+\//.exec(file)?.[0];
    const breaches = usesOfFiles(sources).filter(({ file, of }) => {
      const [importing, imported] = [featureOf(file), featureOf(of)];
      return importing !== undefined && of.startsWith('features/') && importing !== imported;
    });
    expect(breaches.map(({ file, of }) => `${file} imports ${of}`)).toEqual([]);
  });

  it('every library is imported only by the files that may import it, and no permission is unused', () => {
    expect(breachesOf(inverted(libraries), usesOfLibraries(sources))).toEqual([]);
  });

  it('no two files import each other in a circle, types included', () => {
    expect(cyclesOf(sources)).toEqual([]);
  });

  it.each(reaches)('%s is used only in the permitted files', (_, pattern, files) => {
    const found = [...sources].filter(([, source]) => pattern.test(codeOf(source))).map(([file]) => file);
    expect(found.toSorted()).toEqual([...files].toSorted());
  });

  it('no file has a vague name', () => {
    const vague = /^(utils?|helpers?|types|constants|common|misc)\.ts$/;
    expect([...sources.keys()].filter((file) => vague.test(basename(file)))).toEqual([]);
  });

  it('no file only re-exports, except the index of the operations', () => {
    const barrels = [...sources]
      .filter(([file, source]) => basename(file) === 'index.ts' || isBarrel(source))
      .map(([file]) => file);
    expect(barrels).toEqual(['operations/index.ts']);
  });
});

/** Folders whose tests start whole programs, so that no single file has their name. */
const testsOfPrograms = /^(programs|clients|host-programs)\//;

/** Tests of something that is neither in `src/` nor beside the test. */
const testsOfOtherFiles = new Map([
  ['architecture.test.ts', 'the whole of src/ and test/'],
  ['bundle/bundle-program.long.test.ts', '.ci/bundle-program.ts'],
  ['bundle/bundle-views.test.ts', '.ci/bundle-views.ts'],
  ['bundle/changelog.test.ts', '.ci/changelog.ts'],
  ['bundle/owner.test.ts', '.ci/owner.ts'],
  ['bundle/release-workflow.test.ts', '.github/workflows/release.yml'],
  ['bundle/release.slow.test.ts', '.ci/release.ts'],
  ['bundle/server-json.test.ts', '.ci/server-json.ts'],
  ['bundle/sign-bundle.slow.test.ts', '.ci/sign-bundle.ts'],
  ['bundle/third-party-notices.test.ts', '.ci/third-party-notices.ts'],
]);

/** Modules that are neither tests nor helpers, beside the programs that `package.json` starts. */
const otherModules = new Map([
  ['build.ts', 'vitest runs it before all tests'],
  ['events-soak.ts', 'soak.ts starts it'],
  ['fault-soak.ts', 'soak.ts starts it'],
  ['host-soak.ts', 'soak.ts starts it'],
  ['hosted-soak.ts', 'soak.ts starts it'],
  ['machines-soak.ts', 'soak.ts starts it'],
  ['process-soak.ts', 'soak.ts starts it'],
  ['windows/forwarding-dll.ts', 'windows/run starts it'],
  ['windows/person.ts', 'windows/run starts it'],
]);

const filesOfTests = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts') && !file.includes('node_modules/'));

/** `session/http/codec.errors.test.ts` is a test of `session/http/codec`. */
const testedBy = (test: string) => posix.join(posix.dirname(test), basename(test).replace(/\..*$/, ''));

describe('the files of test', () => {
  it('every test has the name of the file that it tests, in src or beside it, up to the first dot', () => {
    const tests = filesOfTests.filter((file) => file.endsWith('.test.ts') && !testsOfPrograms.test(file));
    const isNamed = (test: string) => {
      const tested = testedBy(test);
      return (
        sources.has(`${tested}.ts`) ||
        filesOfTests.includes(`${tested}.ts`) ||
        filesOfTests.includes(`${tested}.helper.ts`)
      );
    };
    expect(tests.filter((test) => !isNamed(test)).toSorted()).toEqual([...testsOfOtherFiles.keys()]);
  });

  it('every other file of test is a helper, a configuration, a program, or a part of the benchmark or the evaluation', () => {
    const started = Object.values(packageJson.scripts).flatMap((script) =>
      [...script.matchAll(/\btest\/(\S+\.ts)/g)].map(([, file = '']) => file),
    );
    const others = filesOfTests.filter(
      (file) =>
        !/\.(test|helper|config)\.ts$/.test(file) &&
        !/^(bench|evaluation)\//.test(file) &&
        !started.includes(file),
    );
    expect(others.toSorted()).toEqual([...otherModules.keys()]);
  });
});
