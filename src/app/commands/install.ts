/** `budget-mcp install` and `uninstall`: change the configuration file of a host, after the person has seen the change. */
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BudgetError, invalidConfig } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { type Config, type Flags, loadConfig, sessionEnvironment } from '../config/load-config.ts';
import { profileOption } from '../config/setting.ts';
import { infoOf, type SettingName, stdioSettings } from '../config/settings.ts';
import { type ConfigFile, readConfigFile, replaceConfigFile } from '../hosts/config-file.ts';
import { linesOf } from '../hosts/config-formats.ts';
import { type ConfigText, withoutServer, withServer } from '../hosts/edit-config.ts';
import type { Machine } from '../hosts/host-paths.ts';
import { type Host, type RunningServer, SERVER_NAME, type ServerCommand } from '../hosts/host-table.ts';
import { stableNode } from '../hosts/stable-node.ts';
import { promptYes } from './prompts.ts';
import type { ProcessContext } from './sign-in-context.ts';

export interface ChangeOptions {
  readonly host: Host;
  readonly name: string;
  /** The address of a server that runs by itself. */
  readonly url?: string | undefined;
  readonly yes?: boolean | undefined;
}

export interface InstallOptions extends ChangeOptions {
  /** The variable of the host's environment that has the token for `url`. */
  readonly tokenVariable?: string | undefined;
}

/** Throws `file_unusable`, `invalid_configuration`, and `cancelled` if the person does not agree. */
export async function runInstall(
  options: InstallOptions,
  flags: Flags,
  context: ProcessContext,
  machine = thisMachine(),
): Promise<void> {
  const { host } = options;
  const entry = entryOf(options, flags, context.program);
  const change = (config: ConfigText) => withServer(host, config, options.name, entry);
  const isFetchedByNpx = context.program.pathname.split('/').includes('_npx');
  if (options.url === undefined && isFetchedByNpx) context.io.stdout.write(FETCHED_BY_NPX);
  if (await changeConfig(options, change, context, machine)) {
    if (options.url === undefined && stableNode(process.execPath, machine).isPassing)
      context.io.stdout.write(`The entry names Node.js ${process.versions.node}. ${NODE_OF_ONE_VERSION}\n`);
    context.io.stdout.write(
      `${host.name} ${options.url ? `connects to ${options.url}` : 'starts the server'} from now on. If it is running, start it again.\n`,
    );
    if (host.note !== undefined) context.io.stdout.write(`${host.note}\n`);
  }
}

const NODE_OF_ONE_VERSION = 'If that version is removed, run install again with the next one.';

const FETCHED_BY_NPX =
  'npx has fetched this program into a cache, and the entry names it there. Where the cache is removed, the host cannot start it any more: `npm install -g` installs it for good.\n\n';

function entryOf({ host, name, url, tokenVariable }: InstallOptions, flags: Flags, program: URL): JsonObject {
  if (url !== undefined)
    return connectingEntry(host, name, { url, ...(tokenVariable && { tokenVariable }) }, flags);
  if (tokenVariable !== undefined) throw invalidConfig('--token-variable needs --url.');
  // Otherwise the host would start a server that ends with an error.
  loadConfig(flags, {}, []);
  return host.entry(serverCommand(program, argumentsOf(flags)), name);
}

/** The file never gets the token itself: it would have to be typed in the command line, where other programs see it. */
function connectingEntry(host: Host, name: string, server: RunningServer, flags: Flags): JsonObject {
  const { url, tokenVariable } = server;
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (!address || !/^https?:$/.test(address.protocol) || address.username || address.password)
    throw invalidConfig('--url must be an address with http:// or https://, without a password.');
  if (argumentsOf(flags).length > 0)
    throw invalidConfig('With --url, the options of the server belong where it is started.');
  if (!host.http) throw invalidConfig(`${host.name} starts programs only, so it takes no --url.`);
  if (tokenVariable !== undefined && !/^[A-Z_][A-Z0-9_]*$/.test(tokenVariable))
    throw invalidConfig('--token-variable must be the name of a variable, in capital letters.');
  if (tokenVariable !== undefined && host.http.tokenFrom !== 'variable')
    throw invalidConfig(
      `${host.name} takes no token from a variable. docs/hosts.md has the block to write by hand.`,
    );
  return host.http.entry(server, name);
}

export async function runUninstall(
  options: ChangeOptions,
  context: ProcessContext,
  machine = thisMachine(),
): Promise<void> {
  const { host, name, url } = options;
  const change = (config: ConfigText) => withoutServer(host, config, name, url);
  if (await changeConfig(options, change, context, machine))
    context.io.stdout.write(`${host.name} does not use the server any more.\n`);
}

export const thisMachine = (): Machine => ({
  platform: process.platform,
  home: homedir(),
  env: sessionEnvironment(),
});

/** A host starts the server in another directory. */
const paths: readonly SettingName[] = ['tokenFile', 'stateDir', 'statements'];

