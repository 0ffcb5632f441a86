/** A real Redis in a process of its own, on a port of 127.0.0.1. */
import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { Redis } from 'ioredis';
import { unusedPort } from './local-server.helper.ts';

export interface RedisProgramOptions {
  /** Where it saves its data. */
  readonly directory: string;
  /** Arguments of `redis-server`. By default it saves nothing. */
  readonly settings?: readonly string[];
  readonly password?: string;
}

export class RedisProgram {
  readonly #options: RedisProgramOptions;
  #port = 0;
  #process: ChildProcess | undefined;

  private constructor(options: RedisProgramOptions) {
    this.#options = options;
  }

  static async start(options: RedisProgramOptions): Promise<RedisProgram> {
    const redis = new RedisProgram(options);
    await redis.#startAnywhere();
    return redis;
  }

  get port(): number {
    return this.#port;
  }

  get url(): string {
    const { password } = this.#options;
    return `redis://${password === undefined ? '' : `:${password}@`}127.0.0.1:${this.#port}`;
  }

  /** Where it saves its data. */
  get directory(): string {
    return this.#options.directory;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** On the same port, with the data that it has saved. */
  async start(): Promise<void> {
    const { directory, password, settings = [] } = this.#options;
    const args = ['--port', `${this.#port}`, '--bind', '127.0.0.1', '--dir', directory, '--save', ''];
    const stdio = ['pipe', 'pipe', 'inherit'] as const;
    // A password in an argument could be read by other users of the machine.
    const started = spawn('redis-server', [...args, ...settings, '-'], { stdio: [...stdio] });
    started.stdin.end(password === undefined ? '' : `requirepass ${password}\n`);
    this.#process = started;
    await untilReady(started);
    // Otherwise it would wait once the pipe is full.
    started.stdout.resume();
  }

  /** Ends it like a power failure, and waits for that. */
  kill(): Promise<void> {
    return this.#end('SIGKILL');
  }

  /** Lets it end by itself, and waits for that. */
  stop(): Promise<void> {
    return this.#end('SIGTERM');
  }

  /** Runs a command such as `FLUSHALL` as another client. */
  async command(name: string, ...args: readonly string[]): Promise<void> {
    const client = new Redis(this.url);
    try {
      await client.call(name, ...args);
    } finally {
      client.disconnect();
    }
  }

  /** `SIGSTOP` and `SIGCONT` suspend and resume it. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#process?.kill(signal);
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const server = this.#process;
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill(signal);
    await ended;
  }

  /** Another program may take the port in between. */
  async #startAnywhere(tries = 3): Promise<void> {
    this.#port = await unusedPort();
    await this.start().catch((error: unknown) => {
      if (tries === 1) throw error;
      return this.#startAnywhere(tries - 1);
    });
  }
}

/** @throws if it ends before it accepts connections, for instance because another program has its port. */
async function untilReady({ stdout }: ChildProcessByStdio<Writable, Readable, null>): Promise<void> {
  for await (const line of createInterface(stdout)) if (line.includes('Ready to accept connections')) return;
  throw new Error('Redis has ended.');
}
