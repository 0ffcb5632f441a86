/**
 * Finds the statement that a call names, and decides by the account what its file leaves open: which amounts were spent. What
 * nothing decides is read as it is remembered of such files, and else asked.
 */
import { counted, firstOf, joinParts, listProblems, quote, quoteStart } from '../../../answers/text.ts';
import { invalidInput } from '../../../base/errors.ts';
import { normalized } from '../../../base/fold.ts';
import { isCredit } from '../../../model/sums/budget-accounts.ts';
import type { BudgetCall } from '../../../session/budget-call.ts';
import type { StatementFile } from '../../../session/uploaded-statements.ts';
import { bankThread } from '../bank-thread.ts';
import type { StatementReading } from '../comparisons.ts';
import { isClear } from '../known-payees.ts';
import type { AccountRegister } from '../reconciliation.ts';
import { bothSigns, type Statement } from './read-statement.ts';
import { readingsOf } from './readings.ts';

export const MAX_NAME = 120;
const MAX_CHOICES = 10;

export interface FoundStatement extends Statement {
  /** The name of the reading, if only what is remembered decides it. */
  readonly readAs?: string | undefined;
  /** How the call says that files of this kind are read. */
  readonly given?: StatementReading;
}

export interface WantedStatement {
  /** The name of a file, or of one of its readings. */
  readonly statement?: string | undefined;
  /** A list that was pasted, instead of a file. `statement` is then one of its readings. */
  readonly table?: string | undefined;
  /** Without what is remembered of such files, which is removed unless this is a dry run. */
  readonly forget?: boolean | undefined;
  readonly isDryRun?: boolean | undefined;
}

/** The name of a list that was pasted. */
const PASTED = 'table';

/** Throws `invalid_input`, with what to choose from, if the name does not say which statement and how to read it. */
export async function findStatement(
  call: BudgetCall,
  { statement = PASTED, table, forget = false, isDryRun = false }: WantedStatement,
  register: AccountRegister,
): Promise<FoundStatement> {
  // Some systems write a letter and its accent as two characters.
  const wanted = normalized(statement);
  const kept = await call.statements();
  const sources = table === undefined ? await kept.files() : [pasted(table)];
  const files = sources.map((file) => ({ ...file, name: normalized(file.name) }));
  const file =
    files.find(({ name }) => name === wanted) ??
    files.find(({ name }) => wanted.startsWith(`${name} (`) && wanted.endsWith(')'));
  if (!file) {
    const names = firstOf(
      files.map(({ name }) => quoteStart(name, MAX_NAME)),
      MAX_CHOICES,
    );
    throw refused(
      `there is no file ${quoteStart(wanted, MAX_NAME)}. There are: ${names.join(', ') || 'none, but a list of the bank can be pasted as table'}`,
    );
  }
  const all = await bankThread.read(kept.caller, file, call.today, decimalDigits(call));
  const [{ kind = '' } = {}] = all;
  const readings = await readingsOf(call);
  const key = { budget: (await call.resolveBudget(undefined)).id, account: register.account.id, kind };
  if (forget && !isDryRun) await readings.set(key);
  const before = forget ? {} : await readings.get(key);
  const remembered = (choices: readonly Statement[]) => {
    const [first, ...others] = choices.filter(({ ways }) => isRemembered(ways, before));
    return others.length === 0 ? first : undefined;
  };
  const exact = [...all, ...all.flatMap(bothSigns)].find(({ name }) => name === wanted);
  const named = exact ?? (wanted === file.name ? remembered(all) : undefined);
  const decided = named?.openSigns ? await bySigns(named, register) : named;
  const found = decided ?? (named && remembered(bothSigns(named)));
  if (!found) {
    const choices = named ? bothSigns(named).map(signChoice) : all.map(choiceOf);
    const where = table === undefined ? '' : ', and give it beside the table';
    throw refused(
      `it is one of these, ask the user which${where}: ${listProblems(choices.slice(0, MAX_CHOICES))}`,
    );
  }
  checkCurrency(call, found);
  return {
    ...found,
    ...((!exact || !decided) && { readAs: (decided ? named : found)?.name }),
    ...(exact && Object.keys(exact.ways).length > 0 && { given: { kind, ways: exact.ways } }),
  };
}

/** True if all that a file leaves open is remembered, and something is open. */
export const isRemembered = (ways: Statement['ways'], before: Statement['ways']): boolean => {
  const all = Object.entries(ways);
  return all.length > 0 && all.every(([what, way]) => before[what] === way);
};

const pasted = (table: string): StatementFile => ({
  name: PASTED,
  version: async () => table,
  read: async () => Buffer.from(table),
});

const choiceOf = ({ name, reading }: Statement) => joinParts(quote(name), reading);

/** Numbers by which a person recognises what was spent, without a row. */
const signChoice = ({ name, rows }: Statement) =>
  joinParts(
    quote(name),
    `${counted(rows.filter(({ amount }) => amount < 0).length, 'row')} spent, ${rows.filter(({ amount }) => amount > 0).length} received`,
  );

/**
 * The reading whose rows the account has, by how many different amounts. Transfers do not count: the file of the other account has
 * them the other way round. Where there are too few, amounts with signs are as written, but not those of a card: many list what was
 * spent as positive.
 */
async function bySigns(
  statement: Statement,
  { account, transactions }: AccountRegister,
): Promise<Statement | undefined> {
  const own = transactions.filter(({ transfer_account_id }) => transfer_account_id === null);
  const known = async ({ rows }: Statement) => {
    const { matched } = await bankThread.compare(rows, own);
    return new Set([...matched.values()].map(({ amount }) => amount)).size;
  };
  const [written = statement, turned = statement] = bothSigns(statement);
  const [asWritten, asTurned] = [await known(written), await known(turned)];
  const { openSigns } = statement;
  if (isClear(asTurned, asWritten + asTurned)) return turned;
  if (openSigns === 'purchases' && isCredit(account) && asWritten === 0) return turned;
  const isUsual = openSigns === 'signed' && !isCredit(account);
  return isUsual || isClear(asWritten, asWritten + asTurned) ? written : undefined;
}

export const decimalDigits = ({ budget }: BudgetCall) => budget?.currency_format?.decimal_digits;

function checkCurrency(call: BudgetCall, statement: Statement): void {
  const { currency } = statement;
  const { iso_code } = call.budget?.currency_format ?? {};
  const isYen = currency === '¥' && /^(JPY|CNY)$/.test(iso_code ?? '');
  if (currency !== undefined && iso_code !== undefined && currency !== iso_code && !isYen)
    throw refused(
      `its currency is ${quoteStart(currency, 3)}, and that of the budget ${quoteStart(iso_code, 3)}`,
    );
  const smallest = 10 ** Math.max(0, 3 - (decimalDigits(call) ?? 3));
  if (statement.rows.some(({ amount }) => amount % smallest !== 0))
    throw refused('it has amounts with more decimals than the budget');
}

const refused = (problem: string) => invalidInput(`statement: ${problem}.`);
