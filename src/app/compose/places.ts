/**
 * The places on this machine where the program keeps something, the keychain and the directories of the user, and the command
 * that stores a sign-in there.
 */
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import envPaths from 'env-paths';
import { FileSecretStore } from '../../auth/file-secret-store.ts';
import { KeychainSecretStore } from '../../auth/keychain-secret-store.ts';
import { createRefreshLock, type WithRefreshLock } from '../../auth/refresh-lock.ts';
import { serviceAt } from '../../auth/service-address.ts';
import type { SecretStore } from '../../auth/token-store.ts';
import type { Clock } from '../../base/clock.ts';
import { invalidConfig } from '../../base/errors.ts';
import { FileLocks } from '../../store/file-lock.ts';
import type { LocalSharing } from '../../store/shared-stores.ts';
import { findSqlite } from '../../store/sqlite.ts';
import { ignoreSystemError } from '../../store/state-directory.ts';
import { type Config, sessionEnvironment } from '../config/load-config.ts';
import { profileOption } from '../config/setting.ts';

/**
 * How long the keychain may take: for a call of an assistant, and when a person at a terminal can unlock it. macOS asks the person
 * also during a call, once for each version of Node.js: it binds an entry to the program that has made it.
 */
export const keychainLimits = (platform = process.platform) => ({
  call: platform === 'darwin' ? 60_000 : 5_000,
  terminal: 120_000,
});

export interface Environment {
  readonly clock: Clock;
  /** The directory of the built program. */
  readonly program: URL;
}

/** On Linux `$XDG_STATE_HOME`, which env-paths calls `log`. Other systems have no such place. */
export function stateDirectory({ stateDir }: Config): string {
  if (stateDir !== undefined) return stateDir;
  if (['win32', 'darwin'].includes(process.platform)) return join(userData(), 'state');
  return envPaths('budget-mcp', { suffix: '' }).log;
}

interface WindowsFolders {
  /** The folder of earlier versions. */
  readonly before: string;
  readonly data: string;
}

/**
 * Windows shows packaged programs, such as Claude Desktop, and what they start another folder in the place of AppData. What all
 * hosts have in common is beside it. An earlier version kept it in AppData: what is there is moved, unless a program uses it.
 */
export function windowsData({ before, data }: WindowsFolders): string {
  for (const [old, now] of [
    [join(before, 'Data', FOLDER), join(data, FOLDER)],
    [join(before, 'State'), join(data, 'state')],
  ] as const) {
    if (existsSync(now) || !existsSync(old)) continue;
    try {
      mkdirSync(data, { recursive: true });
      renameSync(old, now);
    } catch (error) {
      ignoreSystemError(error);
    }
  }
  return data;
}

/** Where the processes of the user share their state, or why they do not. */
export function sharingOf(config: Config): LocalSharing {
  if (config.demo) return { reason: 'The demo keeps none.' };
  if (config.noState) return { reason: '--no-state is set.' };
  const sqlite = findSqlite();
  if (!sqlite) return { reason: 'Sharing it with other processes needs Node.js 22.13 or newer.' };
  return { sqlite, directory: stateDirectory(config) };
}

function userData(): string {
  const { data } = envPaths('budget-mcp', { suffix: '' });
  if (process.platform !== 'win32') return data;
  return windowsData({ before: dirname(data), data: join(homedir(), '.budget-mcp') });
}

/** The directory for data of this user. Throws `invalid_configuration` if it is unknown. */
function dataDirectory(): string {
  const data = userData();
  // A relative path would depend on the current directory, which other users may be able to read.
  if (isAbsolute(data)) return data;
  throw invalidConfig('HOME and XDG_DATA_HOME have to be absolute paths.');
}

/** The files of each profile: the extension of its file, and what follows the profile in the name of its entry. */
const secretNames = {
  'sign-in': { extension: '.json', suffix: '' },
  'state key': { extension: '.key', suffix: ' state' },
};

type SecretKind = keyof typeof secretNames;

const FOLDER = 'sign-ins';

/** The place is chosen once, so that `logout` removes everything from the same one. */
export function createSecretStores(
  config: Config,
  { clock, program }: Environment,
  limits: { timeoutMs: number; signal?: AbortSignal },
): (kind: SecretKind) => SecretStore {
  const { insecureStorage, profile } = config;
  const data = userData();
  // A file that the person has agreed to is used without the option too, until they sign out.
  const isInFile = insecureStorage || (isAbsolute(data) && existsSync(join(data, FOLDER, `${profile}.json`)));
  return (kind) => {
    const { extension, suffix } = secretNames[kind];
    if (isInFile) return new FileSecretStore(join(dataDirectory(), FOLDER), extension);
    const childPath = fileURLToPath(new URL('auth/keychain-child.js', program));
    return new KeychainSecretStore({
      childPath,
      env: sessionEnvironment(),
      clock,
      suffix,
      loginCommand: loginCommand(config, program),
      ...limits,
    });
  };
}

/** As `createSecretStores`, for a server: the person may sign in or out while it runs, so each operation chooses the place. */
export const createCurrentSecretStores =
  (...args: Parameters<typeof createSecretStores>) =>
  (kind: SecretKind): SecretStore => {
    const current = () => createSecretStores(...args)(kind);
    return {
      get place() {
        return current().place;
      },
      read: (profile) => current().read(profile),
      write: (...write) => current().write(...write),
      remove: (profile) => current().remove(profile),
    };
  };

/** The directory is looked up when the lock is taken, because a provided token never needs the lock. */
export const createLock =
  ({ clock }: Pick<Environment, 'clock'>): WithRefreshLock =>
  (...args) => {
    const sqlite = findSqlite();
    const fileLocks = sqlite && new FileLocks(sqlite, clock);
    return createRefreshLock({ directory: join(dataDirectory(), 'locks'), clock, fileLocks })(...args);
  };

const quoted = (text: string) => (/\s/.test(text) ? `"${text}"` : text);

/** By its name if it was started by that, and else with whole paths: `npx` and bundles put no name on the path. */
function programCommand(program: URL): string {
  const started = process.argv[1] ?? '';
  if (basename(started) === 'budget-mcp' && !started.includes('node_modules')) return 'budget-mcp';
  // A shell of Windows would need more than quotes.
  const node = /\s/.test(process.execPath) ? 'node' : process.execPath;
  return `${node} ${quoted(fileURLToPath(new URL('main.js', program)))}`;
}

/** Names the service, the profile and the place of this server. */
export function loginCommand({ baseUrl, profile, insecureStorage }: Config, program: URL): string {
  const known = serviceAt(baseUrl);
  const service = known ? ['--service', known[0]] : baseUrl === undefined ? [] : ['--base-url', baseUrl];
  const place = insecureStorage ? ['--insecure-storage'] : [];
  return [programCommand(program), 'login', ...service, ...profileOption(profile), ...place].join(' ');
}
