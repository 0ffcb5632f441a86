/** The programs of the soak with their state, the connections of assistants to them, and what can happen to them. */
import { cp, mkdir, rm } from 'node:fs/promises';
import type { Service } from '../../src/service/server.ts';
import type { Called, Host } from '../hosts.helper.ts';
import type { StatementExport } from './overtaking.helper.ts';

/** The write during which it happens. */
export interface Moment {
  /** The program that writes. */
  readonly window: number;
  /** With which it asks the service. */
  readonly token: string;
}

export interface Trouble {
  /** Some seconds before. */
  prepare?(): Promise<void>;
  begin(moment: Moment): Promise<void>;
  end?(): Promise<void>;
}

export interface PlaceOptions {
  /** Where everything is stored. */
  readonly directory: string;
  readonly service: Service;
  /** The address of the service behind the line. */
  readonly baseUrl: string;
}

export abstract class Place {
  /** By name. */
  abstract readonly troubles: Readonly<Record<string, Trouble>>;
  /** How many programs there are. All assistants can call each of them. */
  readonly windows: number;
  /** Replaces a file of the bank, where the programs read such files. */
  readonly putStatement?: (file: StatementExport) => Promise<void>;
  protected readonly hosts = new Map<number, Promise<Host>>();

  constructor(windows: number) {
    this.windows = windows;
  }

  /** An error is one without an answer of a tool. */
  async call(
    window: number,
    tool: string,
    args: Record<string, unknown>,
    timeout: number,
    signal?: AbortSignal,
  ): Promise<Called | Error> {
    try {
      const host = this.hosts.get(window) ?? this.#connect(window);
      return await (await host).call(tool, args, { timeout, ...(signal && { signal }) });
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      this.failed(window, error);
      return error;
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.hosts.values()].map(async (host) => (await host.catch(() => {}))?.close()));
  }

  protected abstract connect(window: number): Promise<Host>;
  protected abstract signal(window: number, signal: NodeJS.Signals): Promise<void>;
  /** A call has failed. */
  protected failed(_window: number, _error: Error): void {}

  /** They are the same in all places. */
  protected readonly processTroubles = {
    kill: { begin: ({ window }) => this.signal(window, 'SIGKILL') },
    suspend: {
      begin: ({ window }) => this.signal(window, 'SIGSTOP'),
      end: async () => {
        for (let window = 0; window < this.windows; window += 1) await this.signal(window, 'SIGCONT');
      },
    },
  } satisfies Record<string, Trouble>;

  #connect(window: number): Promise<Host> {
    const connecting = this.connect(window);
    this.hosts.set(window, connecting);
    connecting.catch(() => this.hosts.delete(window));
    return connecting;
  }
}

/** A program may make files in it meanwhile. */
export const removeDirectory = (path: string) =>
  rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 10 });

/** The target has what the source has, which may be nothing. */
export async function replaceDirectory(target: string, source: string): Promise<void> {
  await removeDirectory(target);
  await mkdir(source, { recursive: true, mode: 0o700 });
  await cp(source, target, { recursive: true });
}
