/** Opens the storage of a hosted server: in memory, in files of this machine, or in Redis. */
import { randomBytes } from 'node:crypto';
import { readSecretLines, type Warn } from '../../auth/secret-file.ts';
import type { Clock } from '../../base/clock.ts';
import { BudgetError, invalidConfig, unusableFile } from '../../base/errors.ts';
import { KEY_BYTES, openRootKey, rootKeyFile, rootKeyRecord } from '../../hosting/root-key.ts';
import { MemoryStore } from '../../store/memory-store.ts';
import type { SharedStore } from '../../store/shared-store.ts';
import type { Sharing } from '../../store/shared-stores.ts';
import { SqliteStore } from '../../store/sqlite-store.ts';
import { databaseOf, prepareDirectory, stateNameOf } from '../../store/state-directory.ts';
import { StoreError } from '../../store/store-error.ts';
import type { Config } from '../config/load-config.ts';
import { sharingOf } from './places.ts';

/** Where a hosted server stores sign-ins and the states of its people. */
export interface HostedStorage {
  /** What all people have in common. */
  readonly store: SharedStore;
  /** Where the state of each grant is stored. */
  readonly sharing: Sharing;
  /** Everything stored is sealed with keys that come from it. */
  readonly rootKey: Uint8Array;
  /** The time of the stores, which all machines have in common. */
  readonly clock: Clock;
  /** Aborted, with the reason, if this process cannot use the storage any more and has to be started again. */
  readonly ended?: AbortSignal;
  close(): Promise<void>;
}

interface StorageOptions {
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

interface RedisStorageOptions extends Pick<StorageOptions, 'clock' | 'warn'> {
  readonly url: string;
  readonly replicas: number;
  readonly serverKeys: readonly Uint8Array[];
}

/** The root key is sealed with the server key, so that the seal of its store need not be secret. */
const KNOWN_KEY = new Uint8Array(KEY_BYTES);

/** Everything that several machines share is in one Redis. Throws `storage_unavailable` if it cannot be used. */
export async function openRedisStorage(options: RedisStorageOptions): Promise<HostedStorage> {
  const { url, replicas, serverKeys, clock, warn } = options;
  const [{ RedisConnection }, { RedisStore }] = await Promise.all([
    import('../../store/redis-connection.ts'),
    import('../../store/redis-store.ts'),
  ]);
  const redis = await RedisConnection.open({ url, clock, replicas }).catch(explainStoreError);
  try {
    for (const warning of redis.warnings) warn(warning);
    const open = (name: string, key: Uint8Array) => RedisStore.open({ redis, clock, key, name });
    const keyStore = await open('root key', KNOWN_KEY);
    const rootKey = await openRootKey(serverKeys, rootKeyRecord(keyStore, 'Redis'));
    const store = await open('hosted', rootKey);
    const ended = new AbortController();
    redis.onEnded(({ reason }) =>
      ended.abort(
        new BudgetError('storage_unavailable', `Redis is ${reason}. The server has to be started again.`),
      ),
    );
    return {
      store,
      rootKey,
      clock: redis.clock,
      sharing: {
        open: (owner, key) => open(stateNameOf(owner), key),
        remove: (owner) => RedisStore.remove({ redis, name: stateNameOf(owner) }),
      },
      ended: ended.signal,
      async close() {
        await store.close();
        await keyStore.close();
        await redis.close();
      },
    };
  } catch (error) {
    await redis.close();
    return explainStoreError(error);
  }
}

function explainStoreError(error: unknown): never {
  if (error instanceof StoreError)
    throw new BudgetError('storage_unavailable', `The Redis of --redis-url is ${error.reason}.`);
  throw error;
}
