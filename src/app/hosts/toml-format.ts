/**
 * TOML. No small library keeps comments, so the text is changed by lines: an entry is the table `[keys.name]` with the
 * tables below it. What this does to a file is compared with what the parser reads, in `edit-config.ts`.
 */
import { parse, stringify } from 'smol-toml';
import type { JsonObject } from '../../base/json.ts';
import { CannotEdit, type ConfigFormat, lineEndOf, linesOf, nested, withLineEnd } from './text-edits.ts';

export const tomlFormat: ConfigFormat = {
  parse(text) {
    try {
      return parse(text);
    } catch {
      // The parser's message quotes the text.
      throw new CannotEdit('is not valid TOML');
    }
  },
  set(text, keys, name, entry) {
    const made = tableOf(text, keys, name, entry);
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

function tableOf(text: string, keys: readonly string[], name: string, entry: JsonObject): string {
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
