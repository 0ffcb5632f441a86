/**
 * The storage of a hosted server that runs on several machines: everything they share is in one Redis. Loaded only if one is
 * configured. Throws `storage_unavailable` if it cannot be used.
 */

import type { Clock } from '../../base/clock.ts';
import { BudgetError } from '../../base/errors.ts';
import { KEY_BYTES, openRootKey, rootKeyRecord } from '../../hosting/root-key.ts';
import type { HostedStorage } from '../../hosting/storage.ts';
import { RedisConnection } from '../../store/redis-connection.ts';
import { RedisStore } from '../../store/redis-store.ts';
import { stateNameOf } from '../../store/state-directory.ts';
import { StoreError } from '../../store/store-error.ts';

export interface RedisStorageOptions {
  readonly url: string;
  readonly replicas: number;
  readonly serverKeys: readonly Uint8Array[];
  readonly clock: Clock;
  readonly warn: (message: string) => void;
}

/** The root key is sealed with the server key, so that the seal of its store need not be secret. */
const KNOWN_KEY = new Uint8Array(KEY_BYTES);

export async function openRedisStorage({
  url,
  replicas,
  serverKeys,
  clock,
  warn,
}: RedisStorageOptions): Promise<HostedStorage> {
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
