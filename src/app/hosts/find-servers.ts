/** Finds the entries of this server in the configurations of all hosts, and whether the hosts can use them. */
import { once } from 'node:events';
import { access, constants } from 'node:fs/promises';
import { connect } from 'node:net';
import { delimiter, isAbsolute, join } from 'node:path';
import { BudgetError } from '../../base/errors.ts';
import { isJsonObject } from '../../base/json.ts';
import { readConfigFile } from './config-file.ts';
import { isOwnEntry, serversIn, urlOf, wordsOf } from './edit-config.ts';
import type { Machine } from './host-paths.ts';
import { type Host, hosts, SERVER_NAME } from './host-table.ts';

export type FoundServer = { readonly host: Host; readonly file: string } & (
  | {
      readonly name: string;
      readonly isDemo: boolean;
      /** The program, or the script, that is not there. */
      readonly missing?: string;
    }
  | {
      readonly name: string;
      /** The address of a server that runs by itself. */
      readonly url: string;
      /** It is an address of this machine, and no program listens there. */
      readonly isSilent: boolean;
    }
  | {
      /** Why the file cannot be read, in sentences for a person. */
      readonly problem: string;
    }
);

export async function findServers(machine: Machine): Promise<readonly FoundServer[]> {
  const found: FoundServer[] = [];
  for (const host of hosts)
    for (const file of host.files(machine))
      try {
        found.push(...(await serversOf(host, file, machine)));
      } catch (error) {
        if (!(error instanceof BudgetError)) throw error;
        found.push({ host, file, problem: error.message });
      }
  return found;
}

async function serversOf(host: Host, file: string, machine: Machine): Promise<FoundServer[]> {
  const { text } = await readConfigFile(file);
  const found = Object.entries(serversIn(host, { file, text })).map(async ([name, entry]) => {
    if (!isJsonObject(entry)) return [];
    const url = urlOf(entry);
    if (typeof url === 'string' && URL.canParse(url))
      return isOwnAddress(name, url) ? [{ host, file, name, url, isSilent: await isSilent(url) }] : [];
    if (!isOwnEntry(entry)) return [];
    const words = wordsOf(entry);
    const missing = await missingWord(words, machine);
    return [
      { host, file, name, isDemo: words.includes('--demo'), ...(missing !== undefined && { missing }) },
    ];
  });
  return (await Promise.all(found)).flat();
}

/** An address does not tell which server is there, so the names have to do that. */
const isOwnAddress = (name: string, url: string): boolean =>
  name === SERVER_NAME || `${name} ${url}`.includes('budget-mcp');

const LOCAL = /^(localhost|127\.[\d.]+|\[::1\])$/;

/**
 * Only this machine is asked, which answers for its own addresses at once. Another one may be reached through a proxy that
 * this terminal does not know.
 */
async function isSilent(url: string): Promise<boolean> {
  const { hostname, port, protocol } = new URL(url);
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
