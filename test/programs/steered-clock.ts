/** The clock of a program that runs as a process of its own: the test's side of `clock-preload.ts`. */
import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { setImmediate } from 'node:timers/promises';
import { build } from 'esbuild';
import { z } from 'zod';
import { forNode } from '../../.ci/bundle-program.ts';
import { listenLocally } from '../local-server.ts';
import type { ManualClock } from '../manual-clock.ts';

const answerSchema = z.object({ id: z.int(), nextWakeIn: z.number().exactOptional() });
type Answer = z.output<typeof answerSchema>;

/** A program's answer has been read from its pipe and parsed by the client after so many turns of the event loop. */
const TURNS = 30;

export class SteeredClock {
  /** What the program has to be started with. */
  readonly env: Readonly<Record<string, string>>;
  readonly #service: ManualClock;
  readonly #answers = new Map<number, (answer: Answer) => void>();
  /** To the program that was started last. */
  #connection: Socket | undefined;
  #lastId = 0;
  #monotonic = 0;
  /** How far the program's wall clock is ahead of everybody else's. */
  #shift = 0;

  private constructor(env: Record<string, string>, service: ManualClock) {
    this.env = env;
    this.#service = service;
  }

  /** Begins at the time of the clock of the service, which then moves on with it. */
  static async start(service: ManualClock): Promise<SteeredClock> {
    const server = createServer();
    const [{ port }, code] = await Promise.all([listenLocally(server), preload()]);
    const env = {
      CLOCK_PORT: String(port),
      CLOCK_START: String(service.now()),
      NODE_OPTIONS: `--import=${code}`,
    };
    const clock = new SteeredClock(env, service);
    server.on('connection', (socket) => clock.#connected(socket));
    return clock;
  }

  /** Milliseconds since the start, by the program's monotonic clock. */
  monotonic(): number {
    return this.#monotonic;
  }

  /** Moves the time on at once, whatever is under way. */
  async advance(milliseconds: number): Promise<void> {
    this.#monotonic += milliseconds;
    this.#service.advance(milliseconds);
    await this.#command('advance', milliseconds);
  }

  /** Sets the program's wall clock so far forward, or back where negative. Nobody else's time changes. */
  async shiftWallClock(milliseconds: number): Promise<void> {
    this.#shift += milliseconds;
    await this.#command('set', this.#service.now() + this.#shift);
  }

  /** What `work` gives; the time passes as soon as the program waits for nothing else. */
  async passing<T>(work: Promise<T>): Promise<T> {
    let isOver = false;
    const over = () => {
      isOver = true;
    };
    work.then(over, over);
    for (;;) {
      const wakesIn = await this.#idle();
      if (isOver) return work;
      if (wakesIn !== undefined) await this.advance(wakesIn);
    }
  }

  /** Lets so much time pass, and whatever is due in it happen. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.#monotonic + milliseconds;
    for (;;) {
      const left = end - this.#monotonic;
      const wakesIn = await this.#idle();
      if (left <= 0) return;
      await this.advance(Math.min(wakesIn ?? left, left));
    }
  }

  /** When the program wakes next, once it waits for nothing but time or its host. */
  async #idle(): Promise<number | undefined> {
    await turns();
    const { nextWakeIn } = await this.#command('idle');
    await turns();
    return nextWakeIn;
  }

  #command(name: string, milliseconds = 0): Promise<Answer> {
    this.#lastId += 1;
    const id = this.#lastId;
    const answered = new Promise<Answer>((resolve) => {
      this.#answers.set(id, resolve);
    });
    this.#connection?.write(`${id} ${name} ${milliseconds}\n`);
    return answered;
  }

  #connected(socket: Socket): void {
    this.#connection = socket.setNoDelay();
    createInterface(socket).on('line', (line) => {
      const answer = answerSchema.parse(JSON.parse(line));
      this.#answers.get(answer.id)?.(answer);
      this.#answers.delete(answer.id);
    });
  }
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await setImmediate();
}

let bundled: Promise<string> | undefined;

/** As an address that needs no file. */
function preload(): Promise<string> {
  bundled ??= build({ ...forNode, entryPoints: ['test/programs/clock-preload.ts'], write: false }).then(
    ({ outputFiles: [file] }) => {
      if (!file) throw new Error('Nothing was bundled.');
      return `data:text/javascript;base64,${Buffer.from(file.contents).toString('base64')}`;
    },
  );
  return bundled;
}