/** The flags as a person would type them. */
function argumentsOf(flags: Flags): readonly string[] {
  return stdioSettings.flatMap((name) => {
    const value = flags[name];
    const flag = infoOf(name).flag?.split(' ')[0];
    if (flag === undefined || value === undefined || value === false) return [];
    if (value === true) return [flag];
    return [flag, paths.includes(name) ? resolve(value) : value];
  });
}

/** Returns whether there was something to change. */
const changeConfig = (...change: Parameters<typeof tryChange>): Promise<boolean> =>
  tryChange(...change).catch((error: unknown) => {
    if (!(error instanceof BudgetError) || error.code !== 'file_unusable') throw error;
    throw new BudgetError(error.code, `${error.message} Nothing was changed.`, { cause: error.cause });
  });

async function tryChange(
  { host, name, yes = false }: ChangeOptions,
  change: (config: ConfigText) => string,
  { io, signal }: ProcessContext,
  machine: Machine,
): Promise<boolean> {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) throw invalidConfig('--name must be letters, digits, - and _.');
  const before = await findConfigFile(host, machine);
  const text = change(before);
  if (text === before.text) {
    io.stdout.write(`${before.file} is as it should be. Nothing was changed.\n`);
    return false;
  }
  io.stdout.write(`${before.file}${before.stats ? '' : ' (a new file)'}\n${previewOf(before.text, text)}\n`);
  if (!yes && !io.stdin.isTTY)
    throw new BudgetError(
      'cancelled',
      'Nothing was changed, because there is no terminal to ask at. Add --yes to change it without a question.',
    );
  if (!yes && !(await promptYes(`Change ${before.file}?`, { ...io, signal })))
    throw new BudgetError('cancelled', 'Nothing was changed.');
  const copy = await replaceConfigFile(before, text);
  if (copy) io.stdout.write(`What was there is in ${copy}\n`);
  return true;
}

async function findConfigFile(host: Host, machine: Machine): Promise<ConfigFile> {
  const files: ConfigFile[] = [];
  for (const path of host.files(machine)) files.push(await readConfigFile(path));
  const first = host.isPackaged?.(machine) ? files[0] : files.find(({ stats }) => stats);
  const found = first ?? files.at(-1);
  if (!found) throw new Error(`The host ${host.id} has no file.`);
  return found;
}

/**
 * Whole paths, because a host with windows has not the `PATH` of a terminal. `program` is the directory of the built
 * program, and `options` are those of `serve`.
 */
const serverCommand = (program: URL, options: readonly string[]): ServerCommand => ({
  command: stableNode(process.execPath, thisMachine()).path,
  args: [fileURLToPath(new URL('main.js', program)), 'serve', ...options],
});

/** How a person who has signed in connects an assistant. `host` is the one that the person has named, if any. */
export function connectionAdvice({ profile }: Pick<Config, 'profile'>, program: URL, host?: Host): string {
  const options = profileOption(profile);
  const server = serverCommand(program, options);
  const install = ['budget-mcp install', host?.id ?? '<host>', ...options].join(' ');
  const start = `To connect your assistant, run \`${install}\`, or paste this`;
  if (!host)
    return `${start} where it keeps its MCP servers:\n\n${JSON.stringify({ mcpServers: { [SERVER_NAME]: server } })}\n`;
  const machine = thisMachine();
  const file = host.files(machine).at(host.isPackaged?.(machine) ? 0 : -1) ?? '';
  return `${start} into ${file}:\n\n${withServer(host, { file, text: '' }, SERVER_NAME, host.entry(server, SERVER_NAME))}`;
}

const MAX_CHARACTERS = 160;

/** The lines that a change of a file removes and adds, for a person who has to agree to it. */
export function previewOf(before: string, after: string): string {
  const [old, made] = [linesOf(before), linesOf(after)];
  let same = 0;
  while (same < Math.min(old.length, made.length) && old[same] === made[same]) same += 1;
  let end = 0;
  while (
    end < Math.min(old.length, made.length) - same &&
    old[old.length - 1 - end] === made[made.length - 1 - end]
  )
    end += 1;
  const removed = old.slice(same, old.length - end).map((line) => `- ${shown(line)}\n`);
  const added = made.slice(same, made.length - end).map((line) => `+ ${shown(line)}\n`);
  return `@@ line ${same + 1} @@\n${[...removed, ...added].join('')}`;
}

/** The entry of this server may carry a token that a person has written there. */
const SECRET = /((?:token|secret|password|key)["']?\s*[:=]\s*["']?|bearer (?![{$]))[^"',}\s]+/gi;

/** Signs that would move the cursor, or change the direction of a text. */
const INVISIBLE = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** A line may be the whole of a file, with what other servers keep in it. */
function shown(line: string): string {
  const text = line
    .replace(/(?<![\r\n])[\r\n]+$/, '')
    .replaceAll('\t', '  ')
    .replaceAll(INVISIBLE, '?');
  const masked = text.replaceAll(SECRET, '$1…');
  return masked.length > MAX_CHARACTERS ? `${masked.slice(0, 40)}… (a line of ${text.length} signs)` : masked;
}
