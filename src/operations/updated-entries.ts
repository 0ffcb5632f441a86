/**
 * Checks whether an update of a transaction or scheduled transaction was carried out when its response was lost. The
 * service ignores some fields, depending on the accounts and categories of the entry. Those are read only if a field
 * differs.
 */

import type { JsonObject } from '../base/json.ts';
import { differences } from '../model/bookkeeping/matching.ts';
import { isInternalCategory, isPaymentCategory } from '../model/bookkeeping/own-categories.ts';
import { listAccounts } from './accounts.ts';
import { listCategories } from './categories.ts';
import type { ReadDelta } from './operation.ts';
import { getTransaction } from './transactions.ts';

interface Entry {
  readonly id: string;
  readonly account_id: string;
  readonly transfer_account_id: string | null;
  readonly transfer_transaction_id?: string | null;
}

/** The fields that the split determines on the other side of its leg. An update of them is ignored. */
const FROM_SPLIT: ReadonlySet<string> = new Set([
  'account_id',
  'date',
  'amount',
  'payee_id',
  'payee_name',
  'subtransactions',
]);

/**
 * Whether `found` is in the state after the update. Fields may differ only if the service ignores them for such an
 * entry.
 */
export async function isUpdated(
  readDelta: ReadDelta,
  sent: JsonObject,
  found: Entry & JsonObject,
): Promise<boolean> {
  const differing = differences(sent, found);
  if (!differing) return false;
  if (differing.includes('category_id') && !(await ignoresCategory(readDelta, sent, found))) return false;
  const otherFields = differing.filter((name) => name !== 'category_id');
  if (otherFields.length === 0) return true;
  return otherFields.every((name) => FROM_SPLIT.has(name)) && (await isOtherSideOfLeg(readDelta, found));
}

/**
 * The service ignores a category in transfers within the budget, on tracking accounts, and if it is an internal or
 * payment category.
 */
async function ignoresCategory(readDelta: ReadDelta, sent: JsonObject, found: Entry): Promise<boolean> {
  const { accounts } = await readDelta(listAccounts, { isWhole: true });
  const isInBudget = (id: string | null) =>
    accounts.some((account) => account.id === id && account.on_budget);
  if (!isInBudget(found.account_id) || isInBudget(found.transfer_account_id)) return true;
  const { category_groups } = await readDelta(listCategories, { isWhole: true });
  return category_groups.some(({ name, categories }) =>
    categories.some(
      (category) =>
        category.id === sent['category_id'] &&
        (isPaymentCategory(category, name) || isInternalCategory(category, name)),
    ),
  );
}

async function isOtherSideOfLeg(
  readDelta: ReadDelta,
  { id, transfer_transaction_id }: Entry,
): Promise<boolean> {
  if (typeof transfer_transaction_id !== 'string') return false;
  const { transaction } = await readDelta(getTransaction, {
    pathParameters: { transaction_id: transfer_transaction_id },
  });
  return transaction.subtransactions.some((leg) => leg.transfer_transaction_id === id);
}
