import { expect, it } from 'vitest';
import type { Clock } from '../../src/base/clock.ts';
import { RateBudget } from '../../src/session/rate-budget/rate-budget.ts';
import { noRedis, openRedisStore, startRedis } from '../store/redis.helper.ts';
import { converse } from './conversation.helper.ts';
import { startHolding } from './holding.helper.ts';

it.skipIf(noRedis)(
  'a conversation that is split over eight machines with one Redis needs at most two requests more than in one',
  async () => {
    const started = await startHolding();
    const { connect, clock, service } = started;
    const { url } = await startRedis();
    const clients = [];
    for (let machine = 0; machine < 8; machine += 1) {
      const { redis, store } = await openRedisStore({ url, clock });
      // The date is that of the service. Redis has the date of the machine that runs the test.
      const shared: Clock = {
        now: () => clock.now(),
        monotonic: () => redis.clock.monotonic(),
        sleep: (milliseconds, signal) =>
          milliseconds < 10_000 ? Promise.resolve() : clock.sleep(milliseconds, signal),
      };
      const rateBudget = () => new RateBudget({ clock: shared, store });
      clients.push(connect(service.accessToken, { clock: shared, store: async () => store, rateBudget }));
    }
    const requests = await converse(clients, started, 3);
    expect((await clients[0]?.status())?.requests.used).toBe(requests);
  },
);
