/** Reads at random, and checks that no result is from before a write that was reported as written to the same hosts. */

import { dateOf } from '../../src/base/clock.ts';
import { BudgetError } from '../../src/base/errors.ts';
import type { Random } from '../../src/service/demo-data/random.ts';
import { isQuotaRefusal } from './host.helper.ts';
import { randomQuestion, read } from './reads.helper.ts';
import type { World } from './world.helper.ts';

export interface ReadCounts {
  /** The number compared with confirmed writes. */
  readonly reads: number;
  /** Reads that lacked a confirmed write, and did not say that they may be stale. */
  readonly olderThanOwnWrite: number;
  /** Reads that show a state that the ledger never had. */
  readonly neverExisted: number;
  readonly markedStale: number;
  readonly unanswered: number;
  /** Reads that were refused because the requests of the hour are used, or seem to be. */
  readonly readsRefusedForQuota: number;
}

export class OwnWriteCheck {
  readonly #random: Random;
  readonly #world: World;
  readonly #onFinding: (kind: string, what: string) => void;
  readonly #counts = {
    reads: 0,
    olderThanOwnWrite: 0,
    neverExisted: 0,
    markedStale: 0,
    unanswered: 0,
    readsRefusedForQuota: 0,
  };
  /** Ids in recent results. */
  #recent: readonly string[] = [];
  /** The lowest `server_knowledge` that a read may show. */
  #confirmed = 0;

  constructor(random: Random, world: World, onFinding: (kind: string, what: string) => void) {
    this.#random = random;
    this.#world = world;
    this.#onFinding = onFinding;
  }

  get counts(): ReadCounts {
    return this.#counts;
  }

  /** A host got the result that something is written, which the ledger contains from `knowledge` on. */
  confirm(ids: readonly string[], knowledge: number): void {
    this.#recent = [...ids, ...this.#recent].slice(0, 10);
    this.#confirmed = Math.max(this.#confirmed, knowledge);
  }

  async read(): Promise<void> {
    const { client, history, timeline } = this.#world;
    const counts = this.#counts;
    const confirmed = this.#confirmed;
    const today = dateOf(timeline.world.now());
    const result = await read(client, history, randomQuestion(this.#random, history, this.#recent, today));
    if (result instanceof BudgetError) {
      if (isQuotaRefusal(result)) counts.readsRefusedForQuota += 1;
      else counts.unanswered += 1;
    } else if (result.spans.length === 0) {
      counts.neverExisted += 1;
      this.#onFinding('never existed', result.name);
    } else if (result.isMarkedStale) {
      counts.markedStale += 1;
    } else {
      counts.reads += 1;
      const latest = Math.max(...result.spans.map(({ to }) => to));
      if (latest >= confirmed) return;
      counts.olderThanOwnWrite += 1;
      this.#onFinding(
        'older than own write',
        `${result.name} shows ${latest}, though ${confirmed} was confirmed before`,
      );
    }
  }
}
