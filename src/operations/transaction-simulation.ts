/**
 * What writes of transactions would add to balances, for a dry run: which part of the register each write needs, and
 * what comes out. The rules of the register itself are in `bookkeeping/`.
 */
import type { ChartOfAccounts, EntryChange, NewEntry } from '../bookkeeping/entries.ts';
import {
  type EntryKey,
  entryFinder,
  type SimulatedImports,
  simulateImports,
} from '../bookkeeping/import-matching.ts';
import { SimulatedRegister } from '../bookkeeping/simulated-register.ts';
import { quote } from '../platform/quote.ts';
import type { ReadCurrent, SimulationInput } from './operation.ts';
import { getTransaction, listMonthTransactions, listTransactions } from './transactions.ts';

/** New transactions. Imports need the register, since they may be there already or be matched to what is there. */
export async function simulateCreation(look: ReadCurrent, rows: readonly NewEntry[], chart: ChartOfAccounts) {
  if (rows.some(({ import_id }) => import_id))
    return inputOfImports(simulateImports(rows, (await look(listTransactions)).transactions, chart));
  const simulated = new SimulatedRegister(chart, []);
  for (const row of rows) simulated.create(row);
  return inputOf(simulated);
}

/** The change of a single transaction. */
export async function simulateChange(look: ReadCurrent, sent: EntryChange, chart: ChartOfAccounts) {
  const { transaction, simulated } = await single(look, chart);
  simulated.update(transaction.id, sent);
  return { current: { transaction }, ...inputOf(simulated) };
}

export async function simulateDeletion(look: ReadCurrent, chart: ChartOfAccounts) {
  const { transaction, simulated } = await single(look, chart);
  simulated.delete(transaction.id);
  return { current: { transaction }, ...inputOf(simulated) };
}

/** Several changes at once; of those about one transaction, each builds on the one before. */
export async function simulateUpdates(
  look: ReadCurrent,
  rows: readonly (EntryKey & EntryChange)[],
  chart: ChartOfAccounts,
) {
  const { transactions: register } = await look(listTransactions);
  const simulated = new SimulatedRegister(chart, register);
  const find = entryFinder(rows, register, simulated);
  const found = new Set<string>();
  const problems: string[] = [];
  for (const [at, row] of rows.entries()) {
    const entry = find(row);
    if (entry) {
      found.add(entry.id);
      simulated.update(entry.id, row);
    } else {
      const [field, id] = row.id === undefined ? ['import_id', quote(row.import_id ?? '')] : ['id', row.id];
      problems.push(`transactions.${at}.${field}: there is no transaction ${id}`);
    }
  }
  const transactions = register.filter(({ id }) => found.has(id));
  return { current: { transactions }, problems, ...inputOf(simulated) } satisfies SimulationInput;
}

const inputOf = (simulated: SimulatedRegister) =>
  ({ postings: simulated.postings(), isUncertain: !simulated.isComplete }) satisfies SimulationInput;

/** The transaction that the write is about, with the other sides of its transfers: these have its date. */
async function single(look: ReadCurrent, chart: ChartOfAccounts) {
  const { transaction } = await look(getTransaction);
  const isTransfer = [transaction, ...transaction.subtransactions].some(
    ({ transfer_transaction_id }) => transfer_transaction_id !== null,
  );
  const month = `${transaction.date.slice(0, 7)}-01`;
  const others = isTransfer ? (await look(listMonthTransactions, { month })).transactions : [];
  return { transaction, simulated: new SimulatedRegister(chart, [...others, transaction]) };
}

const inputOfImports = ({ register, possiblePostings, problems, isUncertain }: SimulatedImports) =>
  ({
    postings: [...register.postings(), ...possiblePostings],
    problems,
    isUncertain: isUncertain || !register.isComplete,
  }) satisfies SimulationInput;
