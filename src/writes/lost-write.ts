/**
 * A write of which it is not known whether it was carried out, and how the budget is asked about it. What a write
 * leaves in the budget is in the operation's own entry (`recover`); here is when a look at the budget proves something.
 *
 * The service may carry out a request until 30 s after it was sent, and then ends it (specification, Limits). It
 * answers from copies that lag behind by at most 20 s. So that the write is there is proven by any look that shows it
 * from a baseline which did not. That it is not there is proven only by a look that was asked for 50 s after the write
 * was sent or later: whatever was carried out by then shows in every copy. `server_knowledge` cannot make it sooner. It
 * tells that an answer is older than another one, and not that there is nothing newer; where it tells the former, the
 * answer is not used at all (`CurrentReads`).
 *
 * A refusal of what was delivered twice came after the first delivery was carried out: then the 20 s alone count.
 */
import { z } from 'zod';
import { BudgetError } from '../errors.ts';
import {
  type DataOf,
  inputFor,
  type Operation,
  type ReadDelta,
  type StateBeforeWrite,
} from '../operations/operation.ts';
import type { Clock } from '../platform/clock.ts';
import { LAG_MS } from '../replica/watermarks.ts';
import { knowledgeOf } from '../schema/knowledge.ts';
import type { CurrentReads } from './current-reads.ts';
import type { OwnRows } from './own-rows.ts';

const DELIVERY_MS = 30_000;

/** When it is looked for, after it was lost: mostly it shows at once, and its host still waits or has called again. */
const SOON_MS = [1_000, 5_000, 15_000] as const;

export interface LostWriteParts<Input extends z.ZodRawShape, Output extends z.ZodRawShape> {
  readonly reads: CurrentReads;
  readonly clock: Clock;
  readonly ownRows: OwnRows;
  readonly operation: Operation<Input, Output>;
  readonly input: z.output<z.ZodObject<Input>>;
  readonly budgetId: string;
  /** What the budget had just before it was sent, with the knowledge from which on it is looked for. */
  readonly before: StateBeforeWrite & { readonly server_knowledge: number };
}

const rowsWithId = z.array(z.looseObject({ id: z.string() }));

export class LostWrite<Input extends z.ZodRawShape, Output extends z.ZodRawShape> {
  readonly #parts: LostWriteParts<Input, Output>;

  constructor(parts: LostWriteParts<Input, Output>) {
    this.#parts = parts;
  }

  /**
   * What the service would have answered; undefined where it is proven that the write was not carried out and will not
   * be. `sentAt` is by the monotonic clock. Throws where the last look cannot be had.
   */
  find(sentAt: number): Promise<DataOf<Output> | undefined> {
    return this.#find(sentAt + DELIVERY_MS, sentAt + DELIVERY_MS + LAG_MS);
  }

  /** The same of a write that was refused; undefined where the refusal stands. */
  async findRefused(error: BudgetError): Promise<DataOf<Output> | undefined> {
    const { operation, input, before, clock } = this.#parts;
    const { duplicateRefusal } = operation;
    if (duplicateRefusal?.code !== error.code) return undefined;
    const refusedAt = clock.monotonic();
    try {
      const wasSo = await duplicateRefusal.appliedBefore(this.#ask, input, before.ids);
      const found = await this.look();
      if (found || wasSo) return found;
    } catch (cause) {
      if (!(cause instanceof BudgetError)) throw cause;
    }
    return this.#find(refusedAt, refusedAt + LAG_MS);
  }

  /** The waits protect, so that they go by the monotonic clock, which is also the clock of timers. */
  async #find(middle: number, last: number): Promise<DataOf<Output> | undefined> {
    const now = this.#parts.clock.monotonic();
    const times = [...SOON_MS.map((delay) => now + delay), middle];
    for (const at of times.filter((at) => at > now && at < last).toSorted((a, b) => a - b)) {
      const found = await this.#lookAt(at).catch((error: unknown) => {
        // There will be another look.
        if (!(error instanceof BudgetError)) throw error;
        return undefined;
      });
      if (found) return found;
    }
    return this.#lookAt(last);
  }

  /** One look now. */
  async look(): Promise<DataOf<Output> | undefined> {
    const { operation, input, before } = this.#parts;
    try {
      return await operation.recover?.(this.#ask, input, before.ids);
    } catch (error) {
      if (error instanceof BudgetError && error.code === 'resource_not_found') return undefined;
      throw error;
    }
  }

  async #lookAt(at: number): Promise<DataOf<Output> | undefined> {
    const { clock } = this.#parts;
    await clock.sleep(Math.max(at - clock.monotonic(), 0));
    return this.look();
  }

  readonly #ask: ReadDelta = async (read, { pathParameters, isWhole = false } = {}) => {
    const { operation, input, budgetId, before, reads, ownRows } = this.#parts;
    const isDelta = !isWhole && (read.rows ?? read.collections) !== undefined;
    const data = await reads.read(
      read,
      { ...inputFor(read, { ...input, ...pathParameters }), budget_id: budgetId },
      { since: isDelta ? before.server_knowledge : undefined },
    );
    const knowledge = knowledgeOf(data);
    // A service that was set back meanwhile proves nothing of a write that came before.
    if (knowledge !== undefined && knowledge < before.server_knowledge)
      throw new BudgetError(
        'service_unavailable',
        'The service shows the budget as it was before the write.',
      );
    const key = read.rows?.key;
    if (operation.kind !== 'create' || key === undefined || isWhole) return data;
    // Whatever we have created ourselves has been answered for.
    const rows = rowsWithId.parse(Object.entries(data).find(([name]) => name === key)?.[1]);
    if (!rows.some(({ id }) => ownRows.has(id))) return data;
    return read.output.parse({ ...data, [key]: rows.filter(({ id }) => !ownRows.has(id)) });
  };
}
