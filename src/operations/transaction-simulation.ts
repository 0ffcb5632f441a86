/**
 * Simulates writes of transactions for a dry run. It reads the part of the register that a write needs, and returns the
 * amounts that the write would add to balances. The rules of the register are in `model/bookkeeping/`.
 */

import { quote } from '../base/quote.ts';
import {
  type ChartOfAccounts,
  type Entry,
  type EntryChange,
  type NewEntry,
  otherSidesOf,
  type Posting,
  payeeOf,
} from '../model/bookkeeping/entries.ts';
import { type EntryKey, findEntry } from '../model/bookkeeping/entry-key.ts';
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

/**
 * A row with an import id may be skipped, or matched to a transaction that exists (docs/interface.md, Transaction). So no
 * balance is predicted then, and those that may change are named.
 */
export async function simulateCreation(
  readCurrent: ReadCurrent,
  rows: readonly NewEntry[],
  rules: EntryRules,
): Promise<SimulationInput> {
  const register = new SimulatedRegister(rules.chart, []);
  const created = rows.map((row) => register.create(row));
  const problems = rows.flatMap((row, index) => inRow(newEntryProblems(rules, row), index));
  const imports = rows.filter(({ import_id }) => import_id);
  const ignored = rows.flatMap((row, index) =>
    row.import_id ? [] : inRow(ignoredIn(row, created[index]), index),
  );
  if (imports.length === 0) return { ignored, problems, ...simulationInput(register) };
  const { transactions } = await readCurrent(listTransactions);
  const isSame = (row: NewEntry, each: Entry) =>
    each.account_id === row.account_id && each.import_id === row.import_id;
  // Among several rows, it is skipped.
  const existing = rows.filter((row) => rows.length === 1 && transactions.some((each) => isSame(row, each)));
  return {
    ignored,
    problems: [
      ...problems,
      ...existing.map(({ import_id = '' }) => `import_id: the account has ${quote(import_id)} already`),
    ],
    postings: [...register.postings(), ...postingsOfMatches(imports, transactions, rules.chart)],
    isUncertain: true,
    remarks: ['A row with an import_id may be skipped, or matched to a transaction that exists.'],
  };
}

/**
 * Postings of zero for the categories that only a match may affect: it fills in the category of the import, or makes a
 * transfer of a transaction, which then has no category.
 */
function postingsOfMatches(
  imports: readonly NewEntry[],
  transactions: readonly Entry[],
  chart: ChartOfAccounts,
): Posting[] {
  const transfers = imports.filter((row) => chart.targetOf({ payee_id: payeeOf(row) ?? null }));
  const mayMatch = ({ account_id, amount, import_id }: Entry) =>
    import_id === null && transfers.some((row) => row.account_id === account_id && row.amount === amount);
  return [...imports, ...transactions.filter(mayMatch)].flatMap(({ category_id }) =>
    category_id ? [{ category_id, amount: 0 }] : [],
  );
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
  ({
    postings: register.postings(),
    reconciled: register.reconciledMoves(),
    isUncertain: !register.isComplete,
  }) satisfies SimulationInput;

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
