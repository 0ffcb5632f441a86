/** A hosted server on one port. Like the supervisor of a machine, this starts it again whenever it ends. */
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { type HttpProgram, startHttpProgram } from '../http-program.helper.ts';

export interface ServerEnd {
  /** Null if a signal ended it. */
  readonly exitCode: number | null;
  /** The end of what it wrote. */
  readonly lastLines: string;
}

/** Docker waits for 100 ms before the first restart too. */
const RESTART_AFTER_MS = 100;

export class SupervisedServer {
  /** Each time that it ended without being told to by `stop`. */
  readonly ends: ServerEnd[] = [];
  readonly #start: () => Promise<HttpProgram>;
  #program: HttpProgram | undefined;
  #isStopping = false;
  #written = '';
  #supervision: Promise<void> = Promise.resolve();

  private constructor(start: () => Promise<HttpProgram>) {
    this.#start = start;
  }

  /** Resolves when it listens. */
  static async start(
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    program?: string,
  ): Promise<SupervisedServer> {
    const server = new SupervisedServer(() => startHttpProgram(args, env, program));
    const first = await server.#start();
    server.#supervision = server.#supervise(first);
    return server;
  }

  get pid(): number | undefined {
    return this.#program?.process.pid;
  }

  /** Undefined until it has started again. */
  get url(): string | undefined {
    return this.#program?.url;
  }

  /** Everything that its processes have written. */
  get written(): string {
    return this.#written + (this.#program?.written() ?? '');
  }

  kill(signal: NodeJS.Signals): void {
    this.#program?.process.kill(signal);
  }

  /** Returns the exit code. */
  async stop(): Promise<number | null | undefined> {
    this.#isStopping = true;
    const exitCode = await this.#program?.stop();
    await this.#supervision;
    return exitCode;
  }

  async #supervise(first: HttpProgram): Promise<void> {
    for (let program: HttpProgram | undefined = first; ; program = await this.#tryStart()) {
      if (program) {
        this.#program = program;
        const { process: child } = program;
        if (this.#isStopping) child.kill('SIGTERM');
        if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
        this.#program = undefined;
        this.#written += program.written();
        if (!this.#isStopping) this.#ended(child.exitCode, program.written());
      }
      if (this.#isStopping) return;
      await setTimeout(RESTART_AFTER_MS);
    }
  }

  async #tryStart(): Promise<HttpProgram | undefined> {
    try {
      return await this.#start();
    } catch (error) {
      this.#ended(1, String(error));
      return undefined;
    }
  }

  #ended(exitCode: number | null, written: string): void {
    this.ends.push({ exitCode, lastLines: written.slice(-1_000) });
  }
}
