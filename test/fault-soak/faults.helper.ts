/** What may go wrong with a request between the client and the service, and how likely it is. Only data and chance. */
import { Random } from '../../src/service/demo-data/random.ts';

/** What the client gets: the response to the first or last delivery, or something else. */
type AnswerFault = 'first' | 'last' | 'cut' | 'reset' | 'half' | '429' | '503' | '504' | 'never';

export interface Fault {
  readonly name: string;
  /** When the request reaches the service, in milliseconds after it was sent. Empty if it never does. */
  readonly deliveries: readonly number[];
  readonly answer: AnswerFault;
  /** How long the response is delayed. */
  readonly answerHeldUpMs: number;
  /** The index in `LAGS_MS` of the lagging copy that responds to a read. */
  readonly copy?: number;
}

/** How far the copies of the service lag. */
export const LAGS_MS = [2_000, 8_000, 20_000] as const;

/** No delivery takes longer. Later ones are a limit of the interface (docs/interface.md, Limits, 30 s). */
const LATEST_DELIVERY_S = 29;
/** After the first delivery. A repetition after a response that has arrived is a limit too: no client can see it. */
const LATEST_REPETITION_S = 20;

export const NO_FAULT: Fault = { name: 'none', deliveries: [0], answer: 'last', answerHeldUpMs: 0 };

const fault = (
  name: string,
  deliveries: readonly number[],
  answer: AnswerFault,
  answerHeldUpMs = 0,
): Fault => ({
  name,
  deliveries,
  answer,
  answerHeldUpMs,
});

const LOST = ['cut', 'reset', 'half', '503', '504'] as const;
/** A response must exist before half of it can be missing. */
const LOST_WITHOUT_ANSWER = ['cut', 'reset', '503', '504'] as const;

export function writeFault(random: Random): Fault {
  const late = random.integer(1, LATEST_DELIVERY_S) * 1_000;
  const early = random.integer(0, LATEST_DELIVERY_S - LATEST_REPETITION_S) * 1_000;
  const again = early + random.integer(0, LATEST_REPETITION_S) * 1_000;
  const kinds = [
    () => fault('never delivered', [], random.pick(LOST_WITHOUT_ANSWER)),
    () => fault('never delivered, no answer', [], 'never'),
    () => fault('answer lost', [0], random.pick(LOST)),
    () => fault('answer lost', [0], random.pick(LOST)),
    () => fault('no answer', [0], 'never'),
    () => fault('delivered late', [late], 'last'),
    () => fault('delivered late, answer lost', [late], random.pick(LOST_WITHOUT_ANSWER)),
    () => fault('delivered late, no answer', [late], 'never'),
    () => fault('delivered twice', [0, 0], 'first'),
    () => fault('delivered twice, second answer', [0, 0], 'last'),
    () => fault('delivered twice, answer lost', [0, 0], random.pick(LOST)),
    () => fault('delivered again late, answer lost', [early, again], random.pick(LOST_WITHOUT_ANSWER)),
    () => fault('delivered again late, no answer', [early, again], 'never'),
  ] as const;
  return random.pick(kinds)();
}

export function readFault(random: Random): Fault {
  const kinds = [
    () => fault('read failed', [0], random.pick(LOST)),
    () => fault('read failed', [0], random.pick(LOST)),
    () => fault('read delayed', [0], 'last', random.integer(1, 15) * 1_000),
    () => fault('read without answer', [], 'never'),
  ] as const;
  return random.pick(kinds)();
}

/** A proxy or firewall refuses all requests. The service receives none of them. */
const LOCKED_OUT = fault('locked out', [], '429');

export const laggingRead = (random: Random): Fault => ({
  ...NO_FAULT,
  name: 'read from a lagging copy',
  copy: random.integer(0, LAGS_MS.length - 1),
});

interface Weather {
  readonly ofWrites: number;
  readonly ofReads: number;
  readonly lagging: number;
}

const CALM: Weather = { ofWrites: 0.15, ofReads: 0.05, lagging: 0.2 };
const STORM: Weather = { ofWrites: 0.75, ofReads: 0.2, lagging: 0.3 };
const NO_WEATHER: Weather = { ofWrites: 0, ofReads: 0, lagging: 0 };

/**
 * Decides for each request. Every turn of the soak has its own random numbers, so one more or less request does not change
 * later turns.
 */
export class FaultPlan {
  readonly #seed: number;
  readonly #isActive: boolean;
  readonly counts = new Map<string, number>();
  #random: Random;
  #weather = CALM;
  #lockouts = 0;
  /** Responses do not contain the count of used requests, which the interface allows. */
  hidesCount = false;

  constructor(seed: number, isActive: boolean) {
    this.#seed = seed;
    this.#isActive = isActive;
    this.#random = new Random(seed);
  }

  startTurn(turn: number): void {
    this.#random = new Random(this.#seed + turn * 7_919);
    if (!this.#isActive) {
      this.stop();
      return;
    }
    this.#weather = this.#random.chance(0.5) ? STORM : CALM;
    this.hidesCount = this.#random.chance(0.3);
  }

  /** Until `end` has resolved, every request gets a 429 for no reason. */
  async lockOut(end: Promise<void>): Promise<void> {
    this.#lockouts += 1;
    await end;
    this.#lockouts -= 1;
  }

  /** For the comparison at the end. */
  stop(): void {
    this.#weather = NO_WEATHER;
    this.hidesCount = false;
  }

  next({ method, path }: { readonly method: string; readonly path: string }): Fault {
    const fault = this.#draw(method, path);
    this.counts.set(fault.name, (this.counts.get(fault.name) ?? 0) + 1);
    return fault;
  }

  #draw(method: string, path: string): Fault {
    const random = this.#random;
    const { ofWrites, ofReads, lagging } = this.#weather;
    if (this.#lockouts > 0) return LOCKED_OUT;
    // The list of budgets is read once, before anything else.
    if (path === '/v1/budgets') return NO_FAULT;
    if (method !== 'GET') return random.chance(ofWrites) ? writeFault(random) : NO_FAULT;
    if (random.chance(ofReads)) return readFault(random);
    return random.chance(lagging) ? laggingRead(random) : NO_FAULT;
  }
}
