import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
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
  bookkeeping: { platform: 'values' },
  replica: { errors: 'values', platform: 'values', schema: 'types' },
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
  },
  auth: { errors: 'values', platform: 'values' },
  client: {
    auth: 'values',
    errors: 'values',
    operations: 'values',
    platform: 'values',
    replica: 'values',
    schema: 'values',
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
    client: 'types',
    errors: 'values',
    format: 'values',
    operations: 'values',
    platform: 'values',
    replica: 'types',
    schema: 'values',
    'package.json': 'values',
  },
  mcp: {
    client: 'types',
    errors: 'values',
    format: 'values',
    operations: 'values',
    platform: 'values',
    schema: 'types',
    tools: 'values',
  },
  transports: { errors: 'values', platform: 'values', mcp: 'types' },
  service: { platform: 'values' },
  config: { auth: 'values', errors: 'values', platform: 'values', operations: 'values' },
  compose: {
    auth: 'values',
    client: 'values',
    config: 'values',
    errors: 'values',
    platform: 'types',
    mcp: 'values',
    operations: 'values',
    service: 'lazily',
    'package.json': 'values',
  },
  commands: {
    auth: 'values',
    compose: 'values',
    config: 'values',
    errors: 'values',
    platform: 'values',
    format: 'values',
    service: 'values',
    transports: 'values',
  },
  main: {
    commands: 'lazily',
    config: 'values',
    errors: 'values',
    'package.json': 'values',
  },
};

