/**
 * The result that a host gets for a write. Only this file depends on the client's wording, so it is the only one to change
 * when the wording changes.
 */

import { z } from 'zod';
import { BudgetError } from '../../src/base/errors.ts';
import { type Transaction, transaction } from '../../src/base/schema/transaction.ts';
import { importTransactions } from '../../src/operations/transaction-writes.ts';
import type { BudgetClient } from '../../src/session/budget-client.ts';
import { callOperation } from '../call-operation.helper.ts';
import type { History } from './history.helper.ts';
import type { World } from './world.helper.ts';
import type { SoakWrite } from './writes.helper.ts';

export type Claim =
  | {
      readonly outcome: 'written';
      /** The ids of the created entities. */
      readonly ids: readonly string[];
      /** The ledger had every transaction of the result at some time, with every field as the result shows it. */
      readonly existed: boolean;
      /** The ids of other new entities that equal them. */
      readonly duplicates: readonly string[];
      /** The result says that the delta after the write could not be read. */
      readonly isUnchecked: boolean;
      /** The result says that the request may still be delivered a second time. */
      readonly mayComeAgain: boolean;
      /** The knowledge of the ledger at the time of the result. */
      readonly knowledge: number;
    }
  | {
      readonly outcome: 'not written';
      /** The requests of the hour are used, or seem to be. */
      readonly isForQuota: boolean;
    }
  /** The outcome is unknown, or there is no result because the host gave up. */
  | { readonly outcome: 'unknown' };

const UNKNOWN: Claim = { outcome: 'unknown' };

/** Calls the client. A host that gives up gets no result later. */
export async function call(
  { client, history }: Pick<World, 'client' | 'history'>,
  write: SoakWrite,
  signal?: AbortSignal,
): Promise<Claim> {
  const answered = claimOf(client, write, history, signal);
  const gaveUp = new Promise<Claim>((resolve) => signal?.addEventListener('abort', () => resolve(UNKNOWN)));
  return Promise.race([answered, gaveUp]);
}

async function claimOf(
  client: BudgetClient,
  { operation, input }: SoakWrite,
  history: History,
  signal?: AbortSignal,
): Promise<Claim> {
  try {
    const answer = await callOperation(client, operation, operation.input.parse(input), signal);
    const { data, outcome, possibleDuplicates = [], changed } = answer;
    if (outcome !== 'written' && outcome !== 'confirmed_afterwards') return UNKNOWN;
    const ids = idsIn(data);
    // A result without ids says that there was nothing to write. What the banks have is read from copies that may lag
    // (docs/limits.md, Bank imports).
    if (ids.length === 0)
      return operation === importTransactions ? UNKNOWN : { outcome: 'not written', isForQuota: false };
    return {
      outcome: 'written',
      ids,
      existed: transactionsIn(data).every(
        (row) => history.spansOf('transaction', [row], ({ id }) => id === row.id).length > 0,
      ),
      duplicates: possibleDuplicates,
      isUnchecked: changed === undefined,
      mayComeAgain: outcome === 'confirmed_afterwards' && operation.kind === 'create',
      knowledge: history.knowledge,
    };
  } catch (error) {
    if (!(error instanceof BudgetError)) throw error;
    // The answer to every other error says that this call changed nothing.
    if (error.outcomeUncertain || error.code === 'cancelled') return UNKNOWN;
    return { outcome: 'not written', isForQuota: isQuotaRefusal(error) };
  }
}

/** The service or a proxy refused it, or the client sent no request. */
export const isQuotaRefusal = ({ code }: BudgetError): boolean =>
  code === 'rate_budget_spent' || code === 'too_many_requests';

const shown = z.object({
  transaction: transaction.optional(),
  transactions: z.array(transaction).optional(),
});

function transactionsIn(data: Readonly<Record<string, unknown>>): Transaction[] {
  const { success, data: found } = shown.safeParse(data);
  if (!success) return [];
  const { transactions = [], transaction: one } = found;
  // The ledger keeps nothing of what is deleted.
  return [...transactions, ...(one ? [one] : [])].filter((row) => !row.deleted);
}

function idsIn(data: Readonly<Record<string, unknown>>): string[] {
  const { transaction_ids, ...rest } = data;
  if (Array.isArray(transaction_ids)) return transaction_ids.map(String);
  return Object.values(rest).flatMap((thing) =>
    typeof thing === 'object' && thing !== null && 'id' in thing ? [String(thing.id)] : [],
  );
}
