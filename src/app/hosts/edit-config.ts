/**
 * Puts a server into the text of a configuration, and takes it out. Before a text is returned it is parsed again: nothing
 * but the entry may differ. So a mistake here, or a text that is written in an unforeseen way, changes no file.
 */
import { unusableFile } from '../../base/errors.ts';
import { canonicalJson, isJsonObject, type JsonObject } from '../../base/json.ts';
import { CannotEdit, type ConfigFormat, formats, objectAt } from './config-formats.ts';
import type { Host } from './host-table.ts';

export type Place = Pick<Host, 'format' | 'keys'>;

/** A text with the place of the servers in it, and the file for messages. */
export interface ConfigText {
  readonly file: string;
  readonly text: string;
}

/** The servers of a configuration, by name. Throws `file_unusable` if it cannot be parsed. */
export function serversIn({ format, keys }: Place, { file, text }: ConfigText): JsonObject {
  return explained(file, () => objectAt(formats[format].parse(withoutMark(text)), keys) ?? {});
}

/** Not what every object inherits, such as `constructor`. */
function serverIn(place: Place, config: ConfigText, name: string): unknown {
  const servers = serversIn(place, config);
  return Object.hasOwn(servers, name) ? servers[name] : undefined;
}

/** Whether an entry starts this program, as far as its text tells, or connects to `url`. */
export function isOwnEntry(entry: unknown, url?: unknown): boolean {
  if (!isJsonObject(entry)) return false;
  if (url !== undefined && urlOf(entry) === url) return true;
  const words = wordsOf(entry);
  const isBuilt = words.includes('serve') && words.some((word) => /[\\/]main\.js$/.test(word));
  return isBuilt || words.some((word) => word.includes('budget-mcp'));
}

/** The command and the arguments of an entry, as the hosts write them. */
export const wordsOf = (entry: JsonObject): readonly string[] =>
  [entry['command'], entry['cmd'], entry['args']].flat().filter((word) => typeof word === 'string');

/** The address of an entry, as the hosts write it. Undefined for one that starts a program. */
export const urlOf = (entry: JsonObject): unknown =>
  entry['url'] ?? entry['httpUrl'] ?? entry['serverUrl'] ?? entry['uri'];

/**
 * The text with the server. What a person has added to the entry of the server stays, unless the entry started a program
 * and connects to a running server now, which takes other settings. Throws `file_unusable`.
 */
export function withServer(place: Place, config: ConfigText, name: string, entry: JsonObject): string {
  const existing = serverIn(place, config, name);
  const url = urlOf(entry);
  if (existing !== undefined && !isOwnEntry(existing, url))
    throw unusableFile(config.file, `has another server of the name ${name}: choose one with --name`);
  const added = isJsonObject(existing) && urlOf(existing) === url ? existing : {};
  const merged = { ...added, ...entry };
  if (canonicalJson(existing ?? null) === canonicalJson(merged)) return config.text;
  return edit(place, config, name, merged);
}

/** The text without the server, which starts this program or connects to `url`. Throws `file_unusable`. */
export function withoutServer(place: Place, config: ConfigText, name: string, url?: string): string {
  const existing = serverIn(place, config, name);
  if (existing === undefined) return config.text;
  if (!isOwnEntry(existing, url))
    throw unusableFile(
      config.file,
      `has a server of the name ${name} that does not start budget-mcp: if it connects to one, name it with --url`,
    );
  return edit(place, config, name);
}

const MARK = '\uFEFF';

const withoutMark = (text: string) => (text.startsWith(MARK) ? text.slice(1) : text);

/** Without `entry`, the one that is there is removed. */
function edit({ format, keys }: Place, { file, text }: ConfigText, name: string, entry?: JsonObject): string {
  return explained(file, () => {
    const { parse, set, remove } = formats[format];
    const before = withoutMark(text);
    const after = entry ? set(before, keys, name, entry) : remove(before, keys, name);
    const read = parsedOrUndefined(parse, after);
    const isExact = sameExcept(parse(before), keys, name) === sameExcept(read, keys, name);
    if (!isExact || canonicalJson(objectAt(read, keys)?.[name] ?? null) !== canonicalJson(entry ?? null))
      throw new CannotEdit('is written in a way that this program does not change: change it by hand');
    return text.startsWith(MARK) ? MARK + after : after;
  });
}

function parsedOrUndefined(parse: ConfigFormat['parse'], text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof CannotEdit) return undefined;
    throw error;
  }
}

/** A text of the whole configuration without the entry. Objects on the way to it that are empty do not count. */
function sameExcept(value: unknown, keys: readonly string[], name: string): string | undefined {
  const without = (at: JsonObject, [next, ...rest]: readonly string[]): JsonObject => {
    const { [next ?? name]: inner, ...others } = at;
    if (next === undefined) return others;
    const left = isJsonObject(inner) ? without(inner, rest) : {};
    return Object.keys(left).length === 0 ? others : { ...others, [next]: left };
  };
  return isJsonObject(value) ? canonicalJson(without(value, keys)) : undefined;
}

function explained<Value>(file: string, work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    if (error instanceof CannotEdit) throw unusableFile(file, error.message);
    throw error;
  }
}
