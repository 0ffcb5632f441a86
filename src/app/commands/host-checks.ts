/**
 * The checks of `budget-mcp doctor` for the hosts that start this server or connect to it. It finds the entries of this
 * server in the configurations of all hosts, and whether the hosts can use them.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { access, constants } from 'node:fs/promises';
import { connect } from 'node:net';
import { delimiter, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { BudgetError } from '../../base/errors.ts';
import { isJsonObject } from '../../base/json.ts';
import { quote, visible } from '../../base/quote.ts';
import { readConfigFile } from '../hosts/config-file.ts';
import { isOwnEntry, serversIn, urlOf, wordsOf } from '../hosts/edit-config.ts';
import type { Machine } from '../hosts/host-paths.ts';
import { type Host, hosts, SERVER_NAME } from '../hosts/host-table.ts';
import { type Check, checkOf } from './doctor-checks.ts';

const check = (level: Check['level'], text: string) => checkOf('host', level, text);

interface CheckedEntry {
  readonly check: Check;
  /** Undefined where a file cannot be read, so that its entries are not known. */
  readonly isDemo?: boolean;
}

export async function checkHosts(machine: Machine) {
  const found: CheckedEntry[] = [];
  for (const host of hosts)
    for (const file of host.files(machine))
      try {
        found.push(...(await serversOf(host, file, machine)));
      } catch (error) {
        if (!(error instanceof BudgetError)) throw error;
        found.push({ check: check('warn', `${host.name}: ${error.message}`) });
      }
  const checks = found.map((each) => each.check);
  const servers = found.filter(({ isDemo }) => isDemo !== undefined);
  if (servers.length === 0)
    checks.push(
      check('warn', 'no host that is known here uses this server. Run `budget-mcp install <host>`.'),
    );
  return {
    checks,
    /** Whether this server is used, and for invented data only. */
    isDemoOnly: servers.length > 0 && servers.every(({ isDemo }) => isDemo),
  };
}

async function serversOf(host: Host, file: string, machine: Machine): Promise<CheckedEntry[]> {
  const { text } = await readConfigFile(file);
  const found = Object.entries(serversIn(host, { file, text })).map(async ([name, entry]) => {
    if (!isJsonObject(entry)) return [];
    const url = urlOf(entry);
    if (typeof url === 'string' && URL.canParse(url)) {
      if (!isOwnAddress(name, url)) return [];
      return [{ check: await checkAddress(host, file, name, new URL(url)), isDemo: false }];
    }
    if (!isOwnEntry(entry)) return [];
    const words = wordsOf(entry);
    const fault = await faultOf(words, file, machine);
    const checked =
      fault === undefined
        ? check('ok', `${host.name} starts ${quote(name)} by ${file}`)
        : check(
            'fail',
            `${host.name} cannot start ${quote(name)}: ${fault}. Run \`budget-mcp install ${host.id}\`.`,
          );
    return [{ check: checked, isDemo: words.includes('--demo') }];
  });
  return (await Promise.all(found)).flat();
}

/** An address does not tell which server is there, so the names have to do that. */
const isOwnAddress = (name: string, url: string): boolean =>
  name === SERVER_NAME || `${name} ${url}`.includes('budget-mcp');

async function checkAddress(host: Host, file: string, name: string, url: URL): Promise<Check> {
  // The rest of an address may be a secret.
  const address = url.origin + url.pathname;
  return (await isSilent(url))
    ? check(
        'fail',
        `${host.name} cannot connect to ${quote(name)}: nothing listens at ${address}, which ${file} names. Run \`budget-mcp serve --http\`.`,
      )
    : check('ok', `${host.name} connects to ${quote(name)} at ${address} by ${file}`);
}

const LOCAL = /^(localhost|127\.[\d.]+|\[::1\])$/;

/**
 * Whether no program listens at an address of this machine, which answers for its own addresses at once. Another machine is
 * not asked: it may be reached through a proxy that this terminal does not know.
 */
async function isSilent({ hostname, port, protocol }: URL): Promise<boolean> {
  if (!LOCAL.test(hostname)) return false;
  const socket = connect({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || (protocol === 'https:' ? 443 : 80)),
  });
  try {
    await once(socket, 'connect');
    return false;
  } catch {
    return true;
  } finally {
    socket.destroy();
  }
}

/** Completes a sentence. Undefined if the host can start the server. */
async function faultOf(
  words: readonly string[],
  file: string,
  machine: Machine,
): Promise<string | undefined> {
  const missing = await missingWord(words, machine);
  if (missing !== undefined) return `there is no ${visible(missing)}, which ${file} names`;
  const [command = '', script = ''] = words;
  // Another command, such as npx, could download something.
  if (!/[\\/]main\.js$/.test(script)) return undefined;
  try {
    await promisify(execFile)(command, [script, '--version'], { timeout: START_MS, windowsHide: true });
    return undefined;
  } catch (error) {
    const { stderr = '', code } = failedStart.parse(error);
    const said = stderr.trim().split('\n')[0] || `it ends with ${code ?? 'a signal'}`;
    return `the command in ${file} fails (${visible(said.slice(0, 200))})`;
  }
}

/** A cold disk may need seconds. */
const START_MS = 20_000;

const failedStart = z.object({
  stderr: z.string().optional(),
  code: z.union([z.string(), z.number()]).nullish(),
});

/** The command, or a script among the arguments, that does not exist. */
async function missingWord(
  [command = '', ...args]: readonly string[],
  { env }: Machine,
): Promise<string | undefined> {
  if (!(await canRun(command, env['PATH'] ?? ''))) return command;
  for (const word of args)
    if (isAbsolute(word) && /\.[cm]?js$/.test(word) && !(await exists(word, constants.R_OK))) return word;
  return undefined;
}

async function canRun(command: string, path: string): Promise<boolean> {
  if (isAbsolute(command)) return exists(command, constants.X_OK);
  // A host with windows may have a shorter path than this terminal.
  const endings = process.platform === 'win32' ? ['', '.exe', '.cmd'] : [''];
  for (const folder of path.split(delimiter))
    for (const ending of endings)
      if (isAbsolute(folder) && (await exists(join(folder, command + ending), constants.X_OK))) return true;
  return false;
}

const exists = (path: string, mode: number) =>
  access(path, mode).then(
    () => true,
    () => false,
  );
