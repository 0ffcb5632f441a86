/**
 * JSON, with or without comments and trailing commas. The library changes the text. It keeps comments, except some between an
 * entry that it removes and those beside it, and it may lay out the entry beside anew.
 */
import { applyEdits, findNodeAtLocation, modify, type ParseError, parse, parseTree } from 'jsonc-parser';
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
