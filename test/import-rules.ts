/**
 * Who imports whom, read off the text of source files, and what a table of permissions says to it. The formatter
 * gives import and export statements one form, in which a regular expression finds them safely.
 */
import { posix } from 'node:path';

/** Texts by path, relative to `src/`. */
export type Sources = ReadonlyMap<string, string>;

export type ImportKind = 'types' | 'values' | 'lazily';

/** By importer, what it may import. `lazily` is an `import()` when it is needed; `values` includes that and types. */
export type Permissions = Readonly<Record<string, Readonly<Record<string, ImportKind>>>>;

interface Use {
  readonly file: string;
  /** The names under which the importer may have been given permission. */
  readonly by: readonly string[];
  readonly of: string;
  readonly kind: ImportKind;
}

const statement = /^(?:import|export)\s+(?:(?<clause>[^'";]+?)\s+from\s+)?'(?<from>[^']+)'/gm;
const call = /\bimport\(\s*'(?<from>[^']+)'/g;

/** Every import, re-export and `import()` of a module. What is imported both ways is there for each. */
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

/** `client/codec.ts` is in the room `client`; `config.ts` is a room by itself. */
export const roomOf = (file: string) => (file.split('/')[0] ?? '').replace(/\.ts$/, '');

/** Imports from one room to another, or to a file outside `src/`. */
export function usesOfRooms(sources: Sources): Use[] {
  return usesOf(sources, (from) => from.startsWith('.'))
    .map((use) => ({ ...use, by: [roomOf(use.file)], of: targetOf(use) }))
    .filter(({ by, of }) => !by.includes(of));
}

function targetOf({ file, of }: Use): string {
  const target = posix.join('src', posix.dirname(file), of);
  return target.startsWith('src/') ? roomOf(target.slice('src/'.length)) : target;
}

/** Imports of packages; those of Node itself are free. */
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

/** The same permissions, told from the other side. */
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
    return permission === kind || permission === 'values';
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

/** The text without the lines that are comments; the formatter leaves longer comments on lines of their own. */
export const codeOf = (source: string) => source.replace(/^\s*(\/\/|\/?\*).*$/gm, '');

/** Whether a file has nothing of its own. */
export const isBarrel = (source: string) =>
  codeOf(source)
    .replace(/^(import|export)\b[^;]*'[^']+';$/gm, '')
    .trim() === '';
