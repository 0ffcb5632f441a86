/**
 * Simulated time for programs that talk over real sockets. As soon as everything waits for a clock, time jumps to the next
 * timer. There are two clocks: that of the world (the service, the network, the people) and that of the machine on which
 * the client runs. The machine's clock can be set, and the machine can sleep.
 */
import { setImmediate } from 'node:timers/promises';
import { ManualClock } from '../manual-clock.helper.ts';

/** After this many turns of the event loop without a request in progress, nothing happens until a timer fires. */
const QUIET_TURNS = 4;

/** Which requests are in progress, other than those that the network delays until a later time. */
export class Traffic {
  readonly #open = new Set<string>();
  readonly #heldUp = new Set<string>();
  #deliveries = 0;

  get isQuiet(): boolean {
    return this.#deliveries === 0 && [...this.#open].every((id) => this.#heldUp.has(id));
  }

  /** A request of the client, until the end of its response. */
  async exchange<T>(id: string, work: () => Promise<T>): Promise<T> {
    this.#open.add(id);
    return work().finally(() => {
      this.#open.delete(id);
      this.#heldUp.delete(id);
    });
  }

  /** The network delays a request while `wait` runs. */
  async holdUp(id: string, wait: () => Promise<void>): Promise<void> {
    this.#heldUp.add(id);
    await wait();
    this.#heldUp.delete(id);
  }

  /** The network delivers a request to the service. */
  async delivery<T>(work: () => Promise<T>): Promise<T> {
    this.#deliveries += 1;
    return work().finally(() => {
      this.#deliveries -= 1;
    });
  }
}

/**
 * The clock of the client's machine. The client's delay before it repeats a read is random. It is rounded here, so that a
 * seed always gives the same run.
 */
class MachineClock extends ManualClock {
  override sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    const isRepeat = milliseconds > 0 && milliseconds <= 1_500;
    const rounded = isRepeat ? (milliseconds <= 375 ? 250 : 1_000) : milliseconds;
    return super.sleep(rounded, signal);
  }
}

export class Timeline {
  readonly world: ManualClock;
  readonly machine: ManualClock;
  readonly #traffic: Traffic;
  /** How long the machine still sleeps. */
  #asleepMs = 0;

  constructor(start: string, traffic: Traffic) {
    this.world = new ManualClock(start);
    this.machine = new MachineClock(start);
    this.#traffic = traffic;
  }

  /** Lets time pass until `work` has ended. */
  async until<T>(work: Promise<T>): Promise<T> {
    let isOver = false;
    const over = () => {
      isOver = true;
    };
    work.then(over, over);
    for (;;) {
      await this.#quiet();
      if (isOver) return work;
      this.#step();
    }
  }

  /** The machine sleeps: its timers stop, and its wall clock is right when it wakes. */
  suspendMachine(milliseconds: number): void {
    this.#asleepMs += milliseconds;
  }

  /** Sets the wall clock of the machine. */
  shiftMachine(milliseconds: number): void {
    this.machine.setWallClock(this.machine.now() + milliseconds);
  }

  /** Corrects the wall clock of the machine. */
  correctMachine(): void {
    this.machine.setWallClock(this.world.now());
  }

  #step(): void {
    const machineWakesIn = this.#asleepMs > 0 ? this.#asleepMs : this.machine.nextWakeIn;
    const waits = [this.world.nextWakeIn, machineWakesIn].filter((wait) => wait !== undefined);
    if (waits.length === 0) throw new Error('Everything waits, but there is no timer.');
    const wait = Math.min(...waits);
    this.world.advance(wait);
    if (this.#asleepMs > 0) {
      this.#asleepMs -= wait;
      this.machine.setWallClock(this.machine.now() + wait);
    } else this.machine.advance(wait);
  }

  async #quiet(): Promise<void> {
    for (let turns = 0; turns < QUIET_TURNS; turns = this.#traffic.isQuiet ? turns + 1 : 0)
      await setImmediate();
  }
}
