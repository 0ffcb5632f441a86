/** How writes move the reconciled balances of accounts: the sums that were compared with the bank. Pure; amounts in milliunits. */
import { groupBy } from '../../base/group-by.ts';
import type { Reconcilable } from '../../base/schema/reconcilable.ts';

/** The ids of the transactions, and of the other sides of their transfers. */
export const idsWithSides = (rows: readonly Reconcilable[]): ReadonlySet<string> =>
  new Set(
    rows.flatMap((row) => [
      row.id,
      ...[row, ...row.subtransactions].flatMap(({ transfer_transaction_id: id }) => id ?? []),
    ]),
  );

type Reconciled = Pick<Reconcilable, 'id' | 'account_id' | 'amount' | 'cleared' | 'deleted'>;

/** The amount that is added to the reconciled balance of an account. */
export interface ReconciledMove {
  readonly account_id: string;
  readonly amount: number;
}

/**
 * `after` are the rows that a write has changed, created or deleted. Those of them that `before` lacks are new. If a row is
 * there twice, the first state before and the last one after count.
 */
export function reconciledMoves(
  before: readonly Reconciled[],
  after: readonly Reconciled[],
): ReconciledMove[] {
  const known = new Map(before.toReversed().map((row) => [row.id, row]));
  const changed = new Map(after.map((row) => [row.id, row]));
  return summedMoves(
    [...changed.values()].flatMap((row) => [
      ...reconciledPart(row),
      ...reconciledPart(known.get(row.id)).map(({ account_id, amount }) => ({ account_id, amount: -amount })),
    ]),
  );
}

const reconciledPart = (row: Reconciled | undefined): ReconciledMove[] =>
  row?.cleared === 'reconciled' && !row.deleted ? [{ account_id: row.account_id, amount: row.amount }] : [];

/** One for each account whose reconciled balance is another one afterwards. */
export const summedMoves = (moves: readonly ReconciledMove[]): ReconciledMove[] =>
  [...groupBy(moves, ({ account_id }) => account_id)]
    .map(([account_id, each]) => ({ account_id, amount: each.reduce((sum, { amount }) => sum + amount, 0) }))
    .filter(({ amount }) => amount !== 0);
