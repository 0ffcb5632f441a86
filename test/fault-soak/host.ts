/**
 * What a host is told of a write. Here alone stands how the client says it, so that this is the one place to change when
 * the client finds other words.
 */
import type { BudgetClient } from '../../src/client/budget-client.ts';
import { BudgetError } from '../../src/errors.ts';
import type { World } from './world.ts';
import type { SoakWrite } from './writes.ts';

export type Claim =
  | {
      readonly said: 'written';
      /** Of what came in. */
      readonly ids: readonly string[];
      /** Of what came in besides, and looks just like it. */
      readonly duplicates: readonly string[];
      /** The answer says that what came in besides could not be read. */
      readonly isUnchecked: boolean;
      /** The answer says that the request may still arrive a second time. */
      readonly mayComeAgain: boolean;
      /** What the ledger had reached when this was said. */
      readonly knowledge: number;
    }
  | {
      readonly said: 'not written';
      /** The requests of the hour are used up, or seem to be. */
      readonly isForQuota: boolean;
    }
  /** That it cannot be told, or nothing at all, since the host has given up. */
  | { readonly said: 'unknown' };

const UNKNOWN: Claim = { said: 'unknown' };

/** Calls the client; a host that gives up gets no answer any more. */
export async function call(
  { client, history }: Pick<World, 'client' | 'history'>,
  write: SoakWrite,
  signal?: AbortSignal,
): Promise<Claim> {
  const answered = claimOf(client, write, () => history.knowledge, signal);
  const gaveUp = new Promise<Claim>((resolve) => signal?.addEventListener('abort', () => resolve(UNKNOWN)));
  return Promise.race([answered, gaveUp]);
}

async function claimOf(
  client: BudgetClient,
  { operation, input }: SoakWrite,
  knowledge: () => number,
  signal?: AbortSignal,
): Promise<Claim> {
  try {
    const answer = await client.call(operation, operation.input.parse(input), signal);
    const { data, outcome, possibleDuplicates = [], changed } = answer;
    if (outcome !== 'written' && outcome !== 'confirmed_afterwards') return UNKNOWN;
    const ids = idsIn(data);
    // An answer without ids says that there was nothing to write.
    if (ids.length === 0) return { said: 'not written', isForQuota: false };
    return {
      said: 'written',
      ids,
      duplicates: possibleDuplicates,
      isUnchecked: changed === undefined,
      mayComeAgain: outcome === 'confirmed_afterwards' && operation.kind === 'create',
      knowledge: knowledge(),
    };
  } catch (error) {
    if (!(error instanceof BudgetError)) throw error;
    // Whatever cannot have happened is told with the words "Nothing was written".
    if (error.outcomeUncertain || error.code === 'cancelled') return UNKNOWN;
    return { said: 'not written', isForQuota: isQuotaRefusal(error) };
  }
}

/** The service has refused it, something in between has, or the client did not even ask. */
export const isQuotaRefusal = ({ code }: BudgetError): boolean =>
  code === 'rate_budget_spent' || code === 'too_many_requests';

function idsIn(data: Readonly<Record<string, unknown>>): string[] {
  const { transaction_ids, ...rest } = data;
  if (Array.isArray(transaction_ids)) return transaction_ids.map(String);
  return Object.values(rest).flatMap((thing) =>
    typeof thing === 'object' && thing !== null && 'id' in thing ? [String(thing.id)] : [],
  );
}
