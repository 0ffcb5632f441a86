/** Two hosted servers with one Redis behind a proxy. Each assistant has a sign-in of the same person. */
import { join } from 'node:path';
import { connectModern, type Host } from '../hosts.helper.ts';
import { KeptSignIn } from '../programs/kept-sign-in.helper.ts';
import { Machines } from '../programs/machines.helper.ts';
import { DistantBrowser, signInOnPages } from '../programs/sign-in-pages.helper.ts';
import type { RedisProgram } from '../redis-program.helper.ts';
import {
  type Moment,
  type Place,
  type PlaceOptions,
  replaceDirectory,
  type Trouble,
} from './place.helper.ts';

const SERVERS = 2;

export class HostedPlace implements Place {
  /** An assistant has one connection. */
  readonly windows = 1;
  readonly troubles: Readonly<Record<string, Trouble>>;
  readonly #options: PlaceOptions;
  readonly #machines: Machines;
  readonly #hosts = new Map<number, Promise<Host>>();
  readonly #signIns = new Map<number, KeptSignIn>();
  #browsers = 0;

  private constructor(options: PlaceOptions, machines: Machines, redis: RedisProgram) {
    const { directory, service } = options;
    this.#options = options;
    this.#machines = machines;
    const { servers } = machines;
    const serverOf = ({ assistant }: Moment) => servers[assistant % servers.length];
    const copy = join(directory, 'copy');
    this.troubles = {
      kill: { begin: async (moment) => serverOf(moment)?.kill('SIGKILL') },
      suspend: {
        begin: async (moment) => serverOf(moment)?.kill('SIGSTOP'),
        end: async () => {
          for (const server of servers) server.kill('SIGCONT');
        },
      },
      // The server gets another one with its refresh token.
      revoke: { begin: async ({ token }) => service.access.revokeToken(token) },
      full: {
        begin: () => redis.command('CONFIG', 'SET', 'maxmemory', '1mb'),
        end: () => redis.command('CONFIG', 'SET', 'maxmemory', '0'),
      },
      delete: { begin: () => redis.command('FLUSHALL') },
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
    if (!machines.redis) throw new Error('There is no Redis.');
    return new HostedPlace(options, machines, machines.redis);
  }

  host(assistant: number): Promise<Host> {
    const known = this.#hosts.get(assistant) ?? this.#connect(assistant);
    this.#hosts.set(assistant, known);
    known.catch(() => this.#hosts.delete(assistant));
    return known;
  }

  /** The next call gets another connection, and another sign-in if this one has ended. */
  async failed(host: Pick<Host, 'call'>, error: Error): Promise<void> {
    for (const [assistant, connecting] of this.#hosts) {
      const connected = await connecting.catch(() => {});
      if (connected !== host) continue;
      this.#hosts.delete(assistant);
      if (/unauthorized|401/i.test(`${error.name} ${error.message}`)) this.#signIns.delete(assistant);
      await connected.close().catch(() => {});
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#hosts.values()].map(async (host) => (await host.catch(() => {}))?.close()));
    await this.#machines.close();
  }

  async #connect(assistant: number): Promise<Host> {
    const { issuer, url } = this.#machines;
    const authProvider = this.#signIns.get(assistant) ?? (await this.#signIn(assistant));
    this.#signIns.set(assistant, authProvider);
    try {
      return await connectModern({ http: { url, authProvider } });
    } catch (error) {
      if (!(await isRunning(issuer))) throw error;
      this.#signIns.delete(assistant);
      throw error;
    }
  }

  async #signIn(assistant: number): Promise<KeptSignIn> {
    const { service } = this.#options;
    const { issuer, url } = this.#machines;
    this.#browsers += 1;
    const { clientId, tokens } = await signInOnPages(
      { issuer, resource: url },
      { ...service.signIn, budgetId: service.user.ledgers[0]?.id ?? '' },
      {
        browser: new DistantBrowser(this.#browsers, [issuer, service.appUrl]),
        decision: 'allow',
        clientName: `Assistant ${assistant}`,
      },
    );
    return new KeptSignIn(issuer, clientId, tokens);
  }
}

const isRunning = (issuer: string) =>
  fetch(`${issuer}/.well-known/oauth-protected-resource`).then(
    ({ ok }) => ok,
    () => false,
  );
