/**
 * The effect of transaction writes on balances, for a dry run: how each write finds its transactions, and which
 * imports the service skips or matches. `Simulation` applies the changes.
 */
import { quote } from '../platform/quote.ts';
import { type Booking, type Chart, type Entry, type EntryChange, legOf, type NewEntry } from './entries.ts';
import type { ReadCurrent, SimulationInput } from './operation.ts';
import { Simulation } from './simulation.ts';
import { getTransaction, listMonthTransactions, listTransactions } from './transactions.ts';

/** A transaction given by its id, or by its import id within its account. */
interface Identified {
  readonly id?: string | undefined;
  readonly import_id?: string | undefined;
}

/** New transactions. Imports need the existing transactions, because they may be duplicates or match one of them. */
export async function foreseeCreation(readCurrent: ReadCurrent, rows: readonly NewEntry[], chart: Chart) {
  if (rows.some(({ import_id }) => import_id))
    return simulateImports(rows, (await readCurrent(listTransactions)).transactions, chart);
  const simulation = new Simulation(chart, []);
  for (const row of rows) simulation.create(row);
  return resultOf(simulation);
}

/** A change of a single transaction. */
export async function foreseeChange(readCurrent: ReadCurrent, sent: EntryChange, chart: Chart) {
  const { transaction, simulation } = await readSingle(readCurrent, chart);
  simulation.update(transaction.id, sent);
  return { current: { transaction }, ...resultOf(simulation) };
}

export async function foreseeDeletion(readCurrent: ReadCurrent, chart: Chart) {
  const { transaction, simulation } = await readSingle(readCurrent, chart);
  simulation.delete(transaction.id);
  return { current: { transaction }, ...resultOf(simulation) };
}

/** Several changes at once. Changes of the same transaction are applied in order. */
export async function simulateUpdates(
  readCurrent: ReadCurrent,
  rows: readonly (Identified & EntryChange)[],
  chart: Chart,
) {
  const { transactions: existing } = await readCurrent(listTransactions);
  const simulation = new Simulation(chart, existing);
  const find = createFinder(rows, existing, simulation);
  const found = new Set<string>();
  const problems: string[] = [];
  for (const [index, row] of rows.entries()) {
    const entry = find(row);
    if (entry) {
      found.add(entry.id);
      simulation.update(entry.id, row);
    } else {
      const [field, id] = row.id === undefined ? ['import_id', quote(row.import_id ?? '')] : ['id', row.id];
      problems.push(`transactions.${index}.${field}: there is no transaction ${id}`);
    }
  }
  const transactions = existing.filter(({ id }) => found.has(id));
  return { current: { transactions }, problems, ...resultOf(simulation) } satisfies SimulationInput;
}

const resultOf = (simulation: Simulation) =>
  ({ postings: simulation.bookings(), isUncertain: !simulation.isComplete }) satisfies SimulationInput;

/** The transaction of the write, with the other sides of its transfers, which have the same date. */
async function readSingle(readCurrent: ReadCurrent, chart: Chart) {
  const { transaction } = await readCurrent(getTransaction);
  const isTransfer = [transaction, ...transaction.subtransactions].some(
    ({ transfer_transaction_id }) => transfer_transaction_id !== null,
  );
  const month = `${transaction.date.slice(0, 7)}-01`;
  const otherEntries = isTransfer ? (await readCurrent(listMonthTransactions, { month })).transactions : [];
  return { transaction, simulation: new Simulation(chart, [...otherEntries, transaction]) };
}

/** An import id that exists on several accounts also needs the account. */
function createFinder(rows: readonly Identified[], existing: readonly Entry[], simulation: Simulation) {
  const importIds = new Set(rows.flatMap(({ import_id }) => import_id || []));
  const imported = existing.filter(({ import_id }) => import_id !== null && importIds.has(import_id));
  return ({ id, import_id, account_id }: Identified & EntryChange): Entry | undefined => {
    if (id !== undefined) return simulation.get(id);
    const found = imported
      .flatMap((entry) => simulation.get(entry.id) ?? [])
      .filter((entry) => entry.import_id === import_id);
    return found.length > 1 ? found.find((entry) => entry.account_id === account_id) : found[0];
  };
}

