/**
 * What writes of transactions would add to balances, for a dry run. It knows how each write finds the transactions that
 * it is about, and which imports the service leaves out or matches; the rules of the register are the simulation's.
 */
import { quote } from '../platform/quote.ts';
import { type Booking, type Chart, type Entry, type EntryChange, legOf, type NewEntry } from './entries.ts';
import type { ReadCurrent, SimulationInput } from './operation.ts';
import { Simulation } from './simulation.ts';
import { getTransaction, listMonthTransactions, listTransactions } from './transactions.ts';

/** By its id, or by the import id that it has in its account. */
interface Identified {
  readonly id?: string | undefined;
  readonly import_id?: string | undefined;
}

/** New transactions. Imports need the register, since they may be there already or be matched to what is there. */
export async function foreseeCreation(look: ReadCurrent, rows: readonly NewEntry[], chart: Chart) {
  if (rows.some(({ import_id }) => import_id))
    return simulateImports(rows, (await look(listTransactions)).transactions, chart);
  const simulation = new Simulation(chart, []);
  for (const row of rows) simulation.create(row);
  return foreseenOf(simulation);
}

/** The change of a single transaction. */
export async function foreseeChange(look: ReadCurrent, sent: EntryChange, chart: Chart) {
  const { transaction, simulation } = await single(look, chart);
  simulation.update(transaction.id, sent);
  return { current: { transaction }, ...foreseenOf(simulation) };
}

export async function foreseeDeletion(look: ReadCurrent, chart: Chart) {
  const { transaction, simulation } = await single(look, chart);
  simulation.delete(transaction.id);
  return { current: { transaction }, ...foreseenOf(simulation) };
}

/** Several changes at once; of those about one transaction, each builds on the one before. */
export async function simulateUpdates(
  look: ReadCurrent,
  rows: readonly (Identified & EntryChange)[],
  chart: Chart,
) {
  const { transactions: register } = await look(listTransactions);
  const simulation = new Simulation(chart, register);
  const find = finder(rows, register, simulation);
  const found = new Set<string>();
  const problems: string[] = [];
  for (const [at, row] of rows.entries()) {
    const entry = find(row);
    if (entry) {
      found.add(entry.id);
      simulation.update(entry.id, row);
    } else {
      const [field, id] = row.id === undefined ? ['import_id', quote(row.import_id ?? '')] : ['id', row.id];
      problems.push(`transactions.${at}.${field}: there is no transaction ${id}`);
    }
  }
  const transactions = register.filter(({ id }) => found.has(id));
  return { current: { transactions }, problems, ...foreseenOf(simulation) } satisfies SimulationInput;
}

const foreseenOf = (simulation: Simulation) =>
  ({ postings: simulation.bookings(), isUncertain: !simulation.isComplete }) satisfies SimulationInput;

/** The transaction that the write is about, with the other sides of its transfers: these have its date. */
async function single(look: ReadCurrent, chart: Chart) {
  const { transaction } = await look(getTransaction);
  const isTransfer = [transaction, ...transaction.subtransactions].some(
    ({ transfer_transaction_id }) => transfer_transaction_id !== null,
  );
  const month = `${transaction.date.slice(0, 7)}-01`;
  const others = isTransfer ? (await look(listMonthTransactions, { month })).transactions : [];
  return { transaction, simulation: new Simulation(chart, [...others, transaction]) };
}

/** An import id that several accounts have needs the account too. */
function finder(rows: readonly Identified[], register: readonly Entry[], simulation: Simulation) {
  const importIds = new Set(rows.flatMap(({ import_id }) => import_id || []));
  const imported = register.filter(({ import_id }) => import_id !== null && importIds.has(import_id));
  return ({ id, import_id, account_id }: Identified & EntryChange): Entry | undefined => {
    if (id !== undefined) return simulation.get(id);
    const found = imported
      .flatMap((each) => simulation.get(each.id) ?? [])
      .filter((each) => each.import_id === import_id);
    return found.length > 1 ? found.find((each) => each.account_id === account_id) : found[0];
  };
}

const MATCHING_MS = 10 * 86_400_000;

/**
 * New transactions, imports among them. One whose import id the account has already is left out, and refused where it
 * comes alone; one that is matched to what the user has entered counts once (specification, Transaction).
 */
function simulateImports(
  rows: readonly NewEntry[],
  register: readonly Entry[],
  chart: Chart,
): SimulationInput {
  const simulation = new Simulation(chart, register);
  const taken = new Set(register.flatMap((each) => (each.import_id === null ? [] : importOf(each))));
  const candidatesFor = candidates(rows, register, simulation);
  const problems: string[] = [];
  const imports: NewEntry[] = [];
  let isUncertain = false;
  for (const row of rows) {
    if (!row.import_id) {
      simulation.create(row);
      continue;
    }
    if (taken.has(importOf(row))) {
      if (rows.length === 1) problems.push(`import_id: the account has ${quote(row.import_id)} already`);
      continue;
    }
    taken.add(importOf(row));
    imports.push(row);
    const [nearest, ...others] = candidatesFor(row);
    if (nearest) simulation.match(nearest.id, row);
    else simulation.create(row);
    isUncertain ||= nearest !== undefined && others.some((other) => !isAlike(nearest, other));
  }
  const possible = isUncertain ? possibleBookings(imports, register, chart) : [];
  return {
    postings: [...simulation.bookings(), ...possible],
    problems,
    isUncertain: isUncertain || !simulation.isComplete,
  };
}

/**
 * The accounts and categories that imports may touch, whichever transactions they are matched to, as bookings of zero.
 * An imported row may be entered, may be matched to a transaction and give it a payee or a category, or may make a
 * transfer of it, which takes its category away. The simulation follows one of these ways only.
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
function candidates(rows: readonly NewEntry[], register: readonly Entry[], simulation: Simulation) {
  const byPlace = new Map(rows.map((row) => [placeOf(row), new Set<string>()]));
  for (const each of register) if (each.import_id === null) byPlace.get(placeOf(each))?.add(each.id);
  return (row: NewEntry): Entry[] => {
    const distance = ({ date }: Entry) => Math.abs(Date.parse(date) - Date.parse(row.date));
    const ids = new Set([...(byPlace.get(placeOf(row)) ?? []), ...simulation.changedIds]);
    const fitting = [...ids]
      .flatMap((id) => simulation.get(id) ?? [])
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
