/**
 * Searches for a write whose outcome is unknown. The operation's entry (`recover`) knows how to recognise the write in
 * the budget. This file decides when a read of the budget proves something.
 *
 * Two delays matter. The service may carry out a request until 30 s after it was sent (docs/interface.md, Limits). And
 * the copies from which it answers lag by up to 20 s. From this follows:
 *
 *   - One read that shows the write proves that it happened, because the baseline did not contain it.
 *   - Only a read at least 50 s after the write was sent can prove that it did not happen. By then the write is either in
 *     every copy or will never happen.
 *   - `server_knowledge` cannot shorten this time. It shows that one response is older than another, but not that a
 *     response is the newest. `CurrentReads` rejects a response that is older than an earlier one.
 *   - If the network delivered the write twice and the service refused the second delivery, the first one had been
 *     carried out before the refusal. Then 20 s after the refusal are enough.
 */
import { z } from 'zod';
import { throwCancelled } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { BudgetError, undefinedIfExpected, undefinedIfNotFound } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { gapsOf } from '../../base/schema/gap.ts';
import { knowledgeOf } from '../../base/schema/knowledge.ts';
import {
  type DataOf,
  inputFor,
  type Operation,
  type ReadDelta,
  type StateBeforeWrite,
} from '../../operations/operation.ts';
import { LAG_MS, type Watermarks } from '../freshness/watermarks.ts';
import type { RequestOptions, Requests } from '../http/requests.ts';

/** The time in which the service carries out a request or ends it (docs/interface.md, Limits). */
export const ARRIVAL_MS = 30_000;

/** A write is not sent later than this after it was written down. A successor of this process relies on it, also if this one was suspended. */
export const SEND_WITHIN_MS = 10_000;

/** The first searches after the loss. Usually the write shows soon, while the host still waits or has called again. */
const EARLY_SEARCHES_MS = [1_000, 5_000, 15_000] as const;

/** From then on, a look that does not find a write sent at `sentAt` proves that it was not carried out. */
export const provenAt = (sentAt: number): number => sentAt + ARRIVAL_MS + LAG_MS;

/** When to look for a write that was sent at `sentAt`, if it was looked for at `begunAt` first. All by the monotonic clock. */
export const searchTimes = (sentAt: number, begunAt: number): readonly number[] =>
  looksUntil(provenAt(sentAt), sentAt + ARRIVAL_MS, begunAt);

const looksUntil = (last: number, intermediate: number, begunAt: number): readonly number[] => {
  const looks = [...EARLY_SEARCHES_MS.map((delay) => begunAt + delay), intermediate];
  return [...looks.filter((at) => at > begunAt && at < last).toSorted((a, b) => a - b), last];
};

/** The state of the budget just before a write, with the knowledge from which the search for it starts. */
export type Baseline = Pick<StateBeforeWrite, 'ids'> & { readonly server_knowledge: number };

export interface SearchDeps {
  readonly reads: CurrentReads;
  readonly clock: Clock;
  /** The entities that were created or reported as possible duplicates, here or by others: no result of a lost write. */
  readonly ownRows: OwnRows;
}

interface LostWriteOptions<Output extends z.ZodRawShape> extends SearchDeps {
  readonly operation: Operation<z.ZodRawShape, Output>;
  readonly input: JsonObject;
  readonly budgetId: string;
  readonly before: Baseline;
}

const rowsWithId = z.array(z.looseObject({ id: z.string() }));

/** A write whose response was lost, and the search for what became of it. */
export class LostWrite<Output extends z.ZodRawShape = z.ZodRawShape> {
  readonly #options: LostWriteOptions<Output>;
  /** True if a part of what was read last could not be read. */
  #hasGaps = false;

  constructor(options: LostWriteOptions<Output>) {
    this.#options = options;
  }

  /** The `data` that the service would have sent. Undefined if proven not written. Throws if the last read fails. */
  search(sentAt: number): Promise<DataOf<Output> | undefined> {
    return this.#searchUntil(sentAt + ARRIVAL_MS, provenAt(sentAt));
  }

