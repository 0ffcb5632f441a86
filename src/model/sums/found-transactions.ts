/**
 * Finds transactions. A split matches by its legs, with the date, account and status of the transaction, and counts with the
 * legs that match. If no condition excludes a leg, and the text and amount match the split as a whole, all of it counts.
 */
import type { TransactionQuery } from '../../base/schema/transaction-query.ts';
import type { BudgetReplica } from '../replica/budget-replica.ts';
import type { Transaction } from '../replica/entities.ts';
import type { Line } from './lines.ts';
import { textTest, wordsOf } from './text-search.ts';
import { uncategorizedLinesIn } from './uncategorized.ts';

export type FoundTransaction = Transaction & {
  /** The sum of the legs that match, in milliunits. Missing if it is the amount of the transaction. */
  readonly matching_amount?: number;
};

/** Why nothing can match, in words. */
export function* queryProblems(query: TransactionQuery): Generator<string> {
  const { text, min_amount = 0, max_amount, since = '', until } = query;
  if (text !== undefined && wordsOf(text).length === 0) yield 'text has no word to search for';
  if (max_amount !== undefined && Math.abs(min_amount) > Math.abs(max_amount))
    yield 'min_amount is larger than max_amount; signs are ignored';
  if (until !== undefined && since > until) yield `since ${since} is after until ${until}`;
}

/** Newest first. Throws `resource_not_found` if there are none, and the budget does not have what the query names. */
export function findTransactions(replica: BudgetReplica, query: TransactionQuery): FoundTransaction[] {
  const { since, until, type } = query;
  const rows = replica.transactions.list({
    since_date: since,
    until_date: until,
    type: type === 'unapproved' ? type : undefined,
  });
  const amountOf = matcher(replica, query);
  const found: FoundTransaction[] = [];
  for (const row of rows) {
    const amount = amountOf(row);
    if (amount !== undefined) found.push(amount === row.amount ? row : { ...row, matching_amount: amount });
  }
  if (found.length === 0) checkNamed(replica, query);
  return found;
}

function checkNamed({ accounts, categories, groups, payees }: BudgetReplica, query: TransactionQuery): void {
  const { account = [], category = [], payee = [] } = query;
  for (const each of account) accounts.get(each);
  for (const each of category) if (!groups.has(each)) categories.get(each);
  for (const each of payee) payees.get(each);
}

/** Returns how much of a transaction matches. Undefined if it does not match. */
function matcher(replica: BudgetReplica, query: TransactionQuery): (row: Transaction) => number | undefined {
  const { cleared, approved, flag_color } = query;
  const accounts = query.account && new Set(query.account);
  const ofLine = lineTest(replica, query);
  const byContent = contentTest(replica, query);
  return (row) => {
    if (accounts && !accounts.has(row.account_id)) return undefined;
    if (cleared !== undefined && row.cleared !== cleared) return undefined;
    if (approved !== undefined && row.approved !== approved) return undefined;
    if (flag_color !== undefined && row.flag_color !== flag_color) return undefined;
    const legs = row.subtransactions;
    if (legs.length === 0) return ofLine(row, row) && byContent(row, row) ? row.amount : undefined;
    const candidates = legs.filter((leg) => ofLine(row, leg));
    if (candidates.length === legs.length && byContent(row, row)) return row.amount;
    const matching = candidates.filter((leg) => byContent(row, leg));
    return matching.length === 0 ? undefined : matching.reduce((sum, { amount }) => sum + amount, 0);
  };
}

/** `line` is the transaction itself or one of its legs. */
type LineTest = (row: Transaction, line: Line) => boolean;

/** The conditions that are about each line by itself. */
function lineTest(replica: BudgetReplica, { category, payee, type }: TransactionQuery): LineTest {
  const categories = category && categoriesOf(replica, category);
  const payees = payee && new Set<string | null>(payee);
  const openLines = type === 'uncategorized' ? uncategorizedLinesIn(replica) : undefined;
  // The lines of a row come one after the other.
  let last: { readonly row: Transaction; readonly open: ReadonlySet<Line> } | undefined;
  const isOpen = (row: Transaction, line: Line) => {
    if (openLines === undefined) return true;
    if (last?.row !== row) last = { row, open: new Set(openLines(row)) };
    return last.open.has(line);
  };
  return (row, line) =>
    isOpen(row, line) &&
    (categories === undefined || categories.has(line.category_id)) &&
    (payees === undefined || payees.has(line.payee_id ?? row.payee_id)) &&
    (type !== 'transfer' || line.transfer_account_id !== null);
}

function categoriesOf(replica: BudgetReplica, ids: readonly string[]): ReadonlySet<string | null> {
  const ofGroups = replica.categories
    .list()
    .filter(({ category_group_id }) => ids.includes(category_group_id));
  return new Set([...ids, ...ofGroups.map((each) => each.id)]);
}

/** The conditions that a split can meet as a whole. */
function contentTest(replica: BudgetReplica, { text, min_amount, max_amount }: TransactionQuery): LineTest {
  const hasText = text === undefined ? undefined : textTest(text, replica);
  const min = Math.abs(min_amount ?? 0);
  const max = max_amount === undefined ? Number.POSITIVE_INFINITY : Math.abs(max_amount);
  return (row, line) => {
    const amount = Math.abs(line.amount);
    return amount >= min && amount <= max && (hasText === undefined || hasText(row, line));
  };
}
