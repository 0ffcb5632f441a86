/**
 * JSON, with or without comments and trailing commas. The library finds things; whole lines are put in and taken out here,
 * because the library moves or drops the comments beside them. It does the rest, such as a file of one line.
 */
import {
  applyEdits,
  createScanner,
  findNodeAtLocation,
  modify,
  type Node,
  type ParseError,
  parse,
  parseTree,
} from 'jsonc-parser';
import type { JsonObject } from '../../base/json.ts';
import { CannotEdit, type ConfigFormat, lineEndOf, nested } from './text-edits.ts';

export const jsonFormat: ConfigFormat = {
  parse(text) {
    if (text.trim() === '') return {};
    const errors: ParseError[] = [];
    const value: unknown = parse(text, errors, { allowTrailingComma: true });
    if (errors.length > 0) throw new CannotEdit('is not valid JSON');
    return value;
  },
  set(text, keys, name, entry) {
    const before = text.trim() === '' ? '{}\n' : text;
    const path = [...keys, name];
    return linesAdded(before, path, entry) ?? byLibrary(before, path, entry);
  },
  remove: (text, keys, name) =>
    linesRemoved(text, [...keys, name]) ?? byLibrary(text, [...keys, name], undefined),
};

function byLibrary(text: string, path: string[], entry: JsonObject | undefined): string {
  const indent = indentOf(text);
  const formattingOptions = {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 1 : indent.length,
    eol: lineEndOf(text),
  };
  const [at, value] = nullReplaced(text, path, entry);
  return applyEdits(text, modify(text, at, value, { formattingOptions }));
}

/** The library puts nothing into a null, so the first one on the path is replaced by an object with the rest of the path. */
function nullReplaced(text: string, path: string[], entry: JsonObject | undefined) {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const depth = path.findIndex(
    (_, at) => root && findNodeAtLocation(root, path.slice(0, at))?.type === 'null',
  );
  if (depth === -1 || entry === undefined) return [path, entry] as const;
  return [path.slice(0, depth), nested(path.slice(depth), entry)] as const;
}

/** The first line that is indented tells by how much. */
const indentOf = (text: string): string => /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ';

const endOf = ({ offset, length }: Node) => offset + length;

/** Where the next comma is, after `start` and before any other sign. Comments are skipped. */
function commaAfter(text: string, start: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(start);
  scanner.scan();
  const next = scanner.getTokenOffset();
  return text[next] === ',' ? next : undefined;
}

/** The rest of the line with its end, if there is nothing on it but blanks and a comment of one line. */
function restOfLine(text: string, start: number): number | undefined {
  const [rest] = /^[ \t]*(\/\/[^\n]*|\/\*((?!\*\/)[^\n])*\*\/[ \t]*)?\r?\n/.exec(text.slice(start)) ?? [];
  return rest === undefined ? undefined : start + rest.length;
}

/** The text before a node on its line, if it is only blanks. */
const indentBefore = (text: string, { offset }: Node): string | undefined =>
  /(?:^|\n)([ \t]*)$/.exec(text.slice(0, offset))?.[1];

/** Adds lines after the last property of the object that is there. Undefined if it does not consist of whole lines. */
function linesAdded(text: string, path: readonly string[], entry: JsonObject): string | undefined {
  const root = parseTree(text, [], { allowTrailingComma: true });
  if (!root || findNodeAtLocation(root, [...path])) return undefined;
  let depth = path.length - 1;
  while (depth > 0 && !findNodeAtLocation(root, path.slice(0, depth))) depth -= 1;
  const last = (depth === 0 ? root : findNodeAtLocation(root, path.slice(0, depth)))?.children?.at(-1);
  if (last?.type !== 'property') return undefined;
  const indent = indentBefore(text, last);
  const comma = commaAfter(text, endOf(last));
  const line = restOfLine(text, comma === undefined ? endOf(last) : comma + 1);
  if (indent === undefined || line === undefined) return undefined;
  const [key = '', ...inner] = path.slice(depth);
  const made = `${JSON.stringify(key)}: ${JSON.stringify(nested(inner, entry), null, indentOf(text))}`
    .split('\n')
    .map((each) => indent + each)
    .join(lineEndOf(text));
  const separator = comma === undefined ? ',' : '';
  const trailing = comma === undefined ? '' : ',';
  return (
    text.slice(0, endOf(last)) +
    separator +
    text.slice(endOf(last), line) +
    made +
    trailing +
    lineEndOf(text) +
    text.slice(line)
  );
}

/** Removes the lines of a property. Undefined if it does not consist of whole lines, or is the only one. */
function linesRemoved(text: string, path: readonly string[]): string | undefined {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const own = root && findNodeAtLocation(root, [...path])?.parent;
  const siblings = own?.parent?.children ?? [];
  if (!own || siblings.length === 1) return undefined;
  const indent = indentBefore(text, own);
  const comma = commaAfter(text, endOf(own));
  const line = restOfLine(text, comma === undefined ? endOf(own) : comma + 1);
  if (indent === undefined || line === undefined) return undefined;
  const before = text.slice(0, own.offset - indent.length);
  if (comma !== undefined) return before + text.slice(line);
  // It was the last one, so the one before it loses its comma.
  const previous = siblings.at(-2);
  const separator = previous && commaAfter(text, endOf(previous));
  if (separator === undefined) return undefined;
  return before.slice(0, separator) + before.slice(separator + 1) + text.slice(line);
}
