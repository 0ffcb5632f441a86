import { describe, expect, it, onTestFinished } from 'vitest';
import { noCaddy } from '../caddy.helper.ts';
import { noRedis } from '../store/redis.helper.ts';
import { preparePeople, runMachinesSoak } from './machines-soak.helper.ts';

const PEOPLE = 30;
const [FEWEST, MOST] = [1_000, 5_000];

// A short form of `npm run soak -- machines`, with more people, larger budgets and more time.
describe.skipIf(noRedis || noCaddy)('servers with one Redis behind a proxy', () => {
  it('answer everyone about their own budget, lose no write and make none twice, while servers are killed and Redis is restarted, stalled and full', async () => {
    const sizes = Array.from({ length: PEOPLE }, (_, nth) =>
      Math.round(FEWEST * (MOST / FEWEST) ** (nth / (PEOPLE - 1))),
    );
    const people = await preparePeople(sizes);
    onTestFinished(() => people.service.close());
    const { visitors, failures, requests, disturbed } = await runMachinesSoak({
      people,
      seconds: 60,
      servers: 3,
      disturbances: ['kills', 'restart', 'full', 'long-stall', 'stall'],
    });
    expect(failures).toEqual([]);
    expect(disturbed).toHaveLength(6);
    expect(visitors.recoveryMs).toHaveLength(PEOPLE);
    expect(visitors.writes).toBeGreaterThanOrEqual(PEOPLE);
    expect(requests.length).toBe(PEOPLE);
  });

  it('lose no write and make none twice while masters of a Redis Cluster are killed', async () => {
    const people = await preparePeople([1_000, 1_000, 1_000, 1_000, 1_000, 1_000]);
    onTestFinished(() => people.service.close());
    const { visitors, failures, disturbed } = await runMachinesSoak({
      people,
      seconds: 40,
      servers: 2,
      store: 'cluster',
      disturbances: ['failover', 'failover'],
      everyMs: 500,
      writeEveryMs: 1_000,
    });
    expect(failures).toEqual([]);
    expect(disturbed).toHaveLength(2);
    expect(visitors.writes).toBeGreaterThan(50);
  });

  it('answer everyone while they are stopped one after the other, as for an update', async () => {
    const people = await preparePeople([1_000, 1_000, 1_000, 1_000, 1_000, 1_000]);
    onTestFinished(() => people.service.close());
    const { visitors, failures, ends } = await runMachinesSoak({
      people,
      seconds: 40,
      servers: 3,
      disturbances: ['update'],
      everyMs: 500,
      writeEveryMs: 5_000,
    });
    expect(failures).toEqual([]);
    expect([...visitors.errors]).toEqual([]);
    expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
  });
});
