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
/** The memo of a row begins with its assistant. */
const MEMO = /"memo":"a(\d+)/;

const lost = (deliveries: readonly number[], answer: Fault['answer']): Fault => ({
  ...NO_FAULT,
  name: deliveries.length === 0 ? 'request lost' : 'answer lost',
  deliveries,
  answer,
});

export class Line implements LinePlan {
  readonly hidesCount = false;
  readonly #random: Random;
  #armed: ((moment: Moment) => void) | undefined;
  #atCommit: (() => void) | undefined;
  isCalm = false;

  constructor(random: Random) {
    this.#random = random;
  }

  /** `begin` is called in the middle of the next write. */
  arm(begin: ((moment: Moment) => void) | undefined): void {
    this.#armed = begin;
  }

  /** The service has carried something out, and not answered yet. */
  committed(): void {
    const begin = this.#atCommit;
    this.#atCommit = undefined;
    begin?.();
  }

  next({ method, headers, body }: LineRequest): Fault {
    const random = this.#random;
    if (this.isCalm) return NO_FAULT;
    if (method === 'GET') return random.chance(READ_FAILED) ? lost([0], 'cut') : NO_FAULT;
    const [, assistant] = MEMO.exec(body.toString()) ?? [];
    const begin = this.#armed;
    if (!begin || assistant === undefined) {
      if (random.chance(REQUEST_LOST)) return lost([], random.pick(LOST));
      return random.chance(ANSWER_LOST) ? lost([0], random.pick(LOST)) : NO_FAULT;
    }
    this.#armed = undefined;
    const token = `${headers.authorization}`.replace('Bearer ', '');
    const beginNow = () => begin({ assistant: Number(assistant), token });
    if (random.chance(0.15)) {
      beginNow();
      return lost([], 'cut');
    }
    this.#atCommit = beginNow;
    return random.chance(0.7) ? lost([0], 'cut') : NO_FAULT;
  }
}
