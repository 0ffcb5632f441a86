/** Hosted servers with one Redis. A person has signed in once, and the assistants call the servers without the proxy. */
import { join } from 'node:path';
import { connectModern, type Host } from '../hosts.helper.ts';
import { Machines } from '../programs/machines.helper.ts';
import { DistantBrowser, signInOnPages } from '../programs/sign-in-pages.helper.ts';
import type { RedisProgram } from '../redis-program.helper.ts';
import { Place, type PlaceOptions, replaceDirectory, type Trouble } from './place.helper.ts';

const SERVERS = 2;
/** The list of processes of each store (docs/redis.md). */
const REMOVE_PROCESSES = `for _, key in ipairs(redis.call('KEYS', '*:processes')) do redis.call('DEL', key) end`;

export class HostedPlace extends Place {
  readonly troubles: Readonly<Record<string, Trouble>>;
  readonly #options: PlaceOptions;
  readonly #machines: Machines;
  #token: Promise<string> | undefined;
  #signIns = 0;

  private constructor(options: PlaceOptions, machines: Machines, redis: RedisProgram) {
    super(SERVERS);
    const { directory, service } = options;
    this.#options = options;
    this.#machines = machines;
    const copy = join(directory, 'copy');
    this.troubles = {
      ...this.processTroubles,
      // The server gets another one with its refresh token.
      revoke: { begin: async ({ token }) => service.access.revokeToken(token) },
      full: {
        begin: () => redis.command('CONFIG', 'SET', 'maxmemory', '1mb'),
        end: () => redis.command('CONFIG', 'SET', 'maxmemory', '0'),
      },
      delete: { begin: () => redis.command('FLUSHALL') },
      evict: { begin: () => redis.command('EVAL', REMOVE_PROCESSES, '0') },
      restore: {
        prepare: () => replaceDirectory(copy, redis.directory),
        begin: async () => {
          await redis.kill();
          await replaceDirectory(redis.directory, copy);
          await redis.start();
        },
      },
    };
  }

  static async start(options: PlaceOptions & { readonly publicUrl: string }): Promise<HostedPlace> {
    const { directory, service, baseUrl, publicUrl } = options;
    const { appUrl, client } = service;
    const machines = await Machines.start({
      directory,
      service: { baseUrl, appUrl, client },
      publicUrl,
      servers: SERVERS,
      store: 'redis',
      args: ['--drain-seconds', '3'],
    });
    const [redis] = machines.redisNodes;
    if (!redis) throw new Error('There is no Redis.');
    return new HostedPlace(options, machines, redis);
  }

  override async close(): Promise<void> {
    await super.close();
    await this.#machines.close();
  }

  protected override async connect(window: number): Promise<Host> {
    this.#token ??= this.#signIn();
    const token = await this.#token;
    return connectModern({ http: { url: this.#machines.servers[window]?.url ?? '', token } });
  }

  protected override async signal(window: number, signal: NodeJS.Signals): Promise<void> {
    this.#machines.servers[window]?.kill(signal);
  }

  /** The next call gets another connection, and another sign-in if this one has ended. */
  protected override failed(window: number, error: Error): void {
    this.hosts.delete(window);
    if (!/unauthorized|401/i.test(`${error.name} ${error.message}`)) return;
    this.#token = undefined;
    this.hosts.clear();
  }

  async #signIn(): Promise<string> {
    const { service } = this.#options;
    const { issuer, url } = this.#machines;
    this.#signIns += 1;
    try {
      const { tokens } = await signInOnPages(
        { issuer, resource: url },
        { ...service.signIn, budgetId: service.user.ledgers[0]?.id ?? '' },
        {
          browser: new DistantBrowser(this.#signIns, [issuer, service.appUrl]),
          decision: 'allow',
          clientName: 'Assistants',
        },
      );
      return tokens.access_token;
    } catch (error) {
      this.#token = undefined;
      throw error;
    }
  }
}
