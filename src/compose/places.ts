/** The places on this machine where the program keeps something: the keychain, and the directories of the user. */
import { dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import envPaths from 'env-paths';
import { FileSecretStore } from '../auth/file-secret-store.ts';
import { KeychainSecretStore } from '../auth/keychain-secret-store.ts';
import { createRefreshLock, type WithRefreshLock } from '../auth/refresh-lock.ts';
import type { SecretStore } from '../auth/secret-store.ts';
import { type Config, sessionEnvironment } from '../config/load-config.ts';
import { BudgetError } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';
import { FileLocks } from '../state/file-lock.ts';
import type { LocalSharing } from '../state/shared-stores.ts';
import { findSqlite } from '../state/sqlite.ts';

/** How long the keychain may take: for a call of an assistant, and when a person at a terminal can unlock it. */
export const KEYCHAIN_MS = { call: 5_000, terminal: 120_000 };

export interface Environment {
  readonly clock: Clock;
  /** The directory of the built program. */
  readonly program: URL;
}

/** On Linux `$XDG_STATE_HOME`, which env-paths calls `log`. Other systems have no such place. */
export function stateDirectory({ stateDir }: Config): string {
  if (stateDir !== undefined) return stateDir;
  const { data, log } = envPaths('budget-mcp', { suffix: '' });
  if (process.platform === 'win32') return join(dirname(data), 'State');
  return process.platform === 'darwin' ? join(data, 'state') : log;
}

/** Where the processes of the user share their state, or why they do not. */
export function sharingOf(config: Config): LocalSharing {
  if (config.demo) return { reason: 'The demo keeps none.' };
  if (config.noState) return { reason: '--no-state is set.' };
  const sqlite = findSqlite();
  if (!sqlite) return { reason: 'Sharing it with other processes needs Node.js 22.13 or newer.' };
  return { sqlite, directory: stateDirectory(config) };
}

/** The directory for data of this user. Throws `invalid_configuration` if it is unknown. */
function dataDirectory(): string {
  const { data } = envPaths('budget-mcp', { suffix: '' });
  // A relative path would depend on the current directory, which other users may be able to read.
  if (isAbsolute(data)) return data;
  throw new BudgetError('invalid_configuration', 'HOME and XDG_DATA_HOME have to be absolute paths.');
}

/** What is stored for each profile: the extension of its file, and what follows the profile in the name of its entry. */
const secretNames = {
  'sign-in': { extension: '.json', suffix: '' },
  'state key': { extension: '.key', suffix: ' state' },
};

export const createSecretStores =
  (
    { insecureStorage }: Config,
    { clock, program }: Environment,
    limits: { timeoutMs: number; signal?: AbortSignal },
  ) =>
  (kind: keyof typeof secretNames): SecretStore => {
    const { extension, suffix } = secretNames[kind];
    if (insecureStorage) return new FileSecretStore(join(dataDirectory(), 'sign-ins'), extension);
    const childPath = fileURLToPath(new URL('auth/keychain-child.js', program));
    return new KeychainSecretStore({ childPath, env: sessionEnvironment(), clock, suffix, ...limits });
  };

/** The directory is looked up when the lock is taken, because a provided token never needs the lock. */
export const createLock =
  ({ clock }: Pick<Environment, 'clock'>): WithRefreshLock =>
  (...args) =>
    createRefreshLock({ directory: join(dataDirectory(), 'locks'), clock, fileLocks: fileLocksOf(clock) })(
      ...args,
    );

function fileLocksOf(clock: Clock): FileLocks | undefined {
  const sqlite = findSqlite();
  return sqlite && new FileLocks(sqlite, clock);
}
