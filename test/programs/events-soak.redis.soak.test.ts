import { beforeAll, describe, expect, it } from 'vitest';
import { findSqlite } from '../../src/store/sqlite.ts';
import { noCaddy } from '../caddy.helper.ts';
import { buildQuickWatches } from '../quick-watches.helper.ts';
import { noRedis } from '../store/redis.helper.ts';
import { type EventsSoakOptions, runEventsSoak } from './events-soak.helper.ts';

const none = { lost: [], twice: [], afterTheEnd: [], toPrivate: 0, failures: [] };

// Short forms of `npm run soak -- events`.
describe.skipIf(noRedis || noCaddy)('what is watched for people who are away, while receivers fail', () => {
  let program: string;
  beforeAll(async () => {
    program = await buildQuickWatches();
  });

  const run = async (options: Pick<EventsSoakOptions, 'servers' | 'store' | 'disturbances'>) => {
    const report = await runEventsSoak({ people: 8, seconds: 60, program, ...options });
    expect(report).toMatchObject(none);
    expect(report.ended).toBe(4);
    expect(report.transactions).toBeGreaterThan(8 * 5);
  };

  it('is sent under one id each and not after the end, by three servers that are killed, with a Redis that stalls', async () => {
    await run({ servers: 3, store: 'redis', disturbances: ['kills', 'stall'] });
  });

  it.skipIf(!findSqlite())('is sent as well by one server with files that is killed', async () => {
    await run({ servers: 1, store: 'files', disturbances: ['kills'] });
  });
});
