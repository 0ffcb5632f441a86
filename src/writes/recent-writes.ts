/**
 * What the processes of a sign-in have written lately, for each budget. Before a process relies on what it knows about a
 * budget, it learns what the others have written since: `learn`. An entry is added before the lock of the budget is
 * released, and, unless the store fails, before the host gets the outcome.
 *
 *   - Entities that another process has created are no result of an own lost write, and no possible duplicates.
 *   - A baseline from before a write of another process does not count any more.
 *   - A cached budget that lacks such a write is not fresh.
 */
import { z } from 'zod';
import type { OperationKind } from '../operations/operation.ts';
import { certainAgeAt, type Moment } from '../platform/clock.ts';
import type { JsonObject } from '../platform/json.ts';
import { knowledgeOf } from '../schema/knowledge.ts';
import { SharedRecord, type SharedStore } from '../state/shared-store.ts';
import { storedMoment } from '../state/stored-moment.ts';
import { rowsOf } from './delta-after-write.ts';

/** Longer than the search for a lost write can take. */
const MAX_AGE_MS = 20 * 60_000;
const MAX_WRITES = 500;

const json = z.record(z.string(), z.unknown());

const recentWrite = z.object({
  /** Ascending. */
  number: z.int(),
  processId: z.string(),
  /** When it ended. */
  at: storedMoment,
  kind: z.enum(['read', 'create', 'update', 'delete']),
  /** The ids of the entities in the response. */
  ids: z.array(z.string()),
  /** What shows that a later response contains the write. Undefined if it is uncertain whether the write happened. */
  evidence: json.optional(),
});

const recentWrites = z.object({ last: z.int(), writes: z.array(recentWrite) });

/** A write of another process. */
export type ForeignWrite = Readonly<Pick<z.output<typeof recentWrite>, 'at' | 'kind' | 'ids' | 'evidence'>>;

export type OnForeignWrite = (budgetId: string, write: ForeignWrite) => void;

export class RecentWrites {
  readonly #store: SharedStore;
  readonly #onForeignWrite: OnForeignWrite;
  readonly #records = new Map<string, SharedRecord<typeof recentWrites>>();
  /**
   * For each budget, the number of the last entry of another process that this one has learned. Numbers of own entries do not
   * count: while the store is blocked they may be others than those it has later.
   */
  readonly #last = new Map<string, number>();

  constructor(store: SharedStore, onForeignWrite: OnForeignWrite) {
    this.#store = store;
    this.#onForeignWrite = onForeignWrite;
  }

  /**
   * Adds a write of this process. `data` is from its response, and undefined if it is uncertain whether the write
   * happened.
   */
  add(budgetId: string, kind: OperationKind, data: JsonObject | undefined): Promise<void> {
    return this.#add(budgetId, {
      kind,
      ids: data ? idsIn(data) : [],
      ...(data && { evidence: evidenceIn(data) }),
    });
  }

  /** Adds entities that are reported as possible duplicates, so that no process takes them for the result of a write. */
  async addDuplicates(budgetId: string, ids: readonly string[], knowledge: number): Promise<void> {
    if (ids.length === 0) return;
    await this.#add(budgetId, { kind: 'create', ids: [...ids], evidence: { server_knowledge: knowledge } });
  }

  /**
   * Tells what other processes have written in the budget and this one has not learned yet. Returns the number of their last
   * write.
   */
  async learn(budgetId: string): Promise<number> {
    const { writes } = await this.#record(budgetId).read();
    // Another call may have learned meanwhile.
    const learned = this.#last.get(budgetId) ?? 0;
    const isNew = ({ number, processId }: { number: number; processId: string }) =>
      number > learned && processId !== this.#store.processId;
    const unknown = writes.filter(isNew);
    const last = unknown.at(-1)?.number ?? learned;
    this.#last.set(budgetId, last);
    for (const write of unknown) this.#onForeignWrite(budgetId, write);
    return last;
  }

  async #add(budgetId: string, write: Pick<ForeignWrite, 'kind' | 'ids' | 'evidence'>): Promise<void> {
    const { processId } = this.#store;
    await this.#record(budgetId).update(({ last, writes }, now) => {
      const number = last + 1;
      const added = { ...write, number, processId, at: now };
      return {
        value: { last: number, writes: [...writes.filter(isRecent(now)), added].slice(-MAX_WRITES) },
        result: undefined,
      };
    });
  }

  /** Always the same object, because it remembers what it has parsed. */
  #record(budgetId: string): SharedRecord<typeof recentWrites> {
    const initial = { last: 0, writes: [] };
    const record =
      this.#records.get(budgetId) ??
      new SharedRecord(this.#store, `writes of ${budgetId}`, recentWrites, initial);
    this.#records.set(budgetId, record);
    return record;
  }
}

/** The ids of the entities in the response to a write. */
export function idsIn(data: JsonObject): string[] {
  const ids = [...rowsOf(data).map(({ id }) => id), ...[data['transaction_ids'] ?? []].flat()];
  return [...new Set(ids.map(String))];
}

const isRecent =
  (now: Moment) =>
  ({ at }: { readonly at: Moment }) =>
    certainAgeAt(now, at) <= MAX_AGE_MS;

/** The parts of `data` that `evidenceOf` needs. */
function evidenceIn(data: JsonObject): JsonObject {
  const server_knowledge = knowledgeOf(data);
  if (server_knowledge !== undefined) return { server_knowledge };
  const { account, scheduled_transaction } = data;
  return {
    ...(account !== undefined && { account }),
    ...(scheduled_transaction !== undefined && { scheduled_transaction }),
  };
}
