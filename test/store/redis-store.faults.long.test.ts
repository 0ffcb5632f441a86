/** Three processes write to a Redis that is killed, suspended, cut off and loses the list of processes at random points. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import type { SharedStore } from '../../src/store/shared-store.ts';
import { StoreError } from '../../src/store/store-error.ts';
import { fuzzRuns } from '../fuzz.helper.ts';
import { connectTo, noRedis, openRedisStore, startRedis } from './redis.helper.ts';
import { startRedisProxy } from './redis-proxy.helper.ts';
import { valuesOf } from './shared-store-contract.helper.ts';

const PROCESSES = 3;
const ROUNDS = 60;

const fault = fc.record({
  kind: fc.constantFrom('kill', 'suspend', 'cut', 'forget'),
  /** How many calls are answered before it happens. */
  after: fc.integer({ min: 1, max: 60 }),
  /** How long Redis is suspended, or how many answers are lost. */
  size: fc.integer({ min: 1, max: 30 }),
});

/** What the callers know about the writes of one kind. */
class Outcomes {
  done = 0;
  unknown = 0;

  expectFor(count: unknown): void {
    expect(count).toBeGreaterThanOrEqual(this.done);
    expect(count).toBeLessThanOrEqual(this.done + this.unknown);
  }
}

const countUp = (store: SharedStore, name: string) =>
  store.update(name, (value) => ({ value: Number(value ?? 0) + 1, result: undefined }));

/** Only who has the lock may do this. */
async function countUpInTwoSteps(store: SharedStore, name: string): Promise<void> {
  const value = Number((await store.read(name)) ?? 0) + 1;
  await store.update(name, () => ({ value, result: undefined }));
}

it.skipIf(noRedis)(
  'no write that was answered is lost, none is done twice, and a lock is never given to two processes',
  async () => {
    const property = fc.asyncProperty(fc.array(fault, { minLength: 2, maxLength: 6 }), async (faults) => {
      const redis = await startRedis('--appendonly', 'yes', '--appendfsync', 'always');
      let lostAnswers = 0;
      const proxy = await startRedisProxy(redis.port, () => {
        if (lostAnswers === 0) return false;
        lostAnswers -= 1;
        return true;
      });
      const client = connectTo(redis.url);
      let answered = 0;
      let working = PROCESSES;
      let hear = () => {};
      const heard = async () => {
        await new Promise<void>((resolve) => {
          hear = resolve;
        });
      };
      const counts = new Outcomes();
      const locked = new Outcomes();
      const appended: string[] = [];
      /** Whether the process has ended for Redis. */
      const attempt = async (work: () => Promise<void>, outcomes?: Outcomes) => {
        try {
          await work();
          if (outcomes) outcomes.done += 1;
        } catch (error) {
          if (!(error instanceof StoreError)) throw error;
          if (outcomes) outcomes.unknown += 1;
          return error.isEnd;
        } finally {
          answered += 1;
          hear();
        }
        return false;
      };
      const open = async () => (await openRedisStore({ url: proxy.url })).store;
      const workOf = async (opened: SharedStore, who: number) => {
        let store = opened;
        for (let round = 0; round < ROUNDS; round += 1) {
          const ended = await Promise.all([
            attempt(() => countUp(store, 'count'), counts),
            attempt(async () => {
              await store.append('log', `${who} ${round}`);
              appended.push(`${who} ${round}`);
            }),
            attempt(async () => {
              const release = await store.lock('a', { waitMs: 60_000 });
              await attempt(() => countUpInTwoSteps(store, 'locked'), locked);
              await release?.();
            }),
          ]);
          if (ended.includes(true)) store = await open();
        }
        working -= 1;
        hear();
      };
      const cause = async () => {
        for (const { kind, after, size } of faults) {
          const until = answered + after;
          while (answered < until && working > 0) await heard();
          if (kind === 'cut') lostAnswers += size;
          else if (kind === 'forget') await client.del(await client.keys('*:processes'));
          else if (kind === 'kill') {
            await redis.kill();
            await redis.start();
          } else {
            redis.signal('SIGSTOP');
            await systemClock.sleep(size * 10);
            redis.signal('SIGCONT');
          }
        }
      };
      const stores: SharedStore[] = [];
      while (stores.length < PROCESSES) stores.push(await open());
      await Promise.all([cause(), ...stores.map(workOf)]);

      const { store } = await openRedisStore({ url: redis.url });
      counts.expectFor(await store.read('count'));
      locked.expectFor(await store.read('locked'));
      const entries = await valuesOf(store, 'log');
      expect(new Set(entries).size).toBe(entries.length);
      expect(entries).toEqual(expect.arrayContaining(appended));
      expect(counts.done + locked.done + appended.length).toBeGreaterThan(PROCESSES * ROUNDS * 2);
    });
    await fc.assert(property, { numRuns: fuzzRuns(4), endOnFailure: true });
  },
);
