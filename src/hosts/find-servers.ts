/** Finds the entries of this server in the configurations of all hosts, and whether their commands can be run. */
import { access, constants } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { BudgetError } from '../errors.ts';
import { isJsonObject } from '../platform/json.ts';
import { readConfigFile } from './config-file.ts';
import { isOwnEntry, serversIn, wordsOf } from './edit-config.ts';
import type { Machine } from './host-paths.ts';
import { type Host, hosts } from './host-table.ts';

export type FoundServer = { readonly host: Host; readonly file: string } & (
  | {
      /** The name of the server. */
      readonly name: string;
      /** The program, or the script, that is not there. */
      readonly missing?: string;
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
  const own = Object.entries(serversIn(host, { file, text })).filter(([, entry]) => isOwnEntry(entry));
  return Promise.all(
    own.map(async ([name, entry]) => {
      const missing = await missingWord(isJsonObject(entry) ? wordsOf(entry) : [], machine);
      return { host, file, name, ...(missing !== undefined && { missing }) };
    }),
  );
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
