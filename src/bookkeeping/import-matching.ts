/**
 * Which transactions of the register a write is about, and which imports the service leaves out or matches to what is
 * there (specification, Transaction). Pure: it works on rows that were read before.
 */
import { quote } from '../platform/quote.ts';
import { type Booking, type Chart, type Entry, type EntryChange, legOf, type NewEntry } from './entries.ts';
import { SimulatedRegister } from './simulated-register.ts';

/** By its id, or by the import id that it has in its account. */
export interface EntryKey {
  readonly id?: string | undefined;
  readonly import_id?: string | undefined;
}

export interface SimulatedImports {
  readonly register: SimulatedRegister;
  /** Accounts and categories that other matches would touch, as bookings of zero. */
  readonly possible: readonly Booking[];
  /** Whether an import may be matched in several ways that differ. */
  readonly isUncertain: boolean;
  readonly problems: readonly string[];
}

/** An import id that several accounts have needs the account too. */
export function entryFinder(
  rows: readonly EntryKey[],
  register: readonly Entry[],
  simulated: SimulatedRegister,
) {
  const importIds = new Set(rows.flatMap(({ import_id }) => import_id || []));
  const imported = register.filter(({ import_id }) => import_id !== null && importIds.has(import_id));
  return ({ id, import_id, account_id }: EntryKey & EntryChange): Entry | undefined => {
    if (id !== undefined) return simulated.get(id);
    const found = imported
      .flatMap((each) => simulated.get(each.id) ?? [])
      .filter((each) => each.import_id === import_id);
    return found.length > 1 ? found.find((each) => each.account_id === account_id) : found[0];
  };
}

const MATCHING_MS = 10 * 86_400_000;

/**
 * New transactions, imports among them. One whose import id the account has already is left out, and refused where it
 * comes alone; one that is matched to what the user has entered counts once (specification, Transaction).
 */
export function simulateImports(
  rows: readonly NewEntry[],
  register: readonly Entry[],
  chart: Chart,
): SimulatedImports {
  const simulated = new SimulatedRegister(chart, register);
  const taken = new Set(register.flatMap((each) => (each.import_id === null ? [] : importOf(each))));
  const candidatesFor = candidates(rows, register, simulated);
  const problems: string[] = [];
  const imports: NewEntry[] = [];
  let isUncertain = false;
  for (const row of rows) {
    if (!row.import_id) {
      simulated.create(row);
      continue;
    }
    if (taken.has(importOf(row))) {
      if (rows.length === 1) problems.push(`import_id: the account has ${quote(row.import_id)} already`);
      continue;
    }
    taken.add(importOf(row));
    imports.push(row);
    const [nearest, ...others] = candidatesFor(row);
    if (nearest) simulated.match(nearest.id, row);
    else simulated.create(row);
    isUncertain ||= nearest !== undefined && others.some((other) => !isAlike(nearest, other));
  }
  const possible = isUncertain ? possibleBookings(imports, register, chart) : [];
  return { register: simulated, possible, isUncertain, problems };
}

/**
 * The accounts and categories that imports may touch, whichever transactions they are matched to, as bookings of zero.
 * An imported row may be entered, may be matched to a transaction and give it a payee or a category, or may make a
 * transfer of it, which takes its category away. The simulated follows one of these ways only.
 */
function possibleBookings(imports: readonly NewEntry[], register: readonly Entry[], chart: Chart): Booking[] {
  const parts = imports.flatMap(({ subtransactions = [], ...row }) => [row, ...subtransactions]).map(legOf);
  const places = new Set(imports.map(placeOf));
  const candidates = register.filter((each) => each.import_id === null && places.has(placeOf(each)));
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

const importOf = ({ account_id, import_id }: Imported) => `${account_id} ${import_id}`;

const placeOf = ({ account_id, amount }: Pick<Entry, 'account_id' | 'amount'>) => `${account_id} ${amount}`;

/**
 * Gives what an import may be matched to: what the user has entered of the same account and amount, those at the least
 * distance in days. Earlier rows of the same write count too.
 */
function candidates(rows: readonly NewEntry[], register: readonly Entry[], simulated: SimulatedRegister) {
  const byPlace = new Map(rows.map((row) => [placeOf(row), new Set<string>()]));
  for (const each of register) if (each.import_id === null) byPlace.get(placeOf(each))?.add(each.id);
  return (row: NewEntry): Entry[] => {
    const distance = ({ date }: Entry) => Math.abs(Date.parse(date) - Date.parse(row.date));
    const ids = new Set([...(byPlace.get(placeOf(row)) ?? []), ...simulated.changedIds]);
    const fitting = [...ids]
      .flatMap((id) => simulated.get(id) ?? [])
      .filter((each) => each.import_id === null && placeOf(each) === placeOf(row))
      .filter((each) => distance(each) <= MATCHING_MS);
    const least = Math.min(...fitting.map(distance));
    return fitting.filter((each) => distance(each) === least);
  };
}

/** Whichever of the two an import is matched to, the balances come out the same. */
const isAlike = (one: Entry, other: Entry) =>
  one.date === other.date &&
  one.payee_id === other.payee_id &&
  one.category_id === other.category_id &&
  [one, other].every((each) => each.transfer_transaction_id === null && each.subtransactions.length === 0);
