/**
 * Sends each write at most once, and finds out whether it happened. If the response is lost, it searches for the write
 * among the changes of the budget since just before the write (`LostWrite`). It never sends a write again: after
 * `not_written` the caller may call again. This file decides when the outcome of a write is uncertain. The operation's
 * entry (`recover`) knows how to recognise the write. `UnsettledWrites` limits how long the host waits. `OwnWrite` has what is
 * known of the write at each point. If this process ends, `Adoption` in another one goes on from the stored `PendingWrite`, and
 * `UnsettledWrites` lets an equal call wait for it.
 */

import type { z } from 'zod';
import { momentOf } from '../../base/clock.ts';
import {
  BudgetError,
  foundBy,
  undefinedIfExpected,
  undefinedIfNotFound,
  unexpectedResponse,
} from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { gapsOf, isMissingList } from '../../base/schema/gap.ts';
import { knowledgeOf } from '../../base/schema/knowledge.ts';
import { possibleDuplicatesOf } from '../../model/bookkeeping/matching.ts';
import type { BudgetReplica } from '../../model/replica/budget-replica.ts';
import { listAccounts } from '../../operations/accounts.ts';
import {
  type DataOf,
  inputFor,
  type Operation,
  type ReadDelta,
  type StateBeforeWrite,
} from '../../operations/operation.ts';
import type { NewEntry } from '../../store/shared-store.ts';
import type { WriteResult } from '../call-result.ts';
import type { ReplicaCache } from '../freshness/replica-cache.ts';
import type { Mark, Watermarks } from '../freshness/watermarks.ts';
import type { WriteRecorder } from './adoption.ts';
import { journalHeadOf, journalStepOf } from './journal.ts';
import { type Baseline, LostWrite, type SearchDeps, type ServicePort } from './lost-write.ts';
import type { OwnWrite, SharedWrites } from './own-write.ts';
import type { SentStep } from './pending-write.ts';
import { creatableIn, readDeltaAfterWrite, reconciledBy, rowsOf } from './write-response.ts';
import { type TakenTurn, throwIfCancelled } from './write-turns.ts';

export interface WriterDeps extends SearchDeps {
  readonly service: ServicePort;
  readonly watermarks: Watermarks;
  readonly writes: SharedWrites & WriteRecorder;
  readonly cache?: ReplicaCache | undefined;
}

/** The entities that an operation changes, just before it, for the journal. `knowledge` is that of the budget with them. */
export interface KnownBefore {
  readonly rows: readonly JsonObject[];
  readonly knowledge: number;
}

/** One request of a write. */
export interface Step<Output extends z.ZodRawShape = z.ZodRawShape> {
  readonly operation: Operation<z.ZodRawShape, Output>;
  /** With the id of the budget. */
  readonly input: JsonObject;
  /** From 1. */
  readonly number: number;
  readonly own: OwnWrite;
  readonly turn: TakenTurn;
  /** With it, the caller reads the delta after the write itself, such as once after several writes. */
  readonly known?: KnownBefore | undefined;
}

interface Written<Data> extends Pick<WriteResult<Data>, 'data' | 'outcome'> {
  readonly noted: SentStep;
  /** Undefined if it was found. */
  readonly mark?: Mark;
}

/** `rows` are those that the write changes or removes, if they were read. */
type ReadBefore = Baseline & Pick<StateBeforeWrite, 'rows'>;

const budgetOf = ({ own }: { readonly own: OwnWrite }): string => own.record.call.budgetId;

export class ExactlyOnceWriter {
  readonly #deps: WriterDeps;

  constructor(deps: WriterDeps) {
    this.#deps = deps;
  }

  /** Until `work` ends, no other write of any process of the sign-in is sent to the budget. The turn is taken for `own`. Throws `cancelled` if it was cancelled before. */
  exclusively<Result>(own: OwnWrite, work: (turn: TakenTurn) => Promise<Result>): Promise<Result> {
    const { turns, adoption } = this.#deps.writes;
    const budgetId = budgetOf({ own });
    return turns.run(budgetId, own, async (turn) => {
      await adoption.settleLeftWrites(budgetId, turn.writes);
      throwIfCancelled(own);
      return work(turn);
    });
  }

