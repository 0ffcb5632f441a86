/** The formats of configuration files: how each is read and changed. */
import {
  applyEdits,
  findNodeAtLocation,
  modify,
  type ParseError,
  parse as parseJsonc,
  parseTree,
} from 'jsonc-parser';
import { parse as parseToml, stringify } from 'smol-toml';
import { type Document, isMap, parseDocument, type Tags } from 'yaml';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { FormatName } from './host-table.ts';

/** How one format of configuration files is changed. All functions throw for a text that is not of the format. */
export interface ConfigFormat {
  parse(text: string): unknown;
  /** Writes `entry` as `name` at `keys`, in the place of one that is there. Everything else stays as it is. */
  set(text: string, keys: readonly string[], name: string, entry: JsonObject): string;
  remove(text: string, keys: readonly string[], name: string): string;
}

/** The text cannot be changed without changing more than the entry. The message completes "the file". */
export class CannotEdit extends Error {}

const lineEndOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n');

/** Ends the last line, if there is one. */
const withLineEnd = (text: string): string =>
  text === '' || text.endsWith('\n') ? text : text + lineEndOf(text);

/** Each line with its end. */
export const linesOf = (text: string): string[] => text.match(/[^\n]+\n?|\n/g) ?? [];

/** The object at `keys`. Undefined if there is none. Throws if something else is there. */
export function objectAt(value: unknown, keys: readonly string[]): JsonObject | undefined {
  let at = value;
  for (const key of ['', ...keys]) {
    if (key !== '') at = isJsonObject(at) ? at[key] : undefined;
    if (at === undefined || at === null) return undefined;
    if (!isJsonObject(at)) throw new CannotEdit(`has no object at ${keys.join('.')}`);
  }
  return isJsonObject(at) ? at : undefined;
}

/** An object with the entry at the end of the path. */
const nested = (path: readonly string[], entry: JsonObject): JsonObject =>
  path.reduceRight<JsonObject>((inner, key) => ({ [key]: inner }), entry);

/**
 * JSON, with or without comments and trailing commas. The library changes the text. It keeps comments, except some between an
 * entry that it removes and those beside it, and it may change the layout of the entry beside it.
 */
const jsonFormat: ConfigFormat = {
  parse(text) {
    if (text.trim() === '') return {};
    const errors: ParseError[] = [];
    const value: unknown = parseJsonc(text, errors, { allowTrailingComma: true });
    if (errors.length > 0) throw new CannotEdit('is not valid JSON');
    return value;
  },
  set(text, keys, name, entry) {
    return byLibrary(text.trim() === '' ? '{}\n' : text, [...keys, name], entry);
  },
  remove: (text, keys, name) => byLibrary(text, [...keys, name], undefined),
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

/**
 * TOML. No small library keeps comments, so the text is changed by lines: an entry is the table `[keys.name]` with the
 * tables below it. What this does to a file is compared with what the parser reads, in `edit-config.ts`.
 */
const tomlFormat: ConfigFormat = {
  parse(text) {
    try {
      return parseToml(text);
    } catch {
      // The parser's message quotes the text.
      throw new CannotEdit('is not valid TOML');
    }
  },
  set(text, keys, name, entry) {
    const made = tomlTableOf(text, keys, name, entry);
    const { before, found, after } = splitAt(text, [...keys, name]);
    if (found) return before.join('') + made + after.join('');
    const start = withLineEnd(text);
    return start + (start === '' ? '' : lineEndOf(text)) + made;
  },
  remove(text, keys, name) {
    const { before, after } = splitAt(text, [...keys, name]);
    // The blank line between two tables belongs to the second one.
    const isBlank = (line: string | undefined) => line === undefined || line.trim() === '';
    if (before.length > 0 && isBlank(before.at(-1)) && isBlank(after[0])) before.pop();
    return [...before, ...after].join('');
  },
};

function tomlTableOf(text: string, keys: readonly string[], name: string, entry: JsonObject): string {
  const made = stringify(nested([...keys, name], entry)).trimStart();
  return withLineEnd(made).replaceAll('\n', lineEndOf(text));
}

/** The lines before, in and after the tables of an entry. They have to be next to each other. */
function splitAt(text: string, path: readonly string[]) {
  const lines = linesOf(text);
  const keys = path.map((key) => `(?:${key}|"${key}"|'${key}')`).join('\\s*\\.\\s*');
  const own = new RegExp(`^\\s*\\[\\s*${keys}\\s*(\\.[^\\]]*)?\\]`);
  const start = lines.findIndex((line) => own.test(line));
  if (start === -1) return { before: lines, found: false, after: [] };
  const next = lines.findIndex((line, at) => at > start && /^\s*\[/.test(line) && !own.test(line));
  let end = next === -1 ? lines.length : next;
  // Comments and blank lines before the next table, or at the end of the file, belong to what follows.
  while (end > start + 1 && /^\s*(#.*)?$/.test((lines[end - 1] ?? '').trimEnd())) end -= 1;
  return { before: lines.slice(0, start), found: true, after: lines.slice(end) };
}

/** YAML. The library writes the whole document again, with its comments, and perhaps with other indentation. */
const yamlFormat: ConfigFormat = {
  parse: (text) => documentOf(text).toJS() ?? {},
  set(text, keys, name, entry) {
    const document = documentOf(text);
    // The library puts nothing into what is null.
    if (!isMap(document.contents)) document.contents = document.createNode({});
    if (!isMap(document.getIn(keys))) document.setIn(keys, document.createNode({}));
    document.setIn([...keys, name], entry);
    return textOf(document, text);
  },
  remove(text, keys, name) {
    const document = documentOf(text);
    document.deleteIn([...keys, name]);
    return textOf(document, text);
  },
};

function documentOf(text: string): Document {
  // The library would keep a carriage return in some comments.
  const document = parseDocument(text.replaceAll('\r\n', '\n'), { customTags: withNumbersAsWritten });
  // The parser's messages quote the text.
  if (document.errors.length > 0) throw new CannotEdit('is not valid YAML');
  return document;
}

/** A number of another server may be an id of 18 digits, or begin with zeros. */
const withNumbersAsWritten = (tags: Tags): Tags =>
  tags.map((tag) => {
    if (typeof tag !== 'object' || tag.collection !== undefined || !/:(int|float)$/.test(tag.tag)) return tag;
    const { stringify = String } = tag;
    return { ...tag, stringify: (item, ...rest) => item.source ?? stringify(item, ...rest) };
  });

/** Laid out as Goose does it, with the line ends of the text before. */
const textOf = (document: Document, before: string): string =>
  document.toString({ lineWidth: 0, indentSeq: false }).replaceAll('\n', lineEndOf(before));

export const formats: Readonly<Record<FormatName, ConfigFormat>> = {
  json: jsonFormat,
  toml: tomlFormat,
  yaml: yamlFormat,
};
