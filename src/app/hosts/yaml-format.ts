/**
 * YAML. The library would rewrite the whole document, with other indentation, so that it is only asked where something
 * is. What this does to a file is compared with what the parser reads, in `edit-config.ts`.
 */
import { type Document, isMap, isScalar, type Pair, parseDocument, stringify, type YAMLMap } from 'yaml';
import type { JsonObject } from '../../base/json.ts';
import { CannotEdit, type ConfigFormat, lineEndOf, withLineEnd } from './text-edits.ts';

export const yamlFormat: ConfigFormat = {
  parse: (text) => documentOf(text).toJS() ?? {},
  set(text, keys, name, entry) {
    const [key = ''] = keys;
    const parent = pairIn(rootOf(text), key);
    const made = (indent: number) => blockOf(text, name, entry, indent);
    if (!parent) {
      const start = withLineEnd(text);
      return `${start}${key}:${lineEndOf(text)}${made(2)}`;
    }
    const map = parent.value;
    if (isMap(map) && !map.flow && map.items.length > 0) {
      const own = pairIn(map, name);
      const indent = columnOf(text, startOf(map.items[0]));
      if (!own) return inserted(text, endOfLines(text, map.items.at(-1)), made(indent));
      return (
        text.slice(0, startOfLine(text, startOf(own))) + made(indent) + text.slice(endOfLines(text, own))
      );
    }
    if (isMap(map) && map.items.length > 0)
      throw new CannotEdit(`has ${key} in one line, in braces: add the server by hand`);
    // Without a value, or with an empty object.
    const [from = 0, to = 0] = isMap(map) ? (map.range ?? []) : [];
    const cleared = isMap(map) ? text.slice(0, from).trimEnd() + text.slice(to) : text;
    return inserted(cleared, endOfLine(cleared, startOf(parent)), made(2));
  },
  remove(text, keys, name) {
    const parent = pairIn(rootOf(text), keys[0] ?? '');
    const map = parent?.value;
    const own = isMap(map) ? pairIn(map, name) : undefined;
    if (!parent || !isMap(map) || !own) return text;
    if (map.flow) throw new CannotEdit(`has ${keys[0]} in one line, in braces: remove the server by hand`);
    // A key whose last entry is gone would have no value, which is not an empty object.
    const removed = map.items.length === 1 ? parent : own;
    return text.slice(0, startOfLine(text, startOf(removed))) + text.slice(endOfLines(text, own));
  },
};

function documentOf(text: string): Document {
  const document = parseDocument(text);
  // The parser's messages quote the text.
  if (document.errors.length > 0) throw new CannotEdit('is not valid YAML');
  return document;
}

function rootOf(text: string): YAMLMap | undefined {
  const { contents } = documentOf(text);
  return isMap(contents) ? contents : undefined;
}

const pairIn = (map: YAMLMap | undefined, name: string): Pair | undefined =>
  map?.items.find(({ key }) => isScalar(key) && key.value === name);

const rangeOf = (node: unknown): readonly number[] =>
  (isScalar(node) || isMap(node) ? node.range : undefined) ?? [];

const startOf = (pair: Pair | undefined): number => rangeOf(pair?.key)[0] ?? 0;

const startOfLine = (text: string, at: number): number => text.lastIndexOf('\n', at - 1) + 1;

const columnOf = (text: string, at: number): number => at - startOfLine(text, at);

/** After the line that contains `at`. */
function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end + 1;
}

/** After the last line of a pair. */
function endOfLines(text: string, pair: Pair | undefined): number {
  const end = rangeOf(pair?.value)[1] ?? rangeOf(pair?.key)[1] ?? text.length;
  return end > 0 && text[end - 1] === '\n' ? end : endOfLine(text, end);
}

function inserted(text: string, at: number, block: string): string {
  return withLineEnd(text.slice(0, at)) + block + text.slice(at);
}

function blockOf(text: string, name: string, entry: JsonObject, indent: number): string {
  const lines = stringify({ [name]: entry }, { lineWidth: 0 })
    .trimEnd()
    .split('\n');
  return lines.map((line) => ' '.repeat(indent) + line + lineEndOf(text)).join('');
}
