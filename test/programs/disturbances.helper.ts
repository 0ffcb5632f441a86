/** What happens to servers and to Redis while people use them. */
import { setTimeout } from 'node:timers/promises';
import { RedisCluster } from '../redis-cluster.helper.ts';
import type { Machines } from './machines.helper.ts';
import type { SupervisedServer } from './supervised-server.helper.ts';

/**
 * `kills` ends one server after the other with SIGKILL, one every 20 seconds. Of Redis, `restart` ends it and starts it again
 * with its data, `stall` and `long-stall` suspend it for less and for more than the lease of a process, and `full` lets it
 * take no more data for some seconds, and `failover` kills a master of a cluster. `update` ends one server after the other with SIGTERM and starts it again.
 */
export const disturbances = [
  'kills',
  'restart',
  'stall',
  'long-stall',
  'full',
  'failover',
  'update',
] as const;

export type Disturbance = (typeof disturbances)[number];

const KILL_EVERY_MS = 20_000;
const STALL_MS = 3_000;
/** The lease of a process is 10 seconds. */
const LONG_STALL_MS = 13_000;
const FULL_MS = 5_000;
const RESTART_AFTER_MS = 500;
/** The proxy looks every second. */
const KNOWN_AFTER_MS = 3_000;
/** From the begin of a disturbance of Redis to a kill. */
const BEFORE_KILL_MS = 300;

const once: Readonly<Record<Exclude<Disturbance, 'kills'>, (machines: Machines) => Promise<void>>> = {
  async restart({ redis }) {
    await redis?.stop();
    await setTimeout(RESTART_AFTER_MS);
    await redis?.start();
  },
  stall: (machines) => stall(machines, STALL_MS),
  'long-stall': (machines) => stall(machines, LONG_STALL_MS),
  async full({ redis }) {
    await redis?.command('CONFIG', 'SET', 'maxmemory', '1mb');
    await setTimeout(FULL_MS);
    await redis?.command('CONFIG', 'SET', 'maxmemory', '0');
  },
  async failover({ redis }) {
    if (redis instanceof RedisCluster) await redis.failover();
  },
  async update({ servers }) {
    for (const server of servers) await update(server);
  },
};

/** The next server is stopped when the proxy knows that this one is ready. */
async function update(server: SupervisedServer): Promise<void> {
  while (server.pid === undefined) await setTimeout(100);
  const { ends } = server;
  const before = ends.length;
  server.kill('SIGTERM');
  while (ends.length === before || server.pid === undefined) await setTimeout(100);
  await setTimeout(KNOWN_AFTER_MS);
}

async function stall({ redis }: Machines, milliseconds: number): Promise<void> {
  redis?.signal('SIGSTOP');
  await setTimeout(milliseconds);
  redis?.signal('SIGCONT');
}

/**
 * When each of `count` other disturbances begins: at even distances, so that the last one ends before the end of the time,
 * but just before a server is killed if that is near. A server is started again then while Redis is disturbed.
 */
function startsOf(count: number, killsAt: readonly number[], durationMs: number): number[] {
  const distance = durationMs / count;
  return Array.from({ length: count }, (_, nth) => {
    const at = (nth + 0.5) * distance;
    const near = killsAt.find((killAt) => Math.abs(killAt - at) <= distance / 2);
    return near === undefined ? at : near - BEFORE_KILL_MS;
  });
}

/** Resolves with what was done, in order. */
export async function disturb(
  machines: Machines,
  chosen: readonly Disturbance[],
  seconds: number,
): Promise<string[]> {
  const done: string[] = [];
  const begin = performance.now();
  const durationMs = seconds * 1_000;
  const note = (what: string) => {
    done.push(`${((performance.now() - begin) / 1_000).toFixed(0)} s ${what}`);
  };
  const until = (at: number) => setTimeout(begin + at - performance.now());
  const others = chosen.filter((each) => each !== 'kills');
  const kills = chosen.includes('kills') ? Math.ceil(durationMs / KILL_EVERY_MS) - 1 : 0;
  const killsAt = Array.from({ length: kills }, (_, nth) => (nth + 1) * KILL_EVERY_MS);
  const kill = async () => {
    for (const [nth, at] of killsAt.entries()) {
      await until(at);
      const number = nth % machines.servers.length;
      machines.servers[number]?.kill('SIGKILL');
      note(`server ${number + 1} killed`);
    }
  };
  const disturbOnce = async () => {
    const starts = startsOf(others.length, killsAt, durationMs);
    for (const [nth, each] of others.entries()) {
      await until(starts[nth] ?? 0);
      note(each === 'update' ? 'servers updated' : `Redis: ${each}`);
      await once[each](machines);
    }
  };
  await Promise.all([kill(), disturbOnce()]);
  return done;
}
