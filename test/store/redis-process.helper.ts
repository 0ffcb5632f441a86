/**
 * Another process with a store in Redis: `URL LEASE_MS`. It takes the lock "a" and prints "locked". For each line of its
 * input it tries to write the line into the record "a", and prints "written" or why not.
 */
import { createInterface } from 'node:readline';
import { systemClock } from '../../src/base/clock.ts';
import { RedisConnection } from '../../src/store/redis-connection.ts';
import { RedisStore } from '../../src/store/redis-store.ts';
import { StoreError } from '../../src/store/store-error.ts';

const reasonOf = (error: unknown) =>
  error instanceof StoreError ? `StoreError: ${error.reason}` : String(error);

const [url = '', leaseMs] = process.argv.slice(2);
const redis = await RedisConnection.open({ url, clock: systemClock, leaseMs: Number(leaseMs) });
const store = await RedisStore.open({
  redis,
  clock: systemClock,
  key: new Uint8Array(32).fill(7),
  name: 'test',
});
await store.lock('a', { waitMs: 0 });
process.stdout.write('locked\n');
for await (const line of createInterface(process.stdin)) {
  const outcome = await store.update('a', () => ({ value: line, result: 'written' })).catch(reasonOf);
  process.stdout.write(`${outcome}\n`);
}
await redis.close();
