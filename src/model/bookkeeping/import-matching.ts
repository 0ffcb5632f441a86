/**
 * Finds the transactions that a write refers to. Predicts which imports the service skips, and which it matches to
 * existing transactions (docs/interface.md, Transaction). Pure functions on rows that were read before.
 */
import { quote } from '../../base/quote.ts';
import {
  type ChartOfAccounts,
  type Entry,
  type EntryChange,
  legOf,
  type NewEntry,
  type Posting,
} from './entries.ts';
import { SimulatedRegister } from './simulated-register.ts';

/** Identifies a transaction by its id, or by its import id, which is unique in its account. */
export interface EntryKey {
  readonly id?: string | undefined;
  readonly import_id?: string | undefined;
}

/** `sent` is an `EntryKey`, perhaps one that was not parsed. */
export const refersTo = (
  { id, import_id }: { readonly id?: unknown; readonly import_id?: unknown },
  found: Pick<Entry, 'id' | 'import_id'>,
): boolean => (id === undefined ? import_id === found.import_id : id === found.id);

export interface SimulatedImports {
  readonly register: SimulatedRegister;
  /** Postings of zero for the accounts and categories that the other possible matches would affect. */
  readonly possiblePostings: readonly Posting[];
  /** Whether an import has several possible matches that affect balances differently. */
  readonly isUncertain: boolean;
  readonly problems: readonly string[];
  /** The new transaction for each row. Undefined for an import that is skipped or matched. */
  readonly created: readonly (Entry | undefined)[];
}

/** An import id that exists in several accounts needs the account too. */
export function findEntry(
  register: SimulatedRegister,
  { id, import_id = '', account_id }: EntryKey & EntryChange,
): Entry | undefined {
  if (id !== undefined) return register.get(id);
  const found = register.importedAs(import_id);
  return found.length > 1 ? found.find((each) => each.account_id === account_id) : found[0];
}

const MATCHING_MS = 10 * 86_400_000;

/**
 * Simulates a creation of several transactions, some of which may be imports. The service skips an import whose import
 * id exists in the account, and refuses it if it is the only row. An import that is matched to an existing transaction
 * does not create another one (docs/interface.md, Transaction).
 */
export function simulateImports(
  rows: readonly NewEntry[],
  register: readonly Entry[],
  chart: ChartOfAccounts,
): SimulatedImports {
  const simulated = new SimulatedRegister(chart, register);
  const usedImports = new Set(register.flatMap((each) => (each.import_id === null ? [] : importKey(each))));
  const candidatesFor = matchCandidates(rows, register, simulated);
  const problems: string[] = [];
  const imports: NewEntry[] = [];
  let isUncertain = false;
  const created = rows.map((row) => {
    if (!row.import_id) return simulated.create(row);
    if (usedImports.has(importKey(row))) {
      if (rows.length === 1) problems.push(`import_id: the account has ${quote(row.import_id)} already`);
      return undefined;
    }
    usedImports.add(importKey(row));
    imports.push(row);
    const [nearest, ...others] = candidatesFor(row);
    if (!nearest) return simulated.create(row);
    simulated.match(nearest.id, row);
    isUncertain ||= others.some((other) => !haveEqualEffect(nearest, other));
    return undefined;
  });
  const possiblePostings = isUncertain ? postingsOfAllMatches(imports, register, chart) : [];
  return { register: simulated, possiblePostings, isUncertain, problems, created };
}

/**
 * Postings of zero for all accounts and categories that the imports may affect, whichever transactions they are
 * matched to. An import may create a transaction. It may also be matched to one and set its payee or category, or turn
 * it into a transfer, which removes its category. The simulated register contains only one of these results.
 */
function postingsOfAllMatches(
  imports: readonly NewEntry[],
  register: readonly Entry[],
  chart: ChartOfAccounts,
): Posting[] {
  const parts = imports.flatMap(({ subtransactions = [], ...row }) => [row, ...subtransactions]).map(legOf);
  const imported = new Set(imports.map(accountAndAmount));
  const candidates = register.filter(
    (each) => each.import_id === null && imported.has(accountAndAmount(each)),
  );
  const accounts = [
    ...imports.map(({ account_id }) => account_id),
    ...parts.flatMap((part) => chart.targetOf(part)?.id ?? []),
  ];
  const categories = [...parts, ...candidates].flatMap(({ category_id }) => category_id ?? []);
  return [
    ...accounts.map((account_id) => ({ account_id, amount: 0 })),
    ...categories.map((category_id) => ({ category_id, amount: 0 })),
  ];
}

interface Imported {
  readonly account_id: string;
  readonly import_id?: string | null | undefined;
}

const importKey = ({ account_id, import_id }: Imported) => `${account_id} ${import_id}`;

const accountAndAmount = ({ account_id, amount }: Pick<Entry, 'account_id' | 'amount'>) =>
  `${account_id} ${amount}`;

/**
 * Returns a function that finds the transactions an import may be matched to: those that a person entered in the same
 * account with the same amount, at the smallest distance in days. Earlier rows of the same write are included.
 */
function matchCandidates(
  rows: readonly NewEntry[],
  register: readonly Entry[],
  simulated: SimulatedRegister,
) {
  const idsByAccountAndAmount = new Map(rows.map((row) => [accountAndAmount(row), new Set<string>()]));
  for (const each of register) idsByAccountAndAmount.get(accountAndAmount(each))?.add(each.id);
  return (row: NewEntry): Entry[] => {
    const distance = ({ date }: Entry) => Math.abs(Date.parse(date) - Date.parse(row.date));
    const ids = new Set([
      ...(idsByAccountAndAmount.get(accountAndAmount(row)) ?? []),
      ...simulated.changedIds,
    ]);
    const candidates = [...ids]
      .flatMap((id) => simulated.get(id) ?? [])
      .filter((each) => each.import_id === null && accountAndAmount(each) === accountAndAmount(row))
      .filter((each) => distance(each) <= MATCHING_MS);
    const smallest = Math.min(...candidates.map(distance));
    return candidates.filter((each) => distance(each) === smallest);
  };
}

/** Whether the balances are the same for a match with either entry. */
const haveEqualEffect = (one: Entry, other: Entry) =>
  one.date === other.date &&
  one.payee_id === other.payee_id &&
  one.category_id === other.category_id &&
  [one, other].every((each) => each.transfer_transaction_id === null && each.subtransactions.length === 0);
