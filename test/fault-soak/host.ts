/**
 * What a host is told of a write. Here alone stands how the client says it, so that this is the one place to change when
 * the client finds other words.
 */
import type { BudgetClient } from '../../src/client/budget-client.ts';
import { BudgetError } from '../../src/errors.ts';
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
    }
  | { readonly said: 'not written' }
  /** That it cannot be told, or nothing at all, since the host has given up. */
  | { readonly said: 'unknown' };

const UNKNOWN: Claim = { said: 'unknown' };

/** Calls the client; a host that gives up gets no answer any more. */
export async function call(
  client: BudgetClient,
  { operation, input }: SoakWrite,
  signal?: AbortSignal,
): Promise<Claim> {
  const answered = claimOf(client, operation, input, signal);
  const gaveUp = new Promise<Claim>((resolve) => signal?.addEventListener('abort', () => resolve(UNKNOWN)));
  return Promise.race([answered, gaveUp]);
}

async function claimOf(
  client: BudgetClient,
  operation: SoakWrite['operation'],
  input: SoakWrite['input'],
  signal?: AbortSignal,
): Promise<Claim> {
  try {
    const answer = await client.call(operation, operation.input.parse(input), signal);
    const { data, outcome, possibleDuplicates = [], changed } = answer;
    if (outcome !== 'written' && outcome !== 'confirmed_afterwards') return UNKNOWN;
    const ids = idsIn(data);
    // An answer without ids says that there was nothing to write.
    if (ids.length === 0) return { said: 'not written' };
    return { said: 'written', ids, duplicates: possibleDuplicates, isUnchecked: changed === undefined };
  } catch (error) {
    if (!(error instanceof BudgetError)) throw error;
    // Whatever cannot have happened is told with the words "Nothing was written".
    return error.outcomeUncertain || error.code === 'cancelled' ? UNKNOWN : { said: 'not written' };
  }
}

function idsIn(data: Readonly<Record<string, unknown>>): string[] {
  const { transaction_ids, ...rest } = data;
  if (Array.isArray(transaction_ids)) return transaction_ids.map(String);
  return Object.values(rest).flatMap((thing) =>
    typeof thing === 'object' && thing !== null && 'id' in thing ? [String(thing.id)] : [],
  );
}
