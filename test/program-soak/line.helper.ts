/** The line between the programs and the service: it loses some requests and answers, and troubles begin on it. */
import type { Random } from '../../src/service/demo-data/random.ts';
import { type Fault, NO_FAULT } from '../fault-soak/faults.helper.ts';
import type { LinePlan, LineRequest } from '../fault-soak/network.helper.ts';
import type { Moment } from './place.helper.ts';

const ANSWER_LOST = 0.05;
/** Rare, since nothing can be written to the budget until such a request cannot arrive any more. */
const REQUEST_LOST = 0.01;
const READ_FAILED = 0.03;
const LOST = ['cut', 'reset', '504'] as const;

const lost = (deliveries: readonly number[], answer: Fault['answer']): Fault => ({
  ...NO_FAULT,
  name: deliveries.length === 0 ? 'request lost' : 'answer lost',
  deliveries,
  answer,
});

export class Line implements LinePlan {
  readonly hidesCount = false;
  readonly #random: Random;
  readonly #windowOf: (text: string) => number | undefined;
  #armed: ((moment: Moment) => void) | undefined;
  /** The last write, if it has to begin as soon as the service has carried that out. */
  #sent: Moment | undefined;
  isCalm = false;

  /** `windowOf` gives the program that has sent a request with this text. */
  constructor(random: Random, windowOf: (text: string) => number | undefined) {
    this.#random = random;
    this.#windowOf = windowOf;
  }

  /** `begin` is called in the middle of the next write. */
  arm(begin: ((moment: Moment) => void) | undefined): void {
    this.#armed = begin;
    this.#sent = undefined;
  }

  /** The service has carried something out, and not answered yet. */
  committed(): void {
    if (this.#sent) this.#begin(this.#sent);
  }

  next({ method, path, headers, body }: LineRequest): Fault {
    const random = this.#random;
    if (this.isCalm) return NO_FAULT;
    if (method === 'GET') return random.chance(READ_FAILED) ? lost([0], 'cut') : NO_FAULT;
    const window = this.#windowOf(`${path} ${body}`);
    if (!this.#armed || window === undefined) {
      if (random.chance(REQUEST_LOST)) return lost([], random.pick(LOST));
      return random.chance(ANSWER_LOST) ? lost([0], random.pick(LOST)) : NO_FAULT;
    }
    const moment = { window, token: `${headers.authorization}`.replace('Bearer ', '') };
    if (random.chance(0.15)) {
      this.#begin(moment);
      return lost([], 'cut');
    }
    this.#sent = moment;
    return random.chance(0.7) ? lost([0], 'cut') : NO_FAULT;
  }

  #begin(moment: Moment): void {
    this.#armed?.(moment);
    this.arm(undefined);
  }
}
