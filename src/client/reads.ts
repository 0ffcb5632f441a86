/**
 * A question, answered from what is held or by the service itself. A copy of the service that lags behind what was seen
 * of the budget before is asked again, and if that does not help, the answer says how old it may be.
 */
import type { JsonObject } from '../platform/json.ts';
import type { z } from 'zod';
import { BudgetError } from '../errors.ts';
import type { DataOf, Operation } from '../operations/operation.ts';
import { cancelledError, withCancellation } from '../platform/abort.ts';
import { type Clock, momentOf } from '../platform/clock.ts';
import type { BudgetReplica } from '../replica/budget-replica.ts';
import { DELAYS_WHEN_LAGGING_MS, LAG_MS } from '../replica/watermarks.ts';
import type { Immutable } from '../schema/immutable.ts';
import { knowledgeOf } from '../schema/knowledge.ts';
import type { Freshness } from './freshness.ts';
import type { OnProgress } from './http-sender.ts';
import type { AccountSession } from './session.ts';
import { formatStaleReason } from './stale-reason.ts';

/** An answer, and how fresh it is. */
export interface ReadResult<Data> {
  readonly data: Data;
  /** In milliseconds since the epoch. */
  readonly asOf: number;
  readonly source: Freshness['source'];
  /** Why it is older than it should be. */
  readonly staleReason?: string | undefined;
}

interface ReadDeps extends AccountSession {
  readonly clock: Clock;
}

/** A question about the user. */
export async function readWithoutBudget<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
  parts: ReadDeps,
  operation: Operation<Input, Output>,
  input: z.output<z.ZodObject<Input>>,
  signal?: AbortSignal,
): Promise<ReadResult<Immutable<DataOf<Output>>>> {
  const askedAt = momentOf(parts.clock);
  const kept = parts.reads && operation.readFromSession?.(parts.reads, input);
  if (kept) {
    const { data, asOf } = await withCancellation(kept, signal);
    const source = asOf.monotonic < askedAt.monotonic ? 'replica' : 'service';
    return { data, asOf: asOf.wall, source };
  }
  const data = await parts.requests.read(operation, input, { signal });
  return { data, asOf: askedAt.wall, source: 'service' };
}

/** A question about a budget, which `input` names by id. */
export async function readBudget<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
  parts: ReadDeps,
  operation: Operation<Input, Output>,
  input: z.output<z.ZodObject<Input>> & { readonly budget_id: string },
  signal?: AbortSignal,
  onBytes?: OnProgress,
): Promise<ReadResult<Immutable<DataOf<Output>>>> {
  const { freshness } = parts;
  const usable = operation.readLocally && (await freshness?.getFresh(input.budget_id, signal, onBytes));
  const data = usable && readFromReplica(usable.replica, operation, input);
  if (!data) {
    // What is held shows every write: then the service need not be doubted where it does not know a thing either.
    const isCurrent = usable !== undefined && usable.staleReason === undefined;
    return readFromService(parts, operation, input, isCurrent, signal);
  }
  if (usable.isHit) freshness?.countHit();
  return { data, asOf: usable.asOf.wall, source: 'replica', staleReason: usable.staleReason };
}

/** Undefined for an id that is not held: it may have come since, and if not, the service says so better. */
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
  { requests, marks, clock }: ReadDeps,
  operation: Operation<z.ZodRawShape, Output>,
  input: JsonObject & { readonly budget_id: string },
  isCurrent: boolean,
  signal?: AbortSignal,
): Promise<ReadResult<DataOf<Output>>> {
  const { budget_id } = input;
  let behind: ReadResult<DataOf<Output>> | undefined;
  for (let attempt = 0; ; attempt += 1) {
    const mark = marks.mark(budget_id);
    const writeAt = (knowledge?: number) =>
      marks.mayLackWrite(budget_id, mark, knowledge) ? marks.lastWriteAt(budget_id) : undefined;
    try {
      // Whoever has changed something wants to see it.
      const spending = marks.takeReserve(budget_id) ? 'write' : 'read';
      const data = await requests.read(operation, input, { signal, spending });
      const found = { data, asOf: mark.at.wall, source: 'service' } as const;
      const knowledge = knowledgeOf(data);
      if (knowledge === undefined || !marks.isLower(budget_id, knowledge, mark))
        return { ...found, staleReason: formatStaleReason({ writeAt: writeAt(knowledge) }) };
      const staleReason = formatStaleReason({ isLagging: true, writeAt: writeAt() });
      behind = { ...found, asOf: found.asOf - LAG_MS, staleReason };
    } catch (error) {
      if (!(error instanceof BudgetError)) throw error;
      if (behind && error.isTransient) return behind;
      throw isCurrent ? error : withStaleReason(error, writeAt());
    }
    const delay = DELAYS_WHEN_LAGGING_MS[attempt];
    if (delay === undefined) return behind;
    await clock.sleep(delay, signal).catch(() => {
      throw cancelledError();
    });
  }
}

/** What was made a moment ago may not be known to every copy of the service. */
function withStaleReason(error: BudgetError, writeAt: number | undefined): BudgetError {
  const reason = formatStaleReason({ writeAt });
  return reason === undefined || error.code !== 'resource_not_found'
    ? error
    : new BudgetError(error.code, `${error.message} ${reason}`);
}
