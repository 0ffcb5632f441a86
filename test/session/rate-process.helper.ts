/** Another process of a sign-in: `URL COUNT`. It takes COUNT requests from the rate ledger in Redis, and prints how many it got. */

import { systemClock } from '../../src/base/clock.ts';
import { BudgetError } from '../../src/base/errors.ts';
import { RateBudget } from '../../src/session/rate-budget/rate-budget.ts';
import { RedisConnection } from '../../src/store/redis-connection.ts';
import { RedisStore } from '../../src/store/redis-store.ts';

const [url = '', count] = process.argv.slice(2);
const redis = await RedisConnection.open({ url, clock: systemClock });
const key = new Uint8Array(32).fill(7);
const store = await RedisStore.open({ redis, clock: systemClock, key, name: 'test' });
const rateBudget = new RateBudget({ clock: redis.clock, store });
process.stdout.write('ready\n');
process.stdin.once('data', async () => {
  const attempts = Array.from({ length: Number(count) }, () => rateBudget.take('write'));
  const outcomes = await Promise.allSettled(attempts);
  const unexpected = outcomes.find(
    (each) =>
      each.status === 'rejected' &&
      !(each.reason instanceof BudgetError && each.reason.code === 'rate_budget_spent'),
  );
  const allowed = outcomes.filter(({ status }) => status === 'fulfilled').length;
  process.stdout.write(`${unexpected ? JSON.stringify(unexpected) : allowed}\n`);
  await redis.close();
  process.stdin.destroy();
});
