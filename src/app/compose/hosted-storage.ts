/** Opens the storage of a hosted server: in memory, in files of this machine, or in Redis. */
import { randomBytes } from 'node:crypto';
import { readSecretLines, type Warn } from '../../auth/secret-file.ts';
import type { Clock } from '../../base/clock.ts';
import { invalidConfig, unusableFile } from '../../base/errors.ts';
import { KEY_BYTES, openRootKey, rootKeyFile } from '../../hosting/root-key.ts';
import type { HostedStorage } from '../../hosting/storage.ts';
import { MemoryStore } from '../../store/memory-store.ts';
import { SqliteStore } from '../../store/sqlite-store.ts';
import { databaseOf, prepareDirectory } from '../../store/state-directory.ts';
import type { Config } from '../config/load-config.ts';
import { sharingOf } from './places.ts';

export interface StorageOptions {
  readonly config: Config;
  /** Of the budgeting service. */
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly warn: Warn;
}

const COMMON_STATE = 'hosted';

/** Sign-ins have to outlive the program, so the storage does not continue in memory if it fails. */
export async function openHostedStorage(options: StorageOptions): Promise<HostedStorage> {
  const { config, clock, warn } = options;
  if (config.demo || config.noState) {
    warn('Everything is kept in memory: sign-ins end with this program.');
    const store = new MemoryStore(clock);
    const sharing = sharingOf(config);
    return { store, sharing, rootKey: randomBytes(KEY_BYTES), clock, close: () => store.close() };
  }
  const serverKeys = await serverKeysOf(config, warn);
  const { redisUrl, redisUrlFile, redisReplicas: replicas } = config;
  const [line] = redisUrlFile === undefined ? [] : await secretLines(redisUrlFile, warn);
  const url = redisUrl ?? line;
  if (url === undefined) return openFiles(options, serverKeys);
  const { openRedisStorage } = await import('./hosted-redis.ts');
  return openRedisStorage({ url, replicas, serverKeys, clock, warn });
}

async function openFiles(
  { config, baseUrl, clock }: StorageOptions,
  serverKeys: readonly Uint8Array[],
): Promise<HostedStorage> {
  const sharing = sharingOf(config);
  if ('reason' in sharing)
    throw invalidConfig(`--hosted stores sign-ins. ${sharing.reason} To try it in memory, set --no-state.`);
  const { sqlite, directory } = sharing;
  await prepareDirectory(directory);
  const rootKey = await openRootKey(serverKeys, rootKeyFile(directory));
  const path = databaseOf(directory, { signIn: COMMON_STATE, baseUrl });
  const store = await SqliteStore.open({ sqlite, clock, path, key: rootKey });
  return { store, sharing, rootKey, clock, close: () => store.close() };
}

/** The first one is used from now on; the others are earlier ones. */
async function serverKeysOf({ serverKeyFile }: Config, warn: Warn): Promise<Uint8Array[]> {
  if (serverKeyFile === undefined)
    throw invalidConfig('--hosted needs --server-key-file. `openssl rand -base64 32` makes a key.');
  return (await secretLines(serverKeyFile, warn)).map((line) => {
    const key = Buffer.from(line, 'base64');
    if (key.length === KEY_BYTES && key.toString('base64') === line) return key;
    throw unusableFile(serverKeyFile, 'contains a line that is not a key of 32 bytes in base64');
  });
}

/** Throws `file_unusable` if there are none. */
export async function secretLines(path: string, warn: Warn): Promise<readonly string[]> {
  const lines = await readSecretLines(path, warn);
  if (lines.length === 0) throw unusableFile(path, 'is empty');
  return lines;
}
