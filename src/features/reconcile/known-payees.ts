/**
 * Whose payment a row of a bank is, and its category, by what earlier transactions with its text had: as an imported name first,
 * then as the name of a payee, then as a memo. What they do not agree on stays open. Pure.
 */
import { memo } from '../../base/memo.ts';
import { payeeKey } from '../../model/bookkeeping/payee-names.ts';
import type { BudgetReplica } from '../../model/replica/budget-replica.ts';
import type { Account } from '../../model/replica/entities.ts';
import { mostUsedIn } from '../../model/sums/category-suggestions.ts';
import type { BankRow } from './bank-list.ts';
import { textOfMemo } from './row-memo.ts';

/** What is known of a row, or said by the caller. A name that no payee has creates one. */
export interface KnownRow {
  readonly payee_id?: string;
  readonly payee_name?: string;
  readonly category_id?: string;
}

/** At least three, and nine of ten. */
export const isClear = (count: number, of: number) => count >= 3 && isMost(count, of);
const isMost = (count: number, of: number) => count * 10 >= of * 9;

/** A tracking account has no categories. */
export function knownRows(
  rows: readonly BankRow[],
  replica: BudgetReplica,
  account: Account,
): (row: BankRow) => KnownRow {
  const payeeOf = knownPayees(rows, replica);
  const found = new Set(rows.flatMap((row) => payeeOf(row) ?? []));
  const categoryOf = mostUsedIn(replica, account.on_budget ? found : new Set());
  return (row) => {
    const { payee_name, amount } = row;
    const payee_id = payeeOf(row);
    const used = payee_id === undefined ? undefined : categoryOf(payee_id, amount);
    const usual = used && isClear(used.count, used.of) ? used.category_id : undefined;
    const category_id = account.on_budget ? (row.category_id ?? usual) : undefined;
    return {
      ...(payee_id === undefined ? payee_name !== undefined && { payee_name } : { payee_id }),
      ...(category_id !== undefined && { category_id }),
    };
  };
}

type Counts = Map<string, Map<string, number>>;

/** Returns a function for the payee of a row: as the row says, as earlier transactions with its text had it, or by its name. */
function knownPayees(
  rows: readonly BankRow[],
  { payees, transactions }: BudgetReplica,
): (row: BankRow) => string | undefined {
  const own = payees.list().filter((each) => !each.deleted && each.transfer_account_id === null);
  const byName = new Map(own.map(({ id, name }) => [nameKey(name), id]));
  // A transfer would enter its other side too.
  const ids = new Set(own.map(({ id }) => id));
  const texts = new Set(rows.map(({ text = '' }) => nameKey(text)));
  const [imported, memos]: [Counts, Counts] = [new Map(), new Map()];
  for (const { payee_id, memo: written, ...names } of transactions.list({})) {
    if (payee_id === null) continue;
    const { import_payee_name, import_payee_name_original } = names;
    const keys = new Set([import_payee_name, import_payee_name_original].map((name) => nameKey(name ?? '')));
    for (const key of keys) if (texts.has(key)) count(imported, key, payee_id);
    const key = nameKey(textOfMemo(written ?? ''));
    if (texts.has(key)) count(memos, key, payee_id);
  }
  const byText = memo((text: string) => {
    const named = byName.get(text) ?? agreed(memos.get(text));
    const found = imported.has(text) ? agreed(imported.get(text)) : named;
    return found !== undefined && text !== '' && ids.has(found) ? found : '';
  });
  return ({ payee_id, payee_name, text = '' }) =>
    payee_id ??
    (payee_name === undefined ? byText(nameKey(text)) || undefined : byName.get(nameKey(payee_name)));
}

function count(counts: Counts, text: string, payee: string): void {
  const ofText = counts.get(text) ?? new Map<string, number>();
  ofText.set(payee, (ofText.get(payee) ?? 0) + 1);
  counts.set(text, ofText);
}

/** The payee that nine of ten have. */
function agreed(payees: ReadonlyMap<string, number> = new Map()): string | undefined {
  const of = [...payees.values()].reduce((sum, each) => sum + each, 0);
  return [...payees].find(([, each]) => isMost(each, of))?.[0];
}

const nameKey = (name: string) => payeeKey(name).replace(/\s+/g, ' ');
