/** What it costs one server to watch for many people who are away: memory, processor, requests, and what Redis does. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { unusedUrl } from '../local-server.helper.ts';
import { EventReceiver } from './event-receiver.helper.ts';
import { Machines } from './machines.helper.ts';
import { startPeopleService } from './people-service.helper.ts';
import { UsageWatch, withChildren } from './process-usage.helper.ts';
import { RedisWatch } from './redis-watch.helper.ts';
import { WatchingPerson } from './watching-person.helper.ts';

const TRANSACTIONS = 200;
/** The grant of a client stays open for half an hour after its last request. A server that was started again has none open. */
const BEFORE_RESTART = 100;
const AT_ONCE = 4;
const SERVER = 'server 1';
const mebibytes = (bytes: number) => (bytes / 2 ** 20).toFixed(0);

/** Lines of a table. */
export async function measureWatchers(count: number, minutes: number): Promise<string[]> {
  const publicUrl = await unusedUrl();
  const redirectUris = ['/oauth/callback', '/account/callback'].map((path) => publicUrl + path);
  const sizes = Array.from({ length: count }, () => TRANSACTIONS);
  const service = await startPeopleService({ sizes, redirectUris });
  const directory = await mkdtemp(join(tmpdir(), 'watchers-'));
  const receiver = await EventReceiver.start();
  receiver.isFailing = false;
  const env = () => receiver.env;
  const machines = await Machines.start({ directory, service, publicUrl, servers: 1, store: 'redis', env });
  try {
    const [server] = machines.servers;
    if (!server) throw new Error('There is one server.');
    for (let first = 0; first < count; first += BEFORE_RESTART) {
      const waiting = [...sizes.keys()].slice(first, first + BEFORE_RESTART).values();
      const begin = async () => {
        for (const nth of waiting) await new WatchingPerson(nth, machines, service).begin(receiver);
      };
      await Promise.all(Array.from({ length: AT_ONCE }, begin));
      const { length } = server.ends;
      server.kill('SIGTERM');
      while (server.ends.length === length || server.pid === undefined) await setTimeout(100);
    }
    const usage = new UsageWatch(() => ({
      [SERVER]: withChildren(server.pid),
      Redis: machines.redisNodes.flatMap(({ pid }) => pid ?? []),
    }));
    await usage.look();
    const before = {
      memory: usage.most.get(SERVER) ?? 0,
      cpu: usage.cpuMs(SERVER),
      redis: usage.cpuMs('Redis'),
    };
    const redis = new RedisWatch(machines.redis?.url ?? '');
    const asked = total(await service.requests());
    await setTimeout(minutes * 60_000);
    await usage.look();
    const requests = total(await service.requests()) - asked;
    await redis.stop();
    usage.stop();
    const share = (ms: number) => `${(ms / minutes / 600).toFixed(1)} %`;
    return [
      '| people | requests for each person in an hour | memory before | memory at most | processor: server | Redis | Redis commands a second | Redis data |',
      '| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
      `| ${[
        count,
        ((requests / count / minutes) * 60).toFixed(1),
        `${mebibytes(before.memory)} MiB`,
        `${mebibytes(usage.most.get(SERVER) ?? 0)} MiB`,
        share(usage.cpuMs(SERVER) - before.cpu),
        share(usage.cpuMs('Redis') - before.redis),
        redis.operationsPerSecond.toFixed(0),
        `${mebibytes(redis.most)} MiB`,
      ].join(' | ')} |`,
    ];
  } finally {
    await machines.close();
    await receiver.close();
    await service.close();
    await rm(directory, { recursive: true });
  }
}

const total = (requests: readonly { readonly requests: number }[]) =>
  requests.reduce((sum, each) => sum + each.requests, 0);
