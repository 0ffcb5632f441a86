/**
 * Simulates writes of transactions for a dry run. It reads the part of the register that a write needs, and returns the
 * amounts that the write would add to balances. The rules of the register are in `bookkeeping/`.
 */
import type { ChartOfAccounts, Entry, EntryChange, NewEntry } from '../bookkeeping/entries.ts';
import {
  type EntryKey,
  entryFinder,
  type SimulatedImports,
  simulateImports,
} from '../bookkeeping/import-matching.ts';
import { ignoredFields } from '../bookkeeping/matching.ts';
import { SimulatedRegister } from '../bookkeeping/simulated-register.ts';
import { quote } from '../platform/quote.ts';
import type { ReadCurrent, SimulationInput } from './operation.ts';
import { getTransaction, listMonthTransactions, listTransactions } from './transactions.ts';

/** Imports need the register, because they may exist already or be matched to existing transactions. */
export async function simulateCreation(
  readCurrent: ReadCurrent,
  rows: readonly NewEntry[],
  chart: ChartOfAccounts,
) {
  if (rows.some(({ import_id }) => import_id))
    return simulationInputOfImports(
      simulateImports(rows, (await readCurrent(listTransactions)).transactions, chart),
      rows,
    );
  const register = new SimulatedRegister(chart, []);
  const ignored = rows.flatMap((row, index) => ignoredInRow(row, register.create(row), index));
  return { ignored, ...simulationInput(register) };
}

/** Simulates the change of one transaction. */
export async function simulateChange(readCurrent: ReadCurrent, sent: EntryChange, chart: ChartOfAccounts) {
  const { transaction, register } = await registerOfTarget(readCurrent, chart);
  const changed = register.update(transaction.id, sent);
  return { current: { transaction }, ignored: ignoredIn(sent, changed), ...simulationInput(register) };
}

export async function simulateDeletion(readCurrent: ReadCurrent, chart: ChartOfAccounts) {
  const { transaction, register } = await registerOfTarget(readCurrent, chart);
  register.delete(transaction.id);
  return { current: { transaction }, ...simulationInput(register) };
}

/** Simulates several changes. Changes of the same transaction are applied one after another. */
export async function simulateUpdates(
  readCurrent: ReadCurrent,
  rows: readonly (EntryKey & EntryChange)[],
  chart: ChartOfAccounts,
) {
  const { transactions: entries } = await readCurrent(listTransactions);
  const register = new SimulatedRegister(chart, entries);
  const find = entryFinder(rows, entries, register);
  const found = new Set<string>();
  const problems: string[] = [];
  const ignored: string[] = [];
  for (const [index, row] of rows.entries()) {
    const entry = find(row);
    if (entry) {
      found.add(entry.id);
      ignored.push(...ignoredInRow(row, register.update(entry.id, row), index));
    } else {
      const [field, id] = row.id === undefined ? ['import_id', quote(row.import_id ?? '')] : ['id', row.id];
      problems.push(`transactions.${index}.${field}: there is no transaction ${id}`);
    }
  }
  const transactions = entries.filter(({ id }) => found.has(id));
  return {
    current: { transactions },
    problems,
    ignored,
    ...simulationInput(register),
  } satisfies SimulationInput;
}

/** The fields that the service would ignore, because `stored` would be the transaction after the write. */
function ignoredIn(sent: EntryChange, stored: Entry | undefined): string[] {
  if (!stored) return [];
  const { account_id, date, amount, payee_id, category_id, subtransactions } = stored;
  return ignoredFields({ ...sent }, { account_id, date, amount, payee_id, category_id, subtransactions });
}

const ignoredInRow = (sent: EntryChange, stored: Entry | undefined, index: number) =>
  ignoredIn(sent, stored).map((name) => `transactions.${index}.${name}`);

const simulationInput = (register: SimulatedRegister) =>
  ({ postings: register.postings(), isUncertain: !register.isComplete }) satisfies SimulationInput;

/** The target of the write, in a register that also has the other sides of its transfers. They have the same date. */
async function registerOfTarget(readCurrent: ReadCurrent, chart: ChartOfAccounts) {
  const { transaction } = await readCurrent(getTransaction);
  const isTransfer = [transaction, ...transaction.subtransactions].some(
    ({ transfer_transaction_id }) => transfer_transaction_id !== null,
  );
  const month = `${transaction.date.slice(0, 7)}-01`;
  const others = isTransfer ? (await readCurrent(listMonthTransactions, { month })).transactions : [];
  return { transaction, register: new SimulatedRegister(chart, [...others, transaction]) };
}

const simulationInputOfImports = (
  { register, possiblePostings, problems, isUncertain, created }: SimulatedImports,
  rows: readonly NewEntry[],
) =>
  ({
    ignored: rows.flatMap((row, index) => ignoredInRow(row, created[index], index)),
    postings: [...register.postings(), ...possiblePostings],
    problems,
    isUncertain: isUncertain || !register.isComplete,
  }) satisfies SimulationInput;
