/**
 * What writes add to the books and take from them, as the entries of transactions foresee it. It knows what the service
 * keeps of a transaction and what it takes over, and neither requests nor balances.
 */
import type { Foreseen, Immutable } from './operation.ts';
import type { Transaction } from './transactions.ts';

/** Money that a transaction moves in an account and in categories; in milliunits. */
export interface Booking {
  readonly date?: string | undefined;
  readonly account_id?: string | undefined;
  readonly amount?: number | undefined;
  /** That of an account makes it a transfer. */
  readonly payee_id?: string | null | undefined;
  readonly category_id?: string | null | undefined;
  readonly subtransactions?: readonly Booking[] | undefined;
}

type Change = Booking & { readonly payee_name?: string | undefined };

/** What takes it off the books again. */
export function reversed({ amount = 0, subtransactions, ...booking }: Booking): Booking {
  return {
    ...booking,
    amount: -amount,
    ...(subtransactions && { subtransactions: subtransactions.map(reversed) }),
  };
}

/** What becomes of it: an existing split keeps date, amount, category and legs (specification, Transaction). */
export function changed(before: Booking, sent: Change): Booking {
  const { account_id = before.account_id } = sent;
  if (before.subtransactions?.length) return { ...before, account_id };
  const { date = before.date, amount = before.amount, category_id = before.category_id } = sent;
  const { payee_id = sent.payee_name?.trim() ? null : before.payee_id, subtransactions } = sent;
  return { account_id, date, amount, payee_id, category_id, subtransactions };
}

/** By its id, or by the import id that it has in its account. */
interface Identified {
  readonly id?: string | undefined;
  readonly import_id?: string | undefined;
}

type Register = readonly Immutable<Transaction>[];

/** Several changes at once; of those about one transaction, each builds on the one before. */
export function foreseeChanges(rows: readonly (Identified & Change)[], register: Register) {
  const find = finder(rows, register);
  const before = new Map<string, Immutable<Transaction>>();
  const after = new Map<string, Booking>();
  const problems: string[] = [];
  for (const [at, row] of rows.entries()) {
    const transaction = find(row);
    if (!transaction) {
      const [field, id] =
        row.id === undefined ? ['import_id', JSON.stringify(row.import_id)] : ['id', row.id];
      problems.push(`transactions.${at}.${field}: there is no transaction ${id}`);
      continue;
    }
    before.set(transaction.id, transaction);
    after.set(transaction.id, changed(after.get(transaction.id) ?? transaction, row));
  }
  const transactions = [...before.values()];
  const bookings = [...transactions.map(reversed), ...after.values()];
  return { current: { transactions }, bookings, problems } satisfies Foreseen;
}

/** An import id that several accounts have needs the account too. */
function finder(rows: readonly Identified[], register: Register) {
  const wanted = new Set(rows.map(({ id, import_id }) => id ?? import_id));
  const eligible = register.filter(
    ({ id, import_id }) => wanted.has(id) || wanted.has(import_id ?? undefined),
  );
  return ({ id, import_id, account_id }: Identified & Change) => {
    if (id !== undefined) return eligible.find((each) => each.id === id);
    const found = eligible.filter((each) => each.import_id === import_id);
    return found.length > 1 ? found.find((each) => each.account_id === account_id) : found[0];
  };
}

interface NewTransaction extends Booking {
  readonly account_id: string;
  readonly date: string;
  readonly amount: number;
  readonly import_id?: string | undefined;
}

const MATCHING_MS = 10 * 86_400_000;

/**
 * New transactions, imports among them. One whose import id the account has already is left out, and refused where it
 * comes alone; one that is matched to what the user has entered counts once (specification, Transaction).
 */
export function foreseeImports(rows: readonly NewTransaction[], register: Register): Foreseen {
  const taken = new Set(register.flatMap((each) => (each.import_id === null ? [] : importOf(each))));
  const match = matcher(rows, register);
  const bookings: Booking[] = [];
  const problems: string[] = [];
  for (const row of rows) {
    if (!row.import_id) {
      bookings.push(row);
    } else if (taken.has(importOf(row))) {
      if (rows.length === 1)
        problems.push(`import_id: the account has ${JSON.stringify(row.import_id)} already`);
    } else {
      taken.add(importOf(row));
      const entered = match(row);
      bookings.push(...(entered ? [reversed(entered), changed(entered, filling(entered, row))] : [row]));
    }
  }
  return { bookings, problems };
}

type Imported = Pick<Transaction, 'account_id'> & { readonly import_id?: string | null | undefined };

const importOf = ({ account_id, import_id }: Imported) => `${account_id} ${import_id}`;

type Entered = Pick<Transaction, 'account_id' | 'amount'>;

const entryOf = ({ account_id, amount }: Entered) => `${account_id} ${amount}`;

/** Gives what the user has entered of the same account and amount, the nearest by date; each is matched once. */
function matcher(rows: readonly NewTransaction[], register: Register) {
  const open = new Map(rows.map((row) => [entryOf(row), new Set<Immutable<Transaction>>()]));
  for (const each of register) if (each.import_id === null) open.get(entryOf(each))?.add(each);
  return (row: NewTransaction) => {
    const distance = ({ date }: { date: string }) => Math.abs(Date.parse(date) - Date.parse(row.date));
    const [nearest] = [...(open.get(entryOf(row)) ?? [])]
      .filter((each) => distance(each) <= MATCHING_MS)
      .sort((a, b) => distance(a) - distance(b));
    if (nearest) open.get(entryOf(row))?.delete(nearest);
    return nearest;
  };
}

/** What an import adds to what was entered: what the user left open. */
const filling = (entered: Immutable<Transaction>, { payee_id, category_id }: Booking) => ({
  payee_id: entered.payee_id ?? payee_id,
  category_id: entered.category_id ?? category_id,
});
