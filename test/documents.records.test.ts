/** docs/records.md has every name that the code gives a store, and no other. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readDocument } from './documents.ts';
import { storedNames } from './stored-names.helper.ts';

const root = new URL('../src/', import.meta.url);
const sources = new Map(
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => [file, readFileSync(new URL(file, root), 'utf8')] as const),
);

const rowsOf = (text: string) =>
  [...text.matchAll(/^\| `([^`]*)` \| (record|log|lock) \|.*\(\.\.\/src\/(\S+)\) \|$/gm)].map(
    ([, name = '', kind, file]) => `${kind} ${name.replaceAll(/<[^>]*>/g, '<>')}: ${file}`,
  );

test('docs/records.md has each record, log and lock of the code, the file that names it, and no other', () => {
  expect(rowsOf(readDocument('docs/records.md')).toSorted()).toEqual([...storedNames(sources)].toSorted());
});

test('a name that the code gives a store is found as a text, a constant, a field, and the result of a function', () => {
  const lines = [
    `import { nameOf } from './other.ts';`,
    `const PREFIX = 'a/';`,
    `const own = (id: string) => \`\${PREFIX}\${id}\`;`,
    "this.#log = 'd';",
    "new SharedRecord(store, 'b', schema, []);",
    'const name = nameOf(id);',
    'await this.#store.append(this.#log, 1);',
    'await store.lock(own(1));',
    'await store\n.update(name);',
  ];
  const made = new Map([
    ['room/file.ts', lines.join('\n')],
    ['room/other.ts', `export const nameOf = (id: string): string => \`c \${id}\`;`],
  ]);
  expect([...storedNames(made)].toSorted()).toEqual([
    'lock a/<>: room/file.ts',
    'log d: room/file.ts',
    'record b: room/file.ts',
    'record c <>: room/other.ts',
  ]);
});

test('a name whose text is not found is an error', () => {
  const sources = new Map([['file.ts', 'store.read(name);']]);
  expect(() => storedNames(sources)).toThrow('file.ts gives a store the name name');
});
