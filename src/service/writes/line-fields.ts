/**
 * Account, payee and category of a transaction, a leg or a scheduled transaction: their validation and resolution.
 * Validation changes nothing. Resolution may create a payee.
 */
import type { LedgerState } from '../ledger/ledger-state.ts';
import { type PayeeNames, reservedPrefixOf } from './payee-names.ts';

/** The fields as in a body. Those that the body omits are absent. */
export interface LineFields {
  readonly payee_id?: string | null;
  readonly payee_name?: string | null;
  readonly category_id?: string | null;
}

export function* accountProblems(state: LedgerState, id: string): Generator<string> {
  const account = state.account(id);
  if (account === undefined) yield 'account_id does not exist';
  else if (account.closed) yield 'account_id is a closed account';
}

/** `accountId` is the account of the transaction, which cannot transfer to itself. */
export function* lineProblems(state: LedgerState, fields: LineFields, accountId: string): Generator<string> {
  const { payee_id = null, payee_name, category_id = null } = fields;
  if (payee_id !== null) yield* payeeProblems(state, payee_id, accountId);
  const reserved = payee_id === null && payee_name ? reservedPrefixOf(payee_name) : undefined;
  if (reserved !== undefined)
    yield `payee_name must not begin with '${reserved}', which is a name of the service's own`;
  if (category_id !== null && !state.categories.has(category_id)) yield 'category_id does not exist';
}

function* payeeProblems(state: LedgerState, id: string, accountId: string): Generator<string> {
  const payee = state.payees.get(id);
  if (payee === undefined) yield 'payee_id does not exist';
  const target = payee?.transfer_account_id ?? null;
  if (target === accountId) yield 'payee_id must not transfer to the account of the transaction itself';
  else if (target !== null && state.account(target)?.closed) yield 'payee_id transfers to a closed account';
}

/** Whether the fields specify a payee. A blank name does not. */
export function specifiesPayee({ payee_id, payee_name }: LineFields): boolean {
  return payee_id !== undefined || Boolean(payee_name?.trim());
}

/**
 * `payee_name` is used only without a `payee_id`. A payment category is ignored (docs/interface.md, Transaction).
 */
export function resolveReferences(
  state: LedgerState,
  payees: PayeeNames,
  fields: LineFields,
): { payee_id?: string | null; category_id?: string | null } {
  const { payee_id, payee_name, category_id } = fields;
  const payee = payee_id ?? (payee_name?.trim() ? payees.idOf(payee_name) : payee_id);
  const ignored = category_id && state.role(category_id)?.kind === 'payment';
  return {
    ...(payee === undefined ? {} : { payee_id: payee }),
    ...(category_id === undefined || ignored ? {} : { category_id }),
  };
}
