/**
 * Whose payment a row of a bank is, and its category, by what earlier transactions with its text had: as an imported name first,
 * then as the name of a payee, then as a memo. What they do not agree on stays open. Pure.
 */
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
  const own = replica.payees.list().filter((each) => !each.deleted && each.transfer_account_id === null);
  const byName = new Map(own.map(({ id, name }) => [nameKey(name), id]));
  const ids = new Set(own.map(({ id }) => id));
  const byText = payeesByText(new Set(rows.map(keyOf)), replica, byName, ids);
  const payeeOf = ({ payee_id, payee_name, text = '' }: BankRow) =>
    payee_id ?? (payee_name === undefined ? byText.get(nameKey(text)) : byName.get(nameKey(payee_name)));
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

function payeesByText(
  texts: ReadonlySet<string>,
  { transactions }: BudgetReplica,
  byName: ReadonlyMap<string, string>,
  ids: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const [imported, memos]: [Counts, Counts] = [new Map(), new Map()];
  for (const { payee_id, memo, ...names } of transactions.list({})) {
    if (payee_id === null) continue;
    const { import_payee_name, import_payee_name_original } = names;
    const keys = new Set([import_payee_name, import_payee_name_original].map((name) => nameKey(name ?? '')));
    for (const key of keys) if (texts.has(key)) count(imported, key, payee_id);
    const key = nameKey(textOfMemo(memo ?? ''));
    if (texts.has(key)) count(memos, key, payee_id);
  }
  return new Map(
    [...texts].flatMap((text): [string, string][] => {
      if (text === '') return [];
      const found = imported.has(text)
        ? agreed(imported.get(text))
        : (byName.get(text) ?? agreed(memos.get(text)));
      // A transfer would enter its other side too.
      return found !== undefined && ids.has(found) ? [[text, found]] : [];
    }),
  );
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

const keyOf = ({ text = '' }: BankRow) => nameKey(text);

const nameKey = (name: string) => payeeKey(name).replace(/\s+/g, ' ');
