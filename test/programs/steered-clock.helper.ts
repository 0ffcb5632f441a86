/** Controls the clock of a program in another process. `clock-preload.helper.ts` is the program's side. */
import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { listenLocally } from '../local-server.helper.ts';
import type { ManualClock } from '../manual-clock.helper.ts';
import { preloadOf } from './preload.helper.ts';

const responseSchema = z.object({ id: z.int(), nextWakeIn: z.number().exactOptional() });
type Response = z.output<typeof responseSchema>;

/** After so many turns of the event loop, the client has read and parsed the program's output. */
const TURNS = 30;

export class SteeredClock {
  /** The environment variables that the program needs. */
  readonly env: Readonly<Record<string, string>>;
  readonly #service: ManualClock;
  readonly #pending = new Map<number, (response: Response) => void>();
  /** The connection to the program that was started last. */
  #connection: Socket | undefined;
  #lastId = 0;
  #monotonic = 0;
  /** The difference between the program's wall clock and that of the service. */
  #shift = 0;

  private constructor(env: Record<string, string>, service: ManualClock) {
    this.env = env;
    this.#service = service;
  }

  /** Starts at the time of the service's clock, and advances that clock too. */
  static async start(service: ManualClock): Promise<SteeredClock> {
    const server = createServer();
    const [{ port }, code] = await Promise.all([listenLocally(server), preloadOf('clock-preload.helper.ts')]);
    const env = {
      CLOCK_PORT: String(port),
      CLOCK_START: String(service.now()),
      NODE_OPTIONS: code,
    };
    const clock = new SteeredClock(env, service);
    server.on('connection', (socket) => clock.#connected(socket));
    return clock;
  }

  /** Milliseconds since the start, by the program's monotonic clock. */
  monotonic(): number {
    return this.#monotonic;
  }

  /** Advances the time immediately, without waiting for open work. */
  async advance(milliseconds: number): Promise<void> {
    this.#monotonic += milliseconds;
    this.#service.advance(milliseconds);
    await this.#command('advance', milliseconds);
  }

  /** Shifts the program's wall clock. A negative value sets it back. The service's clock does not change. */
  async shiftWallClock(milliseconds: number): Promise<void> {
    this.#shift += milliseconds;
    await this.#command('set', this.#service.now() + this.#shift);
  }

  /** Waits for `work`, and advances the time whenever the program waits for nothing but time. */
  async passing<T>(work: Promise<T>): Promise<T> {
    let isSettled = false;
    const onSettled = () => {
      isSettled = true;
    };
    work.then(onSettled, onSettled);
    for (;;) {
      const wakesIn = await this.#idle();
      if (isSettled) return work;
      if (wakesIn !== undefined) await this.advance(wakesIn);
    }
  }

  /** Advances the time step by step, and waits after each timer until the program is idle. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.#monotonic + milliseconds;
    for (;;) {
      const left = end - this.#monotonic;
      const wakesIn = await this.#idle();
      if (left <= 0) return;
      await this.advance(Math.min(wakesIn ?? left, left));
    }
  }

  /** Waits until the program waits only for time or its host. Returns the time until its next timer. */
  async #idle(): Promise<number | undefined> {
    await turns();
    const { nextWakeIn } = await this.#command('idle');
    await turns();
    return nextWakeIn;
  }

  #command(name: string, milliseconds = 0): Promise<Response> {
    this.#lastId += 1;
    const id = this.#lastId;
    const response = new Promise<Response>((resolve) => {
      this.#pending.set(id, resolve);
    });
    this.#connection?.write(`${id} ${name} ${milliseconds}\n`);
    return response;
  }

  #connected(socket: Socket): void {
    this.#connection = socket.setNoDelay();
    createInterface(socket).on('line', (line) => {
      const response = responseSchema.parse(JSON.parse(line));
      this.#pending.get(response.id)?.(response);
      this.#pending.delete(response.id);
    });
  }
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await setImmediate();
}