  /**
   * Throws the error of the service if it refused the write. Throws `not_written` if the write was not sent or is proven not to
   * have happened, `outcome_unknown` if that could not be found out, and `cancelled` if it was cancelled before it was sent.
   */
  async write<Output extends z.ZodRawShape>(step: Step<Output>): Promise<WriteResult<DataOf<Output>>> {
    const { watermarks, writes } = this.#deps;
    const { operation, own, number } = step;
    const budgetId = budgetOf(step);
    const { missing, rows, ...before } = await this.#readBefore(step);
    const written = await watermarks.runWrite(budgetId, async (recordKnowledge) => {
      const sent = await this.#sendOnce(step, { ...before, rows }, { ...missing, ...step.input });
      const knowledge = knowledgeOf(sent.data);
      if (knowledge !== undefined) recordKnowledge(knowledge);
      return sent;
    });
    const { noted, mark: _, ...outcome } = written;
    await own.carriedOut(this.#entriesOf(step, written));
    const result = step.known ? outcome : await this.#withChanges(step, before, outcome);
    const after = this.#stateIn(budgetId, (replica) => operation.stateAfter?.(replica, written.data));
    if (after) own.addLater(writes.journal.afterLine(journalHeadOf(own.record).id, number, after));
    // The caller that reads the delta itself knows what has changed.
    const reconciled = step.known ? [] : reconciledBy(operation.kind, noted.stateBefore, result);
    return { ...result, ...(reconciled.length > 0 && { reconciled }) };
  }

  /** With what the write has changed, if that can be read. The cached budget then has it too. */
  async #withChanges<Output extends z.ZodRawShape>(
    step: Step<Output>,
    { server_knowledge: known }: Baseline,
    outcome: Pick<WriteResult<DataOf<Output>>, 'data' | 'outcome'>,
  ): Promise<WriteResult<DataOf<Output>>> {
    const { ownRows, reads, clock, writes, cache } = this.#deps;
    const { kind } = step.operation;
    const { data } = outcome;
    const budgetId = budgetOf(step);
    const cached = kind === 'create' ? cache?.entries.peek(budgetId)?.replica.knowledge : undefined;
    const since = Math.min(known, cached ?? known);
    const remainingMs = step.own.remainingMs();
    const read = await readDeltaAfterWrite(reads, clock, { budgetId, kind, data, since, remainingMs });
    if (!read) return outcome;
    const { delta, asOf } = read;
    cache?.applyDelta(budgetId, delta, since, asOf);
    const result = { ...outcome, changed: delta.budget };
    if (kind !== 'create') return result;
    const others = creatableIn(delta.budget).filter(({ id }) => !ownRows.has(id));
    const possibleDuplicates = possibleDuplicatesOf(rowsOf(data), others);
    if (await writes.addDuplicates(budgetId, possibleDuplicates, delta.server_knowledge))
      ownRows.add(possibleDuplicates);
    return { ...result, possibleDuplicates };
  }

