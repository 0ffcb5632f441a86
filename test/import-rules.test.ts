import { describe, expect, it } from 'vitest';
import {
  breachesOf,
  codeOf,
  cyclesOf,
  inverted,
  isBarrel,
  type Permissions,
  usesOfLibraries,
  usesOfRooms,
} from './import-rules.helper.ts';

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
    breachesOf(permissions, usesOfRooms(new Map(Object.entries({ ...sound, ...changed }))));

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

  it('the check of imports accepts an import of types if a lazy one is permitted, and used', () => {
    const lazy = "import type { Trunk } from './attic/trunk.ts';\nawait import('./attic/trunk.ts');";
    expect(watch({ 'door.ts': lazy })).toEqual([]);
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
    expect(breachesOf(wider, usesOfRooms(new Map(Object.entries(sound))))).toEqual([
      'attic no longer imports cellar (values)',
    ]);
  });

  it('the check of imports finds a forbidden library, and a permission for an unused one', () => {
    const table: Permissions = {
      undici: { 'session/sender.ts': 'values' },
      '@scope/kit': { attic: 'values' },
    };
    const kitchen = new Map([
      ['session/sender.ts', "import { Agent } from 'undici';\nimport { once } from 'node:events';"],
      ['session/other.ts', "import { Agent } from 'undici';"],
      ['cellar/wine.ts', "import { kit } from '@scope/kit/deep';"],
    ]);
    expect(breachesOf(inverted(table), usesOfLibraries(kitchen))).toEqual([
      'session/other.ts may not import undici (values)',
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
