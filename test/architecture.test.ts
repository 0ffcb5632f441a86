import { readdirSync, readFileSync } from 'node:fs';
import { basename, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import {
  breachesOf,
  codeOf,
  cyclesOf,
  folderOf,
  inverted,
  isBarrel,
  type Permissions,
  type Sources,
  usesOfFolders,
  usesOfLibraries,
} from './import-rules.helper.ts';

/** The permitted imports of each folder. An import that is not listed is forbidden, and an unused permission is an error. */
const folders: Permissions = {
  errors: {},
  platform: { errors: 'values' },
  schema: {},
  state: { errors: 'values', platform: 'values' },
  bookkeeping: { platform: 'values' },
  replica: { errors: 'values', platform: 'values', schema: 'types' },
  reports: { bookkeeping: 'values', platform: 'values', replica: 'types' },
  operations: {
    bookkeeping: 'values',
    platform: 'values',
    replica: 'types',
    schema: 'values',
  },
  writes: {
    bookkeeping: 'values',
    errors: 'values',
    operations: 'values',
    platform: 'values',
    replica: 'values',
    schema: 'values',
    state: 'values',
  },
  auth: { errors: 'values', platform: 'values', state: 'types' },
  client: {
    auth: 'values',
    errors: 'values',
    operations: 'values',
    platform: 'values',
    replica: 'values',
    reports: 'types',
    schema: 'values',
    state: 'values',
    writes: 'values',
  },
  format: {
    bookkeeping: 'values',
    client: 'types',
    errors: 'values',
    operations: 'types',
    platform: 'values',
    schema: 'values',
    writes: 'types',
  },
  tools: {
    bookkeeping: 'values',
    client: 'types',
    errors: 'values',
    format: 'values',
    operations: 'values',
    platform: 'values',
    replica: 'types',
    reports: 'values',
    schema: 'values',
    'package.json': 'values',
    'view-data': 'types',
    writes: 'types',
  },
  'view-data': {},
  views: { 'view-data': 'values' },
  mcp: {
    client: 'types',
    errors: 'values',
    format: 'values',
    operations: 'values',
    platform: 'values',
    schema: 'values',
    state: 'values',
    tools: 'values',
    'view-data': 'values',
  },
  transports: { errors: 'values', platform: 'values', mcp: 'types' },
  metrics: { platform: 'types', transports: 'values' },
  service: { platform: 'values' },
  hosts: { errors: 'values', platform: 'values' },
  hosting: {
    auth: 'values',
    errors: 'values',
    operations: 'values',
    platform: 'values',
    state: 'values',
    transports: 'values',
  },
  config: { auth: 'values', errors: 'values', platform: 'values', operations: 'values' },
  'compose-server': {
    auth: 'values',
    client: 'values',
    config: 'types',
    mcp: 'values',
    platform: 'values',
    state: 'values',
  },
  'compose-hosted': {
    auth: 'values',
    client: 'types',
    'compose-server': 'values',
    config: 'types',
    errors: 'values',
    hosting: 'values',
    mcp: 'values',
    platform: 'types',
    state: 'values',
    tools: 'values',
    transports: 'values',
    'package.json': 'values',
  },
  compose: {
    auth: 'values',
    client: 'values',
    'compose-hosted': 'lazily',
    'compose-server': 'lazily',
    config: 'values',
    errors: 'values',
    hosting: 'values',
    platform: 'types',
    mcp: 'values',
    operations: 'lazily',
    service: 'lazily',
    state: 'values',
    transports: 'values',
    'package.json': 'values',
  },
  commands: {
    auth: 'values',
    compose: 'values',
    config: 'values',
    errors: 'values',
    platform: 'values',
    hosts: 'values',
    metrics: 'lazily',
    service: 'values',
    transports: 'values',
    'package.json': 'values',
  },
  main: { program: 'lazily' },
  program: {
    commands: 'lazily',
    config: 'values',
    errors: 'values',
    platform: 'values',
  },
};

/** The folders and files that may import a library. */
const libraries: Permissions = {
  '@clack/prompts': { 'commands/secret-prompt.ts': 'lazily', 'commands/yes-prompt.ts': 'lazily' },
  '@hono/node-server': {
    'hosting/authorization.ts': 'values',
    'service/server.ts': 'values',
    'transports/http.ts': 'values',
    'transports/http/app.ts': 'types',
    'transports/http/request-context.ts': 'types',
  },
  '@modelcontextprotocol/client': { 'commands/demo.ts': 'values' },
  '@modelcontextprotocol/ext-apps': { 'mcp/apps.ts': 'values' },
  '@modelcontextprotocol/server': { mcp: 'values', transports: 'values' },
  '@napi-rs/keyring': { 'auth/keychain-child.ts': 'lazily' },
  commander: { 'commands/command-line.ts': 'values' },
  'env-paths': { 'compose/places.ts': 'values' },
  'fastest-levenshtein': { 'commands/command-line.ts': 'values', 'mcp/arguments.ts': 'values' },
  hono: {
    'auth/redirect-pages.ts': 'values',
    'auth/sign-in-form.ts': 'values',
    hosting: 'values',
    service: 'values',
    transports: 'values',
  },
  ioredis: {
    'state/redis-client.ts': 'values',
    'state/redis-problem.ts': 'values',
    'state/redis-url.ts': 'types',
  },
  'jsonc-parser': { 'hosts/json-format.ts': 'values' },
  'lru-cache': {
    'client/kept-answers.ts': 'values',
    'hosting/public-limits.ts': 'values',
    'replica/cache-entries.ts': 'values',
    'state/redis-store.ts': 'values',
    'state/sqlite-store.ts': 'values',
    'transports/http/request-limits.ts': 'values',
  },
  'oidc-provider': { hosting: 'values' },
  oauth4webapi: { 'auth/oauth.ts': 'values', 'auth/oauth-refusals.ts': 'values' },
  open: { 'commands/browser-sign-in.ts': 'lazily' },
  pino: { 'platform/log.ts': 'lazily', platform: 'types' },
  'prom-client': { 'metrics/prometheus.ts': 'values' },
  'proper-lockfile': { 'auth/directory-lock.ts': 'lazily' },
  'smol-toml': { 'hosts/toml-format.ts': 'values' },
  undici: { 'client/http-sender.ts': 'lazily' },
  yaml: { 'hosts/yaml-format.ts': 'values' },
  zod: {
    auth: 'values',
    client: 'values',
    commands: 'values',
    'compose-hosted.ts': 'values',
    'config/settings.ts': 'values',
    'config/load-config.ts': 'values',
    format: 'values',
    hosting: 'values',
    mcp: 'values',
    operations: 'values',
    schema: 'values',
    service: 'values',
    state: 'values',
    tools: 'values',
    transports: 'values',
    'view-data': 'values',
    writes: 'values',
  },
};

/** Uses of global functions and modules that reach outside the program, and the only files that may use them. */
const reaches: readonly (readonly [what: string, pattern: RegExp, files: readonly string[]])[] = [
  ['the environment', /\bprocess\.env\b/, ['config/load-config.ts']],
  [
    'the time and timers',
    /\bDate\.now\b|\bnew Date\(\)|\bset(Timeout|Interval|Immediate)\b|\bperformance\b|\bAbortSignal\.timeout\b|\bhrtime\b/,
    ['platform/clock.ts'],
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

describe('the imports between the folders of src', () => {
  it('no folder has a forbidden import, and no permission is unused', () => {
    expect(breachesOf(folders, usesOfFolders(sources))).toEqual([]);
  });

  it('the table has a row for every folder', () => {
    expect([...new Set([...sources.keys()].map(folderOf))].toSorted()).toEqual(
      Object.keys(folders).toSorted(),
    );
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
  ['bundle/bundle-program.test.ts', '.ci/bundle-program.ts'],
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
  ['fault-soak.ts', 'soak.ts starts it'],
  ['host-soak.ts', 'soak.ts starts it'],
  ['hosted-soak.ts', 'soak.ts starts it'],
  ['machines-soak.ts', 'soak.ts starts it'],
  ['process-soak.ts', 'soak.ts starts it'],
]);

const filesOfTests = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts') && !file.includes('node_modules/'));

/** `client/codec.errors.test.ts` is a test of `client/codec`. */
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
