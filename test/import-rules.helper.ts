/**
 * Finds the imports in source files and compares them with a table of permissions. The formatter gives import and export
 * statements one form, so a regular expression finds them reliably.
 */
import { posix } from 'node:path';

/** Texts by path, relative to `src/`. */
export type Sources = ReadonlyMap<string, string>;

export type ImportKind = 'types' | 'values' | 'lazily';

/** The permitted imports of each importer. `lazily` means `import()`, and includes types. `values` includes both. */
export type Permissions = Readonly<Record<string, Readonly<Record<string, ImportKind>>>>;

interface Use {
  readonly file: string;
  /** The names that may have a permission: the file and its room. */
  readonly by: readonly string[];
  readonly of: string;
  readonly kind: ImportKind;
}

const statement = /^(?:import|export)\s+(?:(?<clause>[^'";]+?)\s+from\s+)?'(?<from>[^']+)'/gm;
const call = /\bimport\(\s*'(?<from>[^']+)'/g;

/** Every import, re-export and `import()` of a module. An import of types and values counts as both. */
function importsOf(source: string): { readonly from: string; readonly kind: ImportKind }[] {
  const statements = [...source.matchAll(statement)].flatMap(({ groups }) =>
    kindsOf(groups?.['clause']).map((kind) => ({ from: groups?.['from'] ?? '', kind })),
  );
  const calls = [...source.matchAll(call)].map(({ groups }) => ({
    from: groups?.['from'] ?? '',
    kind: 'lazily' as const,
  }));
  return [...statements, ...calls];
}

function kindsOf(clause: string | undefined): ImportKind[] {
  if (clause?.startsWith('type ')) return ['types'];
  const names = clause?.match(/^\{(.*)\}$/s)?.[1]?.match(/[^,\s][^,]*/g);
  if (!names) return ['values'];
  const areTypes = names.map((name) => name.startsWith('type '));
  return [
    ...(areTypes.includes(true) ? ['types' as const] : []),
    ...(areTypes.includes(false) ? ['values' as const] : []),
  ];
}

/** `session/http/codec.ts` is in the room `session`. A file directly in `src/` is a room of its own. */
export const roomOf = (file: string) => (file.split('/')[0] ?? '').replace(/\.[jt]s$/, '');

/** Imports of files. What is imported is relative to `src/`, as the importing file is. */
export const usesOfFiles = (sources: Sources): Use[] =>
  usesOf(sources, (from) => from.startsWith('.')).map((use) => ({
    ...use,
    of: posix.join(posix.dirname(use.file), use.of),
  }));

/** Imports from one room to another, or to a file outside `src/`. */
export function usesOfRooms(sources: Sources): Use[] {
  return usesOfFiles(sources)
    .map((use) => ({ ...use, by: [roomOf(use.file)], of: targetOf(use) }))
    .filter(({ by, of }) => !by.includes(of));
}

const targetOf = ({ of }: Use) => (of.startsWith('../') ? of.slice('../'.length) : roomOf(of));

/** Imports of packages, without those of Node itself. */
export function usesOfLibraries(sources: Sources): Use[] {
  return usesOf(sources, (from) => !/^(\.|node:)/.test(from)).map((use) => ({
    ...use,
    of: /^(@[^/]+\/)?[^/]+/.exec(use.of)?.[0] ?? use.of,
  }));
}

function usesOf(sources: Sources, isWanted: (from: string) => boolean): Use[] {
  return [...sources].flatMap(([file, source]) =>
    importsOf(source)
      .filter(({ from }) => isWanted(from))
      .map(({ from, kind }) => ({ file, by: [file, roomOf(file)], of: from, kind })),
  );
}

/** Groups of files that import each other in a circle, types included; each group is sorted. */
export function cyclesOf(sources: Sources): string[][] {
  const imports = new Map(
    [...sources].map(([file, source]) => [
      file,
      importsOf(source)
        .filter(({ from }) => from.startsWith('.'))
        .map(({ from }) => posix.join(posix.dirname(file), from)),
    ]),
  );
  const reachableFrom = (start: string): ReadonlySet<string> => {
    const found = new Set<string>();
    const queue = [start];
    for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
      for (const next of imports.get(file) ?? []) {
        if (found.has(next)) continue;
        found.add(next);
        queue.push(next);
      }
    }
    return found;
  };
  const reachable = new Map([...imports.keys()].map((file) => [file, reachableFrom(file)]));
  const cycles = new Map<string, string[]>();
  for (const [file, others] of reachable) {
    if (!others.has(file)) continue;
    const cycle = [...others].filter((other) => reachable.get(other)?.has(file)).toSorted();
    cycles.set(cycle.join(), cycle);
  }
  return [...cycles.values()];
}

/** The same permissions by imported name. */
export function inverted(permissions: Permissions): Permissions {
  const turned: Record<string, Record<string, ImportKind>> = {};
  for (const [of, importers] of Object.entries(permissions)) {
    for (const [by, kind] of Object.entries(importers)) turned[by] = { ...turned[by], [of]: kind };
  }
  return turned;
}

/** Uses without a permission, and permissions without a use. */
export function breachesOf(permissions: Permissions, uses: readonly Use[]): string[] {
  const permits = (by: string, { of, kind }: Use) => {
    const permission = permissions[by]?.[of];
    const isLazyType = permission === 'lazily' && kind === 'types';
    return permission === kind || permission === 'values' || isLazyType;
  };
  const forbidden = uses
    .filter((use) => !use.by.some((by) => permits(by, use)))
    .map(({ file, of, kind }) => `${file} may not import ${of} (${kind})`);
  const idle = Object.entries(permissions).flatMap(([by, row]) =>
    Object.entries(row)
      .filter(([of, kind]) => !uses.some((use) => use.by.includes(by) && use.of === of && use.kind === kind))
      .map(([of, kind]) => `${by} no longer imports ${of} (${kind})`),
  );
  return [...new Set(forbidden), ...idle];
}

/** The source without comment lines. The formatter puts long comments on their own lines. */
export const codeOf = (source: string) => source.replace(/^\s*(\/\/|\/?\*).*$/gm, '');

/** Whether a file only re-exports. */
export const isBarrel = (source: string) =>
  codeOf(source)
    .replace(/^(import|export)\b[^;]*'[^']+';$/gm, '')
    .trim() === '';