  async #sendOnce<Output extends z.ZodRawShape>(
    step: Step<Output>,
    before: ReadBefore,
    complete: JsonObject,
  ): Promise<Written<DataOf<Output>>> {
    const { reads, clock, ownRows, service, watermarks, writes } = this.#deps;
    const { operation, input, own, turn } = step;
    const { kind } = operation;
    const budgetId = budgetOf(step);
    const mark = watermarks.mark(budgetId);
    const lost = new LostWrite({ reads, clock, ownRows, operation, input, budgetId, before });
    let noted = this.#noteOf(step, before);
    let sentAt = clock.monotonic();
    try {
      const data = await service.send(operation, complete, {
        spending: 'write',
        // From here on, other processes know of the request.
        beforeSending: async () => {
          // It may have waited for a token or for its place in the rate limit.
          noted = this.#noteOf(step, before);
          await own.noteRequest(turn, noted);
          sentAt = clock.monotonic();
        },
      });
      // If the network delivered the request twice, this may be the response to the second delivery.
      const found = operation.isDuplicateResponse?.(data)
        ? await lost.searchOnce().catch(undefinedIfExpected)
        : undefined;
      return found
        ? { data: found, outcome: 'confirmed_afterwards', noted }
        : { data, outcome: 'written', noted, mark };
    } catch (error) {
      if (!(error instanceof BudgetError)) throw error;
      if (!error.outcomeUncertain && operation.duplicateRefusal?.code !== error.code) throw error;
      // A refused write has changed nothing.
      const entries = error.outcomeUncertain ? writes.recordWrite({ budgetId, kind }) : [];
      await own.dispatch([{ type: 'lose' }], entries);
      const data = await this.#search(operation, lost, sentAt, error);
      if (data) return { data, outcome: 'confirmed_afterwards', noted };
      if (!error.outcomeUncertain) throw error;
      // A proxy that delayed the request for longer than the service works on a request may still deliver it.
      const mayStillArrive = error.code === 'timed_out' || error.code === 'gateway_timed_out';
      const code = mayStillArrive ? 'outcome_unknown' : 'not_written';
      throw new BudgetError(code, `${operation.title}: ${error.message}`, { cause: error });
    }
  }

  /** The step that is written down just before its request is sent. */
  #noteOf(
    { operation, input, number, known, own }: Step,
    { ids, server_knowledge, rows }: ReadBefore,
  ): SentStep {
    const budgetId = budgetOf({ own });
    const cached =
      known?.rows ?? this.#stateIn(budgetId, (replica) => operation.stateBefore?.(replica, input));
    // The row that was read just before is the newer one.
    const current = new Map(rows?.map((row) => [row['id'], row]));
    const stateBefore = cached?.map((row) => current.get(row['id']) ?? row) ?? rows;
    const knowledgeBefore = known?.knowledge ?? this.#deps.cache?.entries.peek(budgetId)?.replica.knowledge;
    return {
      number,
      operation: operation.name,
      input,
      sentAt: momentOf(this.#deps.clock),
      before: { ids: [...ids], server_knowledge },
      ...(stateBefore && { stateBefore }),
      ...(knowledgeBefore !== undefined && { knowledgeBefore }),
    };
  }

  /**
   * The line of the step in the journal, and what shows it to others, which are stored in one step: those that search for a lost
   * write leave out the ids of other writes, and must never leave out those of the write that they search for.
   */
  #entriesOf(
    { operation: { kind }, own: { record }, number }: Step,
    { data, noted, mark }: Written<JsonObject>,
  ): readonly NewEntry[] {
    const { writes } = this.#deps;
    const { budgetId } = record.call;
    return [
      writes.journal.stepLine(journalHeadOf(record), number, journalStepOf(noted, data)),
      ...writes.recordWrite({ budgetId, kind, data, mark }),
    ];
  }

  /** A part of the cached budget. Undefined if it is not cached, is older than an own write, or lacks that part. */
  #stateIn<State>(budgetId: string, read: (replica: BudgetReplica) => State): State | undefined {
    const cached = this.#deps.cache?.entries.peek(budgetId);
    return cached && !cached.lacksWrite ? foundBy(() => read(cached.replica)) : undefined;
  }

  /** Undefined if the replica has it, or if there is no such thing. */
  async #readState({ operation, input, own, known }: Step, readDelta: ReadDelta) {
    const isInReplica = () =>
      this.#stateIn(budgetOf({ own }), (replica) => operation.stateBefore?.(replica, input)) !== undefined;
    if (known || !operation.readStateBefore || isInReplica()) return undefined;
    return operation.readStateBefore(readDelta, input).catch(undefinedIfNotFound);
  }

  async #search<Output extends z.ZodRawShape>(
    { title }: Operation,
    lost: LostWrite<Output>,
    sentAt: number,
    error: BudgetError,
  ): Promise<DataOf<Output> | undefined> {
    try {
      return await (error.outcomeUncertain ? lost.search(sentAt) : lost.searchAfterRefusal(error));
    } catch (cause) {
      if (!(cause instanceof BudgetError)) throw cause;
      const message = `${title}: ${error.message} It could not be found out whether it was written.`;
      throw new BudgetError('outcome_unknown', message, { cause });
    }
  }

  /** Reads the state just before the write, unless the caller has just read what is deleted. If that fails, the write is not sent. */
  async #readBefore(step: Step): Promise<ReadBefore & Pick<StateBeforeWrite, 'missing'>> {
    const { reads, watermarks } = this.#deps;
    const { operation, input, known: given } = step;
    if (given && operation.kind === 'delete')
      return { ids: new Set(given.rows.map(({ id }) => String(id))), server_knowledge: given.knowledge };
    const budgetId = budgetOf(step);
    const [budget, { signal }] = [{ budget_id: budgetId }, step.own];
    const unread: string[] = [];
    const readDelta: ReadDelta = async (read, { pathParameters } = {}) => {
      const ofBudget = { ...inputFor(read, { ...input, ...pathParameters }), ...budget };
      const data = await reads.read(read, ofBudget, { signal });
      const gaps = gapsOf(data);
      if (gaps.some((each) => isMissingList(each) || !read.rows))
        throw unexpectedResponse(`The service's response to ${read.name} cannot be read completely.`);
      unread.push(...gaps.flatMap(({ id }) => id ?? []));
      return data;
    };
    try {
      const before = await operation
        .readBefore?.(readDelta, input)
        .catch(operation.kind === 'delete' ? undefinedIfNotFound : undefined);
      const { ids: read = [], missing } = before ?? {};
      const rows = before?.rows ?? (await this.#readState(step, readDelta));
      // A thing that cannot be read now is no result of the write when it can.
      const ids = new Set([...read, ...unread]);
      const known = before?.server_knowledge ?? watermarks.baseline(budgetId);
      if (known !== undefined) return { ids, server_knowledge: known, missing, rows };
      const since = watermarks.highest(budgetId);
      const { server_knowledge } = await reads.read(listAccounts, budget, { since, signal });
      return { ids, server_knowledge, missing, rows };
    } catch (error) {
      if (!(error instanceof BudgetError && error.outcomeUncertain)) throw error;
      const message = `${operation.title}: nothing was sent. ${error.message}`;
      throw new BudgetError('not_written', message, { cause: error });
    }
  }
}
