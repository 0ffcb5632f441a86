/** Programs behind pipes that share a state in files. */
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { findSqlite } from '../../src/store/sqlite.ts';
import { connectLegacy, type Host, program } from '../hosts.helper.ts';
import { node22 } from '../node-22.helper.ts';
import { canMount, mountOwnDisk, type OwnDisk } from '../own-disk.helper.ts';
import { pidOf } from '../programs/sharing-programs.helper.ts';
import type { StatementExport } from './overtaking.helper.ts';
import { Place, type PlaceOptions, removeDirectory, replaceDirectory, type Trouble } from './place.helper.ts';

const PROGRAMS = 3;
/** Enough for the state, which is a few megabytes at most. */
const DISK_MB = 32;

/** State in files needs a Node.js that has SQLite. */
const nodeWithSqlite = (): string =>
  findSqlite()
    ? process.execPath
    : execFileSync('npx', [...node22, '--', 'node', '-p', 'process.execPath'])
        .toString()
        .trim();

export class StdioPlace extends Place {
  readonly troubles: Readonly<Record<string, Trouble>>;
  readonly #baseUrl: string;
  readonly #disk: OwnDisk | undefined;
  /** As the programs see it. */
  readonly #stateDirectory: string;
  readonly #statements: string;
  readonly #node = nodeWithSqlite();
  #token: string;
  #startsAfter = Promise.resolve();

  private constructor({ directory, service, baseUrl }: PlaceOptions, disk: OwnDisk | undefined) {
    super(PROGRAMS);
    this.#baseUrl = baseUrl;
    this.#disk = disk;
    this.#token = service.accessToken;
    this.#stateDirectory = join(disk?.ownPath ?? directory, 'state');
    this.#statements = join(directory, 'statements');
    const state = join(disk?.path ?? directory, 'state');
    const copy = join(directory, 'copy');
    this.troubles = {
      ...this.processTroubles,
      revoke: {
        begin: async ({ token }) => service.access.revokeToken(token),
        end: async () => void service.access.issueToken(service.user, {}, this.#token),
      },
      'new-token': {
        begin: async ({ token }) => {
          service.access.revokeToken(token);
          this.#token = service.access.issueToken(service.user);
          await this.#endAll('SIGTERM');
        },
      },
      delete: { begin: () => removeDirectory(state) },
      restore: {
        prepare: () => replaceDirectory(copy, state),
        begin: () => this.#endAll('SIGKILL', () => replaceDirectory(state, copy)),
      },
      ...(disk && { full: { begin: async () => disk.fill(), end: async () => disk.free() } }),
    };
  }

  static async start(options: PlaceOptions): Promise<StdioPlace> {
    await mkdir(join(options.directory, 'statements'));
    return new StdioPlace(options, canMount ? await mountOwnDisk(DISK_MB) : undefined);
  }

  override readonly putStatement = ({ name, content }: StatementExport) =>
    writeFile(join(this.#statements, name), content);

  override async close(): Promise<void> {
    await super.close();
    await this.#disk?.close();
  }

  protected override async connect(window: number): Promise<Host> {
    await this.#startsAfter;
    const host = await connectLegacy({
      command: [...(this.#disk?.command ?? []), this.#node, program],
      args: [
        ...['serve', '--state-dir', this.#stateDirectory, '--confirm', 'none'],
        ...['--statements', this.#statements],
      ],
      env: {
        BUDGET_MCP_BASE_URL: this.#baseUrl,
        BUDGET_MCP_TOKEN: this.#token,
        BUDGET_MCP_NO_STATE: 'false',
      },
    });
    host.client.onclose = () => this.hosts.delete(window);
    return host;
  }

  protected override async signal(window: number, signal: NodeJS.Signals): Promise<void> {
    const host = await this.hosts.get(window)?.catch(() => undefined);
    try {
      if (host) process.kill(pidOf(host), signal);
    } catch {
      // It has just ended.
    }
  }

  /** No program is started until `work` is done. */
  async #endAll(signal: NodeJS.Signals, work = async () => {}): Promise<void> {
    const ending = [...this.hosts];
    const end = async () => {
      for (const [window] of ending) await this.signal(window, signal);
      while (ending.some(([window, host]) => this.hosts.get(window) === host)) await setTimeout(20);
      await work();
    };
    this.#startsAfter = end();
    await this.#startsAfter;
  }
}
