/**
 * Reads from the cache or from the service. If a response comes from a lagging copy of the service, the read is repeated.
 * If that does not help, the result says how old it may be.
 */

import type { z } from 'zod';
import { cancelledError, withCancellation } from '../base/abort.ts';
import { dateOf, momentOf } from '../base/clock.ts';
import { BudgetError } from '../base/errors.ts';
import { canonicalJson, type JsonObject } from '../base/json.ts';
import type { Immutable } from '../base/schema/immutable.ts';
import { knowledgeOf } from '../base/schema/knowledge.ts';
import type { BudgetReplica } from '../model/replica/budget-replica.ts';
import type { DataOf, Operation } from '../operations/operation.ts';
import type { CallBudget } from './call-budget.ts';
import { formatStaleReason } from './freshness/stale-reason.ts';
import { DELAYS_WHEN_LAGGING_MS, LAG_MS } from './freshness/watermarks.ts';
import { isOfBudget, type KeptAnswer } from './kept-answers.ts';
import type { Source } from './open-session.ts';
import type { UserSession } from './session.ts';

/** The result of a read, and its freshness. */
export interface ReadResult<Data> extends Source {
  readonly data: Data;
}

/** Reads data about the user. */
export async function readWithoutBudget<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
  deps: UserSession,
  operation: Operation<Input, Output>,
  input: z.output<z.ZodObject<Input>>,
  signal?: AbortSignal,
): Promise<ReadResult<Immutable<DataOf<Output>>>> {
  const requestedAt = momentOf(deps.clock);
  const cached = deps.reads && operation.readFromSession?.(deps.reads, input, signal);
  if (cached) {
    const { data, asOf } = await withCancellation(cached, signal);
    const source = asOf.monotonic < requestedAt.monotonic ? 'replica' : 'service';
    return { data, asOf: asOf.wall, source };
  }
  const data = await deps.requests.read(operation, input, { signal });
  return { data, asOf: requestedAt.wall, source: 'service' };
}

/** Reads data of the budget whose id is in `input`. */
export async function readBudget<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
  deps: UserSession,
  operation: Operation<Input, Output>,
  input: z.output<z.ZodObject<Input>> & { readonly budget_id: string },
  budget: CallBudget,
  signal?: AbortSignal,
): Promise<ReadResult<Immutable<DataOf<Output>>>> {
  await budget.look();
  if (operation.isCachedByKnowledge) return readByKnowledge(deps, operation, input, budget, signal);
  const requestedAt = momentOf(deps.clock);
  let cached = operation.readLocally && (await budget.fresh());
  let data = cached && readFromReplica(cached.replica, operation, input);
  if (cached && !data) {
    cached = (await budget.searchAgain(requestedAt)) ?? cached;
    // Only a budget that is older than it should be leaves open whether there is such a thing.
    data =
      cached.staleReason === undefined
        ? operation.readLocally?.(cached.replica, input)
        : readFromReplica(cached.replica, operation, input);
  }
  if (!cached || !data) return readFromService(deps, operation, input, signal);
  if (cached.isHit) deps.freshnessPolicy?.countHit();
  return { data, asOf: cached.asOf.wall, source: 'replica', staleReason: cached.staleReason };
}

/** Reads data that exports and deltas lack. An earlier response is used as long as the budget has not changed since. */
async function readByKnowledge<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
  deps: UserSession,
  operation: Operation<Input, Output>,
  input: z.output<z.ZodObject<Input>> & { readonly budget_id: string },
  budget: CallBudget,
  signal?: AbortSignal,
): Promise<ReadResult<Immutable<DataOf<Output>>>> {
  const { answers, marks, clock } = deps;
  const { budget_id } = input;
  let cached = await budget.fresh();
  // The month `current` is another one in the next month, even if the knowledge stays the same.
  const request = canonicalJson([operation.name, input, dateOf(clock.now()).slice(0, 7)]);
  const isUsable = (kept: Pick<KeptAnswer, 'knowledge'>) =>
    cached !== undefined && isOfBudget(kept, cached, marks.mark(budget_id).knowledge);
  const kept = cached && (await answers.find(request, operation.output, isUsable));
  // The store may have answered late.
  if (kept) {
    budget.waited();
    cached = await budget.fresh();
  }
  if (cached && kept && isUsable(kept)) {
    if (cached.isHit) deps.freshnessPolicy?.countHit();
    const asOf = Math.max(kept.asOf.wall, cached.asOf.wall);
    return { data: kept.data, asOf, source: 'replica', staleReason: cached.staleReason };
  }
  const asOf = momentOf(clock);
  const result = await readFromService(deps, operation, input, signal);
  const { data, staleReason } = result;
  const knowledge = knowledgeOf(data);
  if (knowledge !== undefined && staleReason === undefined)
    await answers.set(request, { data, knowledge, asOf });
  return result;
}

/** Undefined if the replica does not contain the entity. */
export function readFromReplica<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
  replica: BudgetReplica,
  operation: Operation<Input, Output>,
  input: z.output<z.ZodObject<Input>>,
): Immutable<DataOf<Output>> | undefined {
  try {
    return operation.readLocally?.(replica, input);
  } catch (error) {
    if (error instanceof BudgetError && error.code === 'resource_not_found') return undefined;
    throw error;
  }
}

async function readFromService<Output extends z.ZodRawShape>(
  { requests, marks, clock }: UserSession,
  operation: Operation<z.ZodRawShape, Output>,
  input: JsonObject & { readonly budget_id: string },
  signal?: AbortSignal,
): Promise<ReadResult<DataOf<Output>>> {
  const { budget_id } = input;
  let laggingResult: ReadResult<DataOf<Output>> | undefined;
  for (let attempt = 0; ; attempt += 1) {
    const mark = marks.mark(budget_id);
    const writeAt = (knowledge?: number) =>
      marks.mayLackWrite(budget_id, mark, knowledge) ? marks.lastWriteAt(budget_id) : undefined;
    try {
      // The first read after a write may use the requests reserved for writes, so that the user can see the change.
      const spending = marks.takeReserve(budget_id) ? 'write' : 'read';
      const data = await requests.read(operation, input, { signal, spending });
      const result = { data, asOf: mark.at.wall, source: 'service' } as const;
      const knowledge = knowledgeOf(data);
      if (knowledge === undefined || !marks.isLower(budget_id, knowledge, mark))
        return { ...result, staleReason: formatStaleReason({ writeAt: writeAt(knowledge) }) };
      const staleReason = formatStaleReason({ isLagging: true, writeAt: writeAt() });
      laggingResult = { ...result, asOf: result.asOf - LAG_MS, staleReason };
    } catch (error) {
      if (!(error instanceof BudgetError)) throw error;
      if (laggingResult && error.isTransient) return laggingResult;
      throw withStaleReason(error, writeAt());
    }
    const delay = DELAYS_WHEN_LAGGING_MS[attempt];
    if (delay === undefined) return laggingResult;
    await clock.sleep(delay, signal).catch(() => {
      throw cancelledError();
    });
  }
}

/** Adds that a recent write may be missing, because not every copy of the service may contain it yet. */
function withStaleReason(error: BudgetError, writeAt: number | undefined): BudgetError {
  const reason = formatStaleReason({ writeAt });
  return reason === undefined || error.code !== 'resource_not_found'
    ? error
    : new BudgetError(error.code, `${error.message} ${reason}`);
}
