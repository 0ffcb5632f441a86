/**
 * Whether an update of a transaction or a plan has been carried out, where its answer was lost. The service ignores
 * some fields of some entries: then the rest has been done all the same. What is ignored depends on the accounts and
 * categories around the entry, which are asked only where a field differs.
 */

import { differences } from '../bookkeeping/matching.ts';
import { INTERNAL_GROUP } from '../schema/category.ts';
import { listAccounts } from './accounts.ts';
import { listCategories } from './categories.ts';
import type { ReadDelta } from './operation.ts';
import { getTransaction } from './transactions.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Entry {
  readonly id: string;
  readonly account_id: string;
  readonly transfer_account_id: string | null;
  readonly transfer_transaction_id?: string | null;
}

/** The group of the categories that follow a credit card. In this version it is told by its name alone. */
const PAYMENTS_GROUP = 'Credit Card Payments';

/** What the other side of a split's leg has from the split, whatever an update says. */
const FROM_SPLIT: ReadonlySet<string> = new Set([
  'account_id',
  'date',
  'amount',
  'payee_id',
  'payee_name',
  'subtransactions',
]);

/** `found` is as the update has left it. The fields that differ are those that the service ignores of such an entry. */
export async function isUpdated(ask: ReadDelta, sent: Fields, found: Entry & Fields): Promise<boolean> {
  const differing = differences(sent, found);
  if (!differing) return false;
  if (differing.includes('category_id') && !(await ignoresCategory(ask, sent, found))) return false;
  const others = differing.filter((name) => name !== 'category_id');
  if (others.length === 0) return true;
  return others.every((name) => FROM_SPLIT.has(name)) && (await isOtherSideOfLeg(ask, found));
}

/** A category is ignored in transfers within the budget, on tracking accounts, and where it is not the user's to give. */
async function ignoresCategory(ask: ReadDelta, sent: Fields, found: Entry): Promise<boolean> {
  const { accounts } = await ask(listAccounts, { isWhole: true });
  const isInBudget = (id: string | null) => accounts.some((each) => each.id === id && each.on_budget);
  if (!isInBudget(found.account_id) || isInBudget(found.transfer_account_id)) return true;
  const { category_groups } = await ask(listCategories, { isWhole: true });
  return category_groups
    .filter(({ name }) => name === PAYMENTS_GROUP || name === INTERNAL_GROUP)
    .some(({ categories }) => categories.some(({ id }) => id === sent['category_id']));
}

async function isOtherSideOfLeg(ask: ReadDelta, { id, transfer_transaction_id }: Entry): Promise<boolean> {
  if (typeof transfer_transaction_id !== 'string') return false;
  const { transaction } = await ask(getTransaction, { about: { transaction_id: transfer_transaction_id } });
  return transaction.subtransactions.some((leg) => leg.transfer_transaction_id === id);
}
