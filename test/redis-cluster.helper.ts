/** A real Redis Cluster on ports of 127.0.0.1: three masters, each with as many replicas as wanted. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { unusedPort } from './local-server.helper.ts';
import { RedisProgram, type RedisProgramOptions } from './redis-program.helper.ts';

const MASTERS = 3;
const SLOTS = 16_384;
/** A master without an answer for so long is replaced by its replica. Without one, a slow machine must not make it fail. */
const NODE_TIMEOUT_MS = { withReplica: 1_000, alone: 60_000 };
const LOOK_MS = 50;

export interface RedisClusterOptions extends Pick<RedisProgramOptions, 'directory' | 'settings'> {
  /** Of each master. */
  readonly replicas: number;
}

export class RedisCluster {
  /** The masters of the beginning first. */
  readonly nodes: readonly RedisProgram[];
  #failovers = 0;

  private constructor(nodes: readonly RedisProgram[]) {
    this.nodes = nodes;
  }

  static async start({ directory, settings = [], replicas }: RedisClusterOptions): Promise<RedisCluster> {
    const starting = Array.from({ length: MASTERS * (1 + replicas) }, async (_, nth) => {
      const own = join(directory, `node-${nth}`);
      await mkdir(own);
      const port = `${await unusedPort()}`;
      const cluster = ['--cluster-enabled', 'yes', '--cluster-port', port];
      const timeoutMs = replicas > 0 ? NODE_TIMEOUT_MS.withReplica : NODE_TIMEOUT_MS.alone;
      const timeout = ['--cluster-node-timeout', `${timeoutMs}`];
      return RedisProgram.start({ directory: own, settings: [...cluster, ...timeout, ...settings] });
    });
    const cluster = new RedisCluster(await Promise.all(starting));
    try {
      await cluster.#connect();
    } catch (error) {
      await cluster.kill();
      throw error;
    }
    return cluster;
  }

  /** Addresses of all nodes, as the settings take them. */
  get url(): string {
    return this.nodes.map(({ url }) => url).join();
  }

  /** Those that run and are masters now. */
  async masters(): Promise<readonly RedisProgram[]> {
    const roles = await Promise.all(this.nodes.map(roleOf));
    return this.nodes.filter((_, nth) => roles[nth] === 'master');
  }

  /** The master that has the slot of a key. */
  async masterOf(key: string): Promise<RedisProgram> {
    const [node] = await this.masters();
    if (!node) throw new Error('No master runs.');
    return await asked(node, async (client) => {
      const slot = await client.cluster('KEYSLOT', key);
      const ranges = await client.cluster('SLOTS');
      const range = ranges.find(([first, last]) => Number(first) <= slot && slot <= Number(last));
      const port = Number((range?.[2] as unknown[] | undefined)?.[1]);
      return this.nodes.find((each) => each.port === port) ?? node;
    });
  }

  /** The nodes that copy a master. */
  async replicasOf(master: RedisProgram): Promise<readonly RedisProgram[]> {
    const roles = await asked(master, (client) => client.role());
    const ports = (roles[2] as string[][]).map(([, port]) => Number(port));
    return this.nodes.filter(({ port }) => ports.includes(port));
  }

  /** Ends the next master like a power failure, and starts it again as a replica of the one that has taken over. */
  async failover(): Promise<void> {
    const masters = await this.masters();
    const lost = masters[this.#failovers % masters.length];
    this.#failovers += 1;
    await lost?.kill();
    await this.untilTakenOver();
    await lost?.start();
  }

  async untilTakenOver(): Promise<void> {
    while ((await this.masters()).length < MASTERS) await setTimeout(LOOK_MS);
  }

  /** Runs a command such as `FLUSHALL` on all masters. */
  async command(name: string, ...args: readonly string[]): Promise<void> {
    await Promise.all((await this.masters()).map((master) => master.command(name, ...args)));
  }

  async start(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.start()));
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop()));
  }

  async kill(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.kill()));
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    for (const node of this.nodes) node.signal(signal);
  }

  async #connect(): Promise<void> {
    const [first, ...others] = this.nodes;
    if (!first) return;
    const [, bus] = await asked(first, (client) => client.config('GET', 'cluster-port') as Promise<string[]>);
    for (const [nth, node] of this.nodes.entries())
      await node.command('CLUSTER', 'SET-CONFIG-EPOCH', `${nth + 1}`);
    for (const each of others)
      await each.command('CLUSTER', 'MEET', '127.0.0.1', `${first.port}`, String(bus));
    const share = Math.ceil(SLOTS / MASTERS);
    for (const [nth, node] of this.nodes.slice(0, MASTERS).entries()) {
      const last = Math.min((nth + 1) * share, SLOTS) - 1;
      await node.command('CLUSTER', 'ADDSLOTSRANGE', `${nth * share}`, `${last}`);
    }
    await this.#untilAll('CLUSTER', 'INFO', `cluster_known_nodes:${this.nodes.length}\r`);
    for (const [nth, replica] of this.nodes.slice(MASTERS).entries()) {
      const master = this.nodes[nth % MASTERS];
      if (master)
        await asked(master, async (client) =>
          replica.command('CLUSTER', 'REPLICATE', String(await client.cluster('MYID'))),
        );
    }
    await this.#untilAll('CLUSTER', 'INFO', 'cluster_state:ok\r');
    const masters = this.nodes.length > MASTERS ? this.nodes.slice(0, MASTERS) : [];
    for (const master of masters) await until(master, 'INFO', 'replication', 'state=online');
  }

  async #untilAll(name: string, part: string, text: string): Promise<void> {
    for (const node of this.nodes) await until(node, name, part, text);
  }
}

async function asked<Result>(node: RedisProgram, ask: (client: Redis) => Promise<Result>): Promise<Result> {
  const client = new Redis(node.url, { retryStrategy: () => null });
  client.on('error', () => {});
  try {
    return await ask(client);
  } finally {
    client.disconnect();
  }
}

async function until(node: RedisProgram, name: string, part: string, text: string): Promise<void> {
  await asked(node, async (client) => {
    while (!String(await client.call(name, part)).includes(text)) await setTimeout(LOOK_MS);
  });
}

const roleOf = (node: RedisProgram): Promise<unknown> =>
  asked(node, async (client) => {
    const [role] = await client.role();
    return role;
  }).catch(() => 'ended');
