/** Programs behind pipes that share a state in files, one for each assistant. An assistant can also call another one. */
import { execFileSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { findSqlite } from '../../src/state/sqlite.ts';
import { connectLegacy, type Host, program } from '../hosts.helper.ts';
import { node22 } from '../node-22.helper.ts';
import { pidOf } from '../programs/sharing-programs.helper.ts';
import { canMount, mountOwnDisk, type OwnDisk } from './own-disk.helper.ts';
import {
  type Moment,
  type Place,
  type PlaceOptions,
  replaceDirectory,
  type Trouble,
} from './place.helper.ts';

/** Enough for the state, which is a few megabytes at most. */
const DISK_MB = 32;

/** State in files needs a Node.js that has SQLite. */
const nodeWithSqlite = (): string =>
  findSqlite()
    ? process.execPath
    : execFileSync('npx', [...node22, '--', 'node', '-p', 'process.execPath'])
        .toString()
        .trim();

export class StdioPlace implements Place {
  readonly windows: number;
  readonly troubles: Readonly<Record<string, Trouble>>;
  readonly #options: PlaceOptions;
  readonly #disk: OwnDisk | undefined;
  readonly #state: string;
  readonly #copy: string;
  readonly #hosts = new Map<number, Promise<Host>>();
  /** The program that each assistant has called last. */
  readonly #called = new Map<number, number>();
  readonly #node = nodeWithSqlite();
  #token: string;
  #startsAfter = Promise.resolve();

  private constructor(options: PlaceOptions, disk: OwnDisk | undefined) {
    const { directory, service, assistants } = options;
    this.#options = options;
    this.#disk = disk;
    this.#token = service.accessToken;
    this.#state = join(disk?.path ?? directory, 'state');
    this.#copy = join(directory, 'copy');
    this.windows = assistants;
    const calledBy = ({ assistant }: Moment) => this.#called.get(assistant) ?? assistant;
    this.troubles = {
      kill: { begin: (moment) => this.#signal('SIGKILL', [calledBy(moment)]) },
      suspend: {
        begin: (moment) => this.#signal('SIGSTOP', [calledBy(moment)]),
        end: () => this.#signal('SIGCONT'),
      },
      revoke: {
        begin: async ({ token }: Moment) => service.access.revokeToken(token),
        end: async () => void service.access.issueToken(service.user, {}, this.#token),
      },
      'new-token': {
        begin: async ({ token }) => {
          service.access.revokeToken(token);
          this.#token = service.access.issueToken(service.user);
          await this.#endAll('SIGTERM');
        },
      },
      delete: { begin: () => rm(this.#state, { recursive: true, force: true }) },
      restore: {
        prepare: () => replaceDirectory(this.#copy, this.#state),
        begin: () => this.#endAll('SIGKILL', () => replaceDirectory(this.#state, this.#copy)),
      },
      ...(disk && { full: { begin: async () => disk.fill(), end: async () => disk.free() } }),
    };
  }

  static async start(options: PlaceOptions): Promise<StdioPlace> {
    return new StdioPlace(options, canMount ? await mountOwnDisk(DISK_MB) : undefined);
  }

  host(assistant: number, window: number): Promise<Host> {
    this.#called.set(assistant, window);
    const known = this.#hosts.get(window) ?? this.#start(window);
    this.#hosts.set(window, known);
    return known;
  }

  /** A program that has ended is known by the end of its pipe. */
  async failed(): Promise<void> {}

  async close(): Promise<void> {
    await Promise.all([...this.#hosts.values()].map(async (host) => (await host.catch(() => {}))?.close()));
    await this.#disk?.close();
  }

  async #start(window: number): Promise<Host> {
    const { directory, baseUrl } = this.#options;
    try {
      await this.#startsAfter;
      const host = await connectLegacy({
        command: this.#disk ? [...this.#disk.command, this.#node, program] : [this.#node, program],
        args: ['serve', '--state-dir', join(this.#disk?.ownPath ?? directory, 'state'), '--confirm', 'none'],
        env: {
          BUDGET_MCP_BASE_URL: baseUrl,
          BUDGET_MCP_TOKEN: this.#token,
          BUDGET_MCP_NO_STATE: 'false',
        },
      });
      host.client.onclose = () => this.#hosts.delete(window);
      return host;
    } catch (error) {
      this.#hosts.delete(window);
      throw error;
    }
  }

  async #signal(signal: NodeJS.Signals, windows: Iterable<number> = this.#hosts.keys()): Promise<void> {
    const hosts = [...windows].map((window) => this.#hosts.get(window)?.catch(() => undefined));
    for (const host of await Promise.all(hosts)) {
      try {
        if (host) process.kill(pidOf(host), signal);
      } catch {
        // It has just ended.
      }
    }
  }

  /** No program is started until `work` is done. */
  async #endAll(signal: NodeJS.Signals, work = async () => {}): Promise<void> {
    const ending = [...this.#hosts];
    const end = async () => {
      await this.#signal(signal);
      while (ending.some(([window, host]) => this.#hosts.get(window) === host)) await setTimeout(20);
      await work();
    };
    this.#startsAfter = end();
    await this.#startsAfter;
  }
}
