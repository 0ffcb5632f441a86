/**
 * Hosted servers on several machines, with what they need: the budgeting service, Redis, and Caddy in front. All of them are
 * real programs on this machine. Without Redis it is one server, with its state in files.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CaddyProgram } from '../caddy-program.helper.ts';
import { runOurCaddy } from '../deployment/our-caddy.helper.ts';
import { unusedPort } from '../local-server.helper.ts';
import { RedisCluster } from '../redis-cluster.helper.ts';
import { RedisProgram } from '../redis-program.helper.ts';
import type { PeopleService } from './people-service.helper.ts';
import { withChildren } from './process-usage.helper.ts';
import { SupervisedServer } from './supervised-server.helper.ts';

export type MachinesStore = 'redis' | 'cluster' | 'files';

export interface MachinesOptions {
  /** Where everything is stored. */
  readonly directory: string;
  /** Where people sign in. Its application has to redirect to `publicUrl`. */
  readonly service: Pick<PeopleService, 'baseUrl' | 'appUrl' | 'client'>;
  /** The address of the proxy. */
  readonly publicUrl: string;
  readonly servers: number;
  /** `cluster` is a Redis Cluster with a replica of each master. */
  readonly store: MachinesStore;
  readonly args?: readonly string[];
  /** Whether the proxy sends each request to the next server. By default it keeps a token at one server. */
  readonly isInTurn?: boolean;
  /** Another one than the built program. */
  readonly program?: string;
  /** For each server. */
  readonly env?: (nth: number) => Readonly<Record<string, string>>;
}

const REDIS_SETTINGS = [
  ...['--appendonly', 'yes', '--appendfsync', 'always'],
  ...['--maxmemory-policy', 'noeviction'],
];

const startRedis = (store: 'redis' | 'cluster', directory: string) =>
  store === 'cluster'
    ? RedisCluster.start({ directory, settings: REDIS_SETTINGS, replicas: 1 })
    : RedisProgram.start({
        directory,
        settings: REDIS_SETTINGS,
        password: randomBytes(16).toString('hex'),
      });

export class Machines {
  /** Undefined if the state is in files. */
  readonly redis: RedisProgram | RedisCluster | undefined;
  readonly servers: readonly SupervisedServer[];
  /** The address for clients. */
  readonly url: string;
  readonly issuer: string;
  readonly #proxy: CaddyProgram;

  private constructor(
    publicUrl: string,
    redis: RedisProgram | RedisCluster | undefined,
    servers: readonly SupervisedServer[],
    proxy: CaddyProgram,
  ) {
    this.issuer = publicUrl;
    this.url = `${publicUrl}/mcp`;
    this.redis = redis;
    this.servers = servers;
    this.#proxy = proxy;
  }

  static async start(options: MachinesOptions): Promise<Machines> {
    const {
      directory,
      service,
      publicUrl,
      servers: count,
      store,
      args = [],
      isInTurn = false,
      program,
      env = () => ({}),
    } = options;
    const inDirectory = async (name: string) => {
      await mkdir(join(directory, name), { recursive: true });
      return join(directory, name);
    };
    const keyFile = join(directory, 'server.key');
    await writeFile(keyFile, randomBytes(32).toString('base64'), { mode: 0o600 });
    const redis = store === 'files' ? undefined : await startRedis(store, await inDirectory('redis'));
    const state = redis
      ? {
          BUDGET_MCP_REDIS_URL: redis.url,
          BUDGET_MCP_REDIS_REPLICAS: store === 'cluster' ? '1' : '0',
        }
      : { BUDGET_MCP_STATE_DIR: await inDirectory('state') };
    const ports = await Promise.all(Array.from({ length: count }, () => unusedPort()));
    const servers = await Promise.all(
      ports.map((port, nth) =>
        SupervisedServer.start(
          [
            ...['--hosted', '--port', `${port}`, '--public-url', publicUrl],
            ...['--server-key-file', keyFile, '--confirm', 'none', ...args],
          ],
          {
            BUDGET_MCP_NO_STATE: 'false',
            BUDGET_MCP_BASE_URL: service.baseUrl,
            BUDGET_MCP_APP_URL: service.appUrl,
            BUDGET_MCP_CLIENT_ID: service.client.clientId,
            BUDGET_MCP_CLIENT_SECRET: service.client.clientSecret,
            ...state,
            ...env(nth),
          },
          program,
        ),
      ),
    );
    const proxied = {
      site: publicUrl,
      servers: ports.map((port) => `127.0.0.1:${port}`),
      directory: await inDirectory('caddy'),
    };
    const proxy = await runOurCaddy(proxied, { trustsCallers: true, isInTurn });
    return new Machines(publicUrl, redis, servers, proxy);
  }

  /** The processes that run now, by name. Those of a server are its workers too. */
  get pids(): Readonly<Record<string, readonly number[]>> {
    return {
      ...Object.fromEntries(this.servers.map(({ pid }, nth) => [`server ${nth + 1}`, withChildren(pid)])),
      Caddy: [this.#proxy.pid],
      ...Object.fromEntries(
        this.redisNodes.map(({ pid }, nth) => [
          nth === 0 ? 'Redis' : `Redis ${nth + 1}`,
          pid === undefined ? [] : [pid],
        ]),
      ),
    };
  }

  get redisNodes(): readonly RedisProgram[] {
    if (!this.redis) return [];
    return this.redis instanceof RedisProgram ? [this.redis] : this.redis.nodes;
  }

  /** Returns the exit codes of the servers. */
  async close(): Promise<(number | null | undefined)[]> {
    const exitCodes = await Promise.all(this.servers.map((server) => server.stop()));
    await this.#proxy.stop();
    await this.redis?.kill();
    return exitCodes;
  }
}