/** The folders and files that may import a library. */
const libraries: Permissions = {
  '@clack/prompts': { 'commands/secret-prompt.ts': 'lazily' },
  '@hono/node-server': {
    'service/server.ts': 'values',
    'transports/http.ts': 'values',
    'transports/http/request-context.ts': 'types',
  },
  '@modelcontextprotocol/client': { 'commands/demo.ts': 'values' },
  '@modelcontextprotocol/server': { mcp: 'values', transports: 'values' },
  '@napi-rs/keyring': { 'auth/keychain-child.ts': 'lazily' },
  commander: { 'main.ts': 'values' },
  'env-paths': { 'compose.ts': 'values' },
  hono: { 'auth/redirect-pages.ts': 'values', service: 'values', transports: 'values' },
  'lru-cache': { 'replica/replica-cache.ts': 'values' },
  oauth4webapi: { 'auth/oauth.ts': 'values', 'auth/oauth-refusals.ts': 'values' },
  open: { 'commands/browser-sign-in.ts': 'lazily' },
  pino: { 'platform/log.ts': 'lazily', platform: 'types' },
  'proper-lockfile': { 'auth/refresh-lock.ts': 'lazily' },
  undici: { 'client/http-sender.ts': 'lazily' },
  zod: {
    auth: 'values',
    client: 'values',
    commands: 'values',
    'config/settings.ts': 'values',
    'config/load-config.ts': 'values',
    format: 'values',
    mcp: 'values',
    operations: 'values',
    schema: 'values',
    service: 'values',
    tools: 'values',
    transports: 'values',
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
    ['auth/keychain-child.ts', 'main.ts'],
  ],
  ['standard output', /\bprocess\.stdout\b/, ['auth/keychain-child.ts', 'main.ts', 'transports/stdio.ts']],
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

describe('the check of imports', () => {
  const permissions: Permissions = {
    cellar: {},
    attic: { cellar: 'types' },
    door: { attic: 'lazily' },
  };
  const sound = {
    'cellar/wine.ts': 'export const wine = 1;',
    'attic/trunk.ts': "import type { Wine } from '../cellar/wine.ts';",
    'door.ts': "const { trunk } = await import('./attic/trunk.ts');",
  };
  const watch = (changed: Record<string, string>) =>
    breachesOf(permissions, usesOfFolders(new Map(Object.entries({ ...sound, ...changed }))));

  it('the check of imports accepts what is permitted and used', () => {
    expect(watch({})).toEqual([]);
  });

  it('the check of imports finds a forbidden import', () => {
    expect(watch({ 'cellar/wine.ts': "import { trunk } from '../attic/trunk.ts';" })).toEqual([
      'cellar/wine.ts may not import attic (values)',
    ]);
  });

  it('the check of imports finds a re-export and an import for its side effect', () => {
    expect(
      watch({ 'cellar/a.ts': "export * from '../door.ts';", 'cellar/b.ts': "import '../door.ts';" }),
    ).toEqual(['cellar/a.ts may not import door (values)', 'cellar/b.ts may not import door (values)']);
  });

  it('the check of imports finds an import of a value if only types are permitted, also among types', () => {
    const mixed = "import {\n  type Wine,\n  wine,\n} from '../cellar/wine.ts';";
    expect(watch({ 'attic/hat.ts': mixed })).toEqual(['attic/hat.ts may not import cellar (values)']);
  });

  it('the check of imports finds a direct import if only a lazy one is permitted', () => {
    expect(watch({ 'bell.ts': '', 'door.ts': "import { trunk } from './attic/trunk.ts';" })).toEqual([
      'door.ts may not import attic (values)',
      'door no longer imports attic (lazily)',
    ]);
  });

  it('the check of imports finds an import outside src', () => {
    expect(watch({ 'cellar/wine.ts': "import { it } from '../../test/it.ts';" })).toEqual([
      'cellar/wine.ts may not import test/it.ts (values)',
    ]);
  });

  it('the check of imports finds an unused permission', () => {
    expect(watch({ 'attic/trunk.ts': '' })).toEqual(['attic no longer imports cellar (types)']);
  });

  it('the check of imports finds a permission for values of which only types are imported', () => {
    const wider = { ...permissions, attic: { cellar: 'values' } } as const;
    expect(breachesOf(wider, usesOfFolders(new Map(Object.entries(sound))))).toEqual([
      'attic no longer imports cellar (values)',
    ]);
  });

  it('the check of imports finds a forbidden library, and a permission for an unused one', () => {
    const table: Permissions = {
      undici: { 'client/sender.ts': 'values' },
      '@scope/kit': { attic: 'values' },
    };
    const kitchen = new Map([
      ['client/sender.ts', "import { Agent } from 'undici';\nimport { once } from 'node:events';"],
      ['client/other.ts', "import { Agent } from 'undici';"],
      ['cellar/wine.ts', "import { kit } from '@scope/kit/deep';"],
    ]);
    expect(breachesOf(inverted(table), usesOfLibraries(kitchen))).toEqual([
      'client/other.ts may not import undici (values)',
      'cellar/wine.ts may not import @scope/kit (values)',
      'attic no longer imports @scope/kit (values)',
    ]);
  });

  it('the check of imports finds files that import each other in a circle, types included', () => {
    const circular = new Map([
      ['attic/trunk.ts', "import type { Wine } from '../cellar/wine.ts';"],
      ['cellar/wine.ts', "export { door } from '../door.ts';"],
      ['door.ts', "const { trunk } = await import('./attic/trunk.ts');"],
      ['window.ts', "import { door } from './door.ts';"],
    ]);
    expect(cyclesOf(circular)).toEqual([['attic/trunk.ts', 'cellar/wine.ts', 'door.ts']]);
    expect(cyclesOf(new Map(Object.entries(sound)))).toEqual([]);
  });

  it('the check of imports ignores comments', () => {
    const source = '/**\n * Not Date.now().\n */\n// nor console\nconst url = "https://console";';
    expect(codeOf(source).trim()).toBe('const url = "https://console";');
  });

  it('the check of imports distinguishes a file that only re-exports from one with own code', () => {
    expect(isBarrel("/** Everything. */\nexport * from './a.ts';\nexport {\n  b,\n} from './b.ts';\n")).toBe(
      true,
    );
    expect(isBarrel("export * from './a.ts';\nexport const c = 1;\n")).toBe(false);
  });
});
