/** A proxy before a Redis that counts how often a program waits for it, and what Redis counts itself. */
import { connect, createServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { listenLocally } from '../local-server.helper.ts';
import { connectTo } from './redis.helper.ts';

export interface RedisTraffic {
  readonly url: string;
  /** What `work` costs. What the program does at the same time by itself counts too. */
  cost(work: () => Promise<unknown>): Promise<RedisCost>;
  /** Resolves when nothing has passed for some time. */
  quiet(): Promise<void>;
}

export interface RedisCost {
  /** Requests after an answer. Those that are sent before any answer of the others count once. */
  readonly rounds: number;
  /** As `INFO commandstats` counts them, with those in scripts. */
  readonly commands: number;
}

/** Long enough that requests which do not wait for each other come before the first answer. */
const DELAY_MS = 10;
const QUIET_MS = 40;

export async function startRedisTraffic(port: number): Promise<RedisTraffic> {
  let rounds = 0;
  let isAnswered = true;
  let lastAt = performance.now();
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    const cut = () => {
      client.destroy();
      upstream.destroy();
    };
    client.on('data', (request) => {
      lastAt = performance.now();
      if (isAnswered) rounds += 1;
      isAnswered = false;
      upstream.write(request);
    });
    upstream.on('data', async (answer) => {
      await setTimeout(DELAY_MS);
      lastAt = performance.now();
      isAnswered = true;
      client.write(answer);
    });
    for (const socket of [client, upstream]) socket.on('error', cut).on('close', cut);
  });
  const { port: own } = await listenLocally(server);
  const redis = connectTo(`redis://127.0.0.1:${port}`);
  const commands = async () => {
    const stats = await redis.info('commandstats');
    const counts = [...stats.matchAll(/^cmdstat_(\S+?):calls=(\d+)/gm)];
    return counts.reduce((sum, [, name, calls]) => sum + (name === 'info' ? 0 : Number(calls)), 0);
  };
  return {
    url: `redis://127.0.0.1:${own}`,
    async cost(work) {
      const before = { rounds, commands: await commands() };
      await work();
      return { rounds: rounds - before.rounds, commands: (await commands()) - before.commands };
    },
    async quiet() {
      const from = performance.now();
      while (performance.now() - Math.max(lastAt, from) < QUIET_MS) await setTimeout(QUIET_MS / 4);
    },
  };
}
