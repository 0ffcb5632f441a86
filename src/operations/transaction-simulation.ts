/**
 * Simulates writes of transactions for a dry run. It reads the part of the register that a write needs, and returns the
 * amounts that the write would add to balances. The rules of the register are in `model/bookkeeping/`.
 */

import { quote } from '../base/quote.ts';
import { type Entry, type EntryChange, type NewEntry, otherSidesOf } from '../model/bookkeeping/entries.ts';
import { type EntryKey, findEntry, simulateImports } from '../model/bookkeeping/import-matching.ts';
import { ignoredFields } from '../model/bookkeeping/matching.ts';
import { changeProblems, type EntryRules, newEntryProblems } from '../model/bookkeeping/refusals.ts';
import { SimulatedRegister } from '../model/bookkeeping/simulated-register.ts';
import type { ReadCurrent, SimulationInput } from './operation.ts';
import {
  getTransaction,
  listAccountTransactions,
  listMonthTransactions,
  listTransactions,
} from './transactions.ts';

/** Imports need the register, because they may exist already or be matched to existing transactions. */
export async function simulateCreation(
  readCurrent: ReadCurrent,
  rows: readonly NewEntry[],
  rules: EntryRules,
): Promise<SimulationInput> {
  const problems = rows.flatMap((row, index) => inRow(newEntryProblems(rules, row), index));
  const hasImports = rows.some(({ import_id }) => import_id);
  const transactions = hasImports ? (await readCurrent(listTransactions)).transactions : [];
  const imports = simulateImports(rows, transactions, rules.chart);
  return {
    ignored: rows.flatMap((row, index) => inRow(ignoredIn(row, imports.created[index]), index)),
    postings: [...imports.register.postings(), ...imports.possiblePostings],
    problems: [...problems, ...imports.problems],
    isUncertain: imports.isUncertain || !imports.register.isComplete,
  };
}

export async function simulateChange(readCurrent: ReadCurrent, sent: EntryChange, rules: EntryRules) {
  const { transaction, register } = await registerOfTarget(readCurrent, rules, sent.account_id);
  const problems = [...changeProblems(rules, register, transaction, sent)];
  const changed = register.update(transaction.id, sent);
  const ignored = ignoredIn(sent, changed);
  return { current: { transaction }, problems, ignored, ...simulationInput(register) };
}

export async function simulateDeletion(readCurrent: ReadCurrent, rules: EntryRules) {
  const { transaction, register } = await registerOfTarget(readCurrent, rules);
  register.delete(transaction.id);
  return { current: { transaction }, ...simulationInput(register) };
}

/** Simulates several changes. Changes of the same transaction are applied one after another. */
export async function simulateUpdates(
  readCurrent: ReadCurrent,
  rows: readonly (EntryKey & EntryChange)[],
  rules: EntryRules,
) {
  const { transactions: entries } = await readCurrent(listTransactions);
  const register = new SimulatedRegister(rules.chart, entries);
  const found = new Set<string>();
  const problems: string[] = [];
  const ignored: string[] = [];
  for (const [index, row] of rows.entries()) {
    const entry = findEntry(register, row);
    if (entry) {
      found.add(entry.id);
      problems.push(...inRow(changeProblems(rules, register, entry, row), index));
      ignored.push(...inRow(ignoredIn(row, register.update(entry.id, row)), index));
    } else {
      const [field, id] = row.id === undefined ? ['import_id', quote(row.import_id ?? '')] : ['id', row.id];
      problems.push(...inRow([`${field}: there is no transaction ${id}`], index));
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

/** Each begins with the path of its field in the row. */
const inRow = (each: Iterable<string>, index: number) =>
  [...each].map((path) => `transactions.${index}.${path}`);

/** The fields that the service would ignore, because `stored` would be the transaction after the write. */
function ignoredIn(sent: EntryChange, stored: Entry | undefined): string[] {
  if (!stored) return [];
  const { account_id, date, amount, payee_id, category_id, subtransactions } = stored;
  return ignoredFields({ ...sent }, { account_id, date, amount, payee_id, category_id, subtransactions });
}

const simulationInput = (register: SimulatedRegister) =>
  ({ postings: register.postings(), isUncertain: !register.isComplete }) satisfies SimulationInput;

/**
 * The target of the write, in a register that also has the other sides of its transfers, which have the same date. An
 * import that moves to another account must not be there already.
 */
async function registerOfTarget(readCurrent: ReadCurrent, { chart }: EntryRules, account_id = '') {
  const { transaction } = await readCurrent(getTransaction);
  const isTransfer = otherSidesOf(transaction).length > 0;
  const month = `${transaction.date.slice(0, 7)}-01`;
  const others = isTransfer ? (await readCurrent(listMonthTransactions, { month })).transactions : [];
  const mayExist = transaction.import_id !== null && chart.account(account_id);
  const imports = mayExist ? (await readCurrent(listAccountTransactions, { account_id })).transactions : [];
  return { transaction, register: new SimulatedRegister(chart, [...imports, ...others, transaction]) };
}