const MATCHING_MS = 10 * 86_400_000;

/**
 * New transactions, some of them imports. An import whose import id exists on the account is skipped, or refused if
 * it is the only row. An import that matches an existing transaction counts once (docs/interface.md, Transaction).
 */
function simulateImports(
  rows: readonly NewEntry[],
  existing: readonly Entry[],
  chart: Chart,
): SimulationInput {
  const simulation = new Simulation(chart, existing);
  const takenImportIds = new Set(
    existing.flatMap((entry) => (entry.import_id === null ? [] : importOf(entry))),
  );
  const candidatesFor = candidates(rows, existing, simulation);
  const problems: string[] = [];
  const imports: NewEntry[] = [];
  let isUncertain = false;
  for (const row of rows) {
    if (!row.import_id) {
      simulation.create(row);
      continue;
    }
    if (takenImportIds.has(importOf(row))) {
      if (rows.length === 1) problems.push(`import_id: the account has ${quote(row.import_id)} already`);
      continue;
    }
    takenImportIds.add(importOf(row));
    imports.push(row);
    const [nearest, ...others] = candidatesFor(row);
    if (nearest) simulation.match(nearest.id, row);
    else simulation.create(row);
    isUncertain ||= nearest !== undefined && others.some((other) => !haveSameEffect(nearest, other));
  }
  const possible = isUncertain ? possiblePostings(imports, existing, chart) : [];
  return {
    postings: [...simulation.bookings(), ...possible],
    problems,
    isUncertain: isUncertain || !simulation.isComplete,
  };
}

/**
 * The accounts and categories that imports may affect, whichever transactions they match, as postings of zero. An
 * import may be created, may match a transaction and set its payee or category, or may turn it into a transfer,
 * which removes its category. The simulation follows only one of these cases.
 */
function possiblePostings(imports: readonly NewEntry[], existing: readonly Entry[], chart: Chart): Booking[] {
  const parts = imports.flatMap(({ subtransactions = [], ...row }) => [row, ...subtransactions]).map(legOf);
  const keys = new Set(imports.map(accountAndAmountOf));
  const candidates = existing.filter(
    (entry) => entry.import_id === null && keys.has(accountAndAmountOf(entry)),
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

const importOf = ({ account_id, import_id }: Imported) => `${account_id} ${import_id}`;

const accountAndAmountOf = ({ account_id, amount }: Pick<Entry, 'account_id' | 'amount'>) =>
  `${account_id} ${amount}`;

/**
 * Returns the transactions that an import may match: those of the user with the same account and amount, nearest by
 * date. Earlier rows of the same write are included.
 */
function candidates(rows: readonly NewEntry[], existing: readonly Entry[], simulation: Simulation) {
  const idsByAccountAndAmount = new Map(rows.map((row) => [accountAndAmountOf(row), new Set<string>()]));
  for (const entry of existing)
    if (entry.import_id === null) idsByAccountAndAmount.get(accountAndAmountOf(entry))?.add(entry.id);
  return (row: NewEntry): Entry[] => {
    const distance = ({ date }: Entry) => Math.abs(Date.parse(date) - Date.parse(row.date));
    const ids = new Set([
      ...(idsByAccountAndAmount.get(accountAndAmountOf(row)) ?? []),
      ...simulation.changedIds,
    ]);
    const matching = [...ids]
      .flatMap((id) => simulation.get(id) ?? [])
      .filter((entry) => entry.import_id === null && accountAndAmountOf(entry) === accountAndAmountOf(row))
      .filter((entry) => distance(entry) <= MATCHING_MS);
    const shortest = Math.min(...matching.map(distance));
    return matching.filter((entry) => distance(entry) === shortest);
  };
}

/** Whether the balances are the same whichever of the two an import matches. */
const haveSameEffect = (a: Entry, b: Entry) =>
  a.date === b.date &&
  a.payee_id === b.payee_id &&
  a.category_id === b.category_id &&
  [a, b].every((entry) => entry.transfer_transaction_id === null && entry.subtransactions.length === 0);
