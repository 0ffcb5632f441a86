/** Ids of entities of the first demo budget, which exist and belong together. */
import type { Service } from '../../src/service/server.ts';

export interface Ids {
  readonly budget_id: string;
  readonly account_id: string;
  readonly category_group_id: string;
  readonly category_id: string;
  readonly payee_id: string;
  readonly month: string;
  readonly transaction_id: string;
  readonly located_payee_id: string;
  readonly payee_location_id: string;
  readonly scheduled_transaction_id: string;
}

/** The transaction has a payee and a category of the user's, and lies in `month`, the current month. */
export function idsOf({ user }: Pick<Service, 'user'>): Ids {
  const ledger = user.ledgers[0];
  const internal = new Set(ledger?.detail().categories.flatMap(({ id, internal }) => (internal ? [id] : [])));
  const transaction = ledger
    ?.transactions(undefined)
    .filter(({ subtransactions, payee_id }) => subtransactions.length === 0 && payee_id)
    .findLast(({ category_id }) => category_id && !internal.has(category_id));
  const category = ledger?.category(transaction?.category_id ?? '');
  const location = ledger?.payeeLocations()[0];
  const scheduled = ledger
    ?.scheduledTransactions()
    .find(({ subtransactions }) => subtransactions.length === 0);
  if (!ledger || !transaction || !category || !location || !scheduled)
    throw new Error('not in the demo data');
  return {
    budget_id: ledger.id,
    account_id: transaction.account_id,
    category_group_id: category.category_group_id,
    category_id: category.id,
    payee_id: transaction.payee_id ?? '',
    month: `${transaction.date.slice(0, 7)}-01`,
    transaction_id: transaction.id,
    located_payee_id: location.payee_id,
    payee_location_id: location.id,
    scheduled_transaction_id: scheduled.id,
  };
}
