/**
 * The account, the payee and the category of a transaction, of a leg and of a scheduled transaction: whether they
 * are there and may be used, and which they are. Checking changes nothing; resolving may create a payee.
 */
import type { LedgerState } from '../ledger/ledger-state.ts';
import { ownNameIn, type PayeeNames } from './payee-names.ts';

/** What a body says; a field that it leaves out is not there. */
export interface Leaf {
  readonly payee_id?: string | null;
  readonly payee_name?: string | null;
  readonly category_id?: string | null;
}

export function* accountProblems(books: LedgerState, id: string): Generator<string> {
  const account = books.account(id);
  if (account === undefined) yield 'account_id does not exist';
  else if (account.closed) yield 'account_id is a closed account';
}

/** `accountId` is the account of the transaction, which cannot transfer to itself. */
export function* leafProblems(books: LedgerState, leaf: Leaf, accountId: string): Generator<string> {
  const { payee_id = null, payee_name, category_id = null } = leaf;
  if (payee_id !== null) yield* payeeProblems(books, payee_id, accountId);
  const own = payee_id === null && payee_name ? ownNameIn(payee_name) : undefined;
  if (own !== undefined)
    yield `payee_name must not begin with '${own}', which is a name of the service's own`;
  if (category_id !== null && !books.categories.has(category_id)) yield 'category_id does not exist';
}

function* payeeProblems(books: LedgerState, id: string, accountId: string): Generator<string> {
  const payee = books.payees.get(id);
  if (payee === undefined) yield 'payee_id does not exist';
  const target = payee?.transfer_account_id ?? null;
  if (target === accountId) yield 'payee_id must not transfer to the account of the transaction itself';
  else if (target !== null && books.account(target)?.closed) yield 'payee_id transfers to a closed account';
}

/** Whether the leaf says anything of the payee. A blank name says nothing. */
export function saysPayee({ payee_id, payee_name }: Leaf): boolean {
  return payee_id !== undefined || Boolean(payee_name?.trim());
}

/**
 * A payee's name counts only without an id. A payment category is ignored, as if it had not been given; so is
 * whatever the ledger has no category for (specification, Transaction).
 */
export function resolved(
  books: LedgerState,
  payees: PayeeNames,
  leaf: Leaf,
): { payee_id?: string | null; category_id?: string | null } {
  const { payee_id, payee_name, category_id } = leaf;
  const payee = payee_id ?? (payee_name?.trim() ? payees.idOf(payee_name) : payee_id);
  const ignored = category_id && books.role(category_id)?.kind === 'payment';
  return {
    ...(payee === undefined ? {} : { payee_id: payee }),
    ...(category_id === undefined || ignored ? {} : { category_id }),
  };
}