  /** Like `search`, for a write that was refused. Undefined if the write was not delivered before. */
  async searchAfterRefusal(error: BudgetError): Promise<DataOf<Output> | undefined> {
    const { operation, input, before, clock } = this.#options;
    const { duplicateRefusal } = operation;
    if (duplicateRefusal?.code !== error.code) return undefined;
    const refusedAt = clock.monotonic();
    try {
      const appliedBefore = await duplicateRefusal.appliedBefore(this.#readDelta, input, before.ids);
      const found = await this.searchOnce();
      if (found || appliedBefore) return found;
    } catch (cause) {
      if (!(cause instanceof BudgetError)) throw cause;
    }
    return this.#searchUntil(refusedAt, refusedAt + LAG_MS);
  }

  /** Searches several times until `last`. Uses the monotonic clock, because setting the wall clock must not end the search early. */
  async #searchUntil(intermediate: number, last: number): Promise<DataOf<Output> | undefined> {
    for (const at of looksUntil(last, intermediate, this.#options.clock.monotonic()).slice(0, -1)) {
      // If it fails, another search follows.
      const found = await this.#searchAt(at).catch(undefinedIfExpected);
      if (found) return found;
    }
    return this.#searchAt(last);
  }

  /** Undefined proves nothing before `provenAt`. Throws if what was not found may be in what cannot be read. */
  async searchOnce(): Promise<DataOf<Output> | undefined> {
    const { operation, input, before } = this.#options;
    this.#hasGaps = false;
    const found = await operation.recover?.(this.#readDelta, input, before.ids).catch(undefinedIfNotFound);
    if (!found && this.#hasGaps)
      throw new BudgetError('service_unavailable', 'The service sent something that cannot be read.');
    return found;
  }

  async #searchAt(at: number): Promise<DataOf<Output> | undefined> {
    const { clock } = this.#options;
    await clock.sleep(Math.max(at - clock.monotonic(), 0));
    return this.searchOnce();
  }

  readonly #readDelta: ReadDelta = async (read, { pathParameters, isWhole = false } = {}) => {
    const { operation, input, budgetId, before, reads, ownRows } = this.#options;
    const isDelta = !isWhole && (read.rows ?? read.collections) !== undefined;
    const data = await reads.read(
      read,
      { ...inputFor(read, { ...input, ...pathParameters }), budget_id: budgetId },
      { since: isDelta ? before.server_knowledge : undefined },
    );
    this.#hasGaps ||= gapsOf(data).length > 0;
    const knowledge = knowledgeOf(data);
    // If the service was reset, for example from a backup, its state proves nothing about the write.
    if (knowledge !== undefined && knowledge < before.server_knowledge)
      throw new BudgetError(
        'service_unavailable',
        'The service answered with a state of the budget from before the write.',
      );
    const key = read.rows?.key;
    if (operation.kind !== 'create' || key === undefined || isWhole) return data;
    // Entities that other writes of this program created are not this write.
    const rows = rowsWithId.parse(Object.entries(data).find(([name]) => name === key)?.[1]);
    if (!rows.some(({ id }) => ownRows.has(id))) return data;
    return read.output.parse({ ...data, [key]: rows.filter(({ id }) => !ownRows.has(id)) });
  };
}

/** Longer than the search for a lost write can take. */
export const MAX_SEARCH_MS = 20 * 60_000;

/**
 * The ids of entities that this program created or has already reported as possible duplicates. Such an entity cannot
 * be the result of a lost write, nor a possible duplicate of a later write. Ids are remembered because not every
 * response to a write has a `server_knowledge` that would show which entities are new. Ids of writes are kept in the same way.
 */
export class OwnRows {
  readonly #clock: Clock;
  /** The expiry of each id by the monotonic clock. The last expiry comes last. */
  readonly #expiresAt = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(ids: readonly string[]): void {
    const now = this.#clock.monotonic();
    for (const [id, expiresAt] of this.#expiresAt) {
      if (expiresAt > now) break;
      this.#expiresAt.delete(id);
    }
    for (const id of ids) this.#expiresAt.set(id, now + MAX_SEARCH_MS);
  }

  has(id: string): boolean {
    return this.#expiresAt.has(id);
  }
}

export type ServicePort = Pick<Requests, 'read' | 'send'>;

/** Another copy usually answers the next request. The sum is below the ten seconds that a host waits. */
const RETRY_DELAYS_MS = [500, 1_000, 2_000, 3_000] as const;

/**
 * Reads that a write needs. The service answers from several copies, and a copy may lag by up to 20 s. A response with a lower
 * `server_knowledge` than an earlier one is out of date, so the read is repeated.
 */
export class CurrentReads {
  readonly #service: Pick<ServicePort, 'read'>;
  readonly #watermarks: Watermarks;
  readonly #clock: Clock;

  constructor(service: Pick<ServicePort, 'read'>, watermarks: Watermarks, clock: Clock) {
    this.#service = service;
    this.#watermarks = watermarks;
    this.#clock = clock;
  }

  /** The requests reserved for writes pay for it, unless it is optional (`spending`). Throws `service_unavailable` if every response is out of date. */
  async read<Output extends z.ZodRawShape>(
    operation: Operation<z.ZodRawShape, Output>,
    input: JsonObject & { readonly budget_id: string },
    options: RequestOptions = {},
    attempts = RETRY_DELAYS_MS.length + 1,
  ): Promise<DataOf<Output>> {
    for (let attempt = 1; ; attempt += 1) {
      const isUpToDate = this.#watermarks.beginRequest(input.budget_id, true);
      const data = await this.#service.read(operation, input, { spending: 'write', ...options });
      const knowledge = knowledgeOf(data);
      if (knowledge === undefined || isUpToDate(knowledge)) return data;
      const delay = RETRY_DELAYS_MS[attempt - 1];
      if (delay === undefined || attempt === attempts)
        throw new BudgetError(
          'service_unavailable',
          'The service answered with an older state of the budget than before.',
        );
      await this.#clock.sleep(delay, options.signal).catch(throwCancelled);
    }
  }
}
