/**
 * Finds the statement that a call names, and decides by the account what its file leaves open: which amounts were spent. What
 * nothing decides is read as the person said before of such a file, and else asked.
 */
import { counted, joinParts, listProblems, quote, quoteStart } from '../../../answers/text.ts';
import { invalidInput } from '../../../base/errors.ts';
import { normalized } from '../../../base/fold.ts';
import { isCredit } from '../../../model/sums/budget-accounts.ts';
import type { BudgetCall } from '../../../session/budget-call.ts';
import type { SaidOfFile } from '../../../session/kept-answers.ts';
import { compareWithList } from '../bank-list.ts';
import { isClear } from '../known-payees.ts';
import type { AccountRegister } from '../reconciliation.ts';
import { type Statement, statementsIn } from './read-statement.ts';

export const MAX_NAME = 120;

export interface FoundStatement extends Statement {
  /** The name of the reading, if only what the person said before decides it. */
  readonly asSaid?: string;
  /** What the call says of files of this kind. */
  readonly said?: SaidOfFile;
}

/**
 * Throws `invalid_input`, with what to choose from, if the name does not say which statement and how to read it. With `forget`,
 * what was said before is removed.
 */
export async function findStatement(
  call: BudgetCall,
  { statement: given, forget = false }: { readonly statement: string; readonly forget?: boolean | undefined },
  register: AccountRegister,
): Promise<FoundStatement> {
  // Some systems write a letter and its accent as two characters.
  const wanted = normalized(given);
  const files = (await (await call.statements()).files()).map((file) => ({
    ...file,
    name: normalized(file.name),
  }));
  const file =
    files.find(({ name }) => name === wanted) ??
    files.find(({ name }) => wanted.startsWith(`${name} (`) && wanted.endsWith(')'));
  if (!file)
    throw refused(`there is no file ${quoteStart(wanted, MAX_NAME)}: list_statements names those there are`);
  const all = statementsIn(file.name, await file.read(), call.today, decimalDigits(call));
  const [{ kind = '' } = {}] = all;
  const readings = await call.readings();
  const key = { budget: (await call.resolveBudget(undefined)).id, account: register.account.id, kind };
  if (forget) await readings.set(key);
  const before = await readings.get(key);
  const remembered = (choices: readonly Statement[]) => {
    const [first, ...others] = choices.filter(({ ways }) => isSaid(ways, before));
    return others.length === 0 ? first : undefined;
  };
  const exact = [...all, ...all.flatMap(bothSigns)].find(({ name }) => name === wanted);
  const named = exact ?? (wanted === file.name ? remembered(all) : undefined);
  const decided = named?.signs ? bySigns(named.signs, register) : named;
  const found = decided ?? (named && remembered(bothSigns(named)));
  if (!found) {
    const choices = named ? bothSigns(named).map(signChoice) : all.map(choiceOf);
    throw refused(`it is one of these, ask the user which: ${listProblems(choices.slice(0, 10))}`);
  }
  checkCurrency(call, found);
  return {
    ...found,
    ...((!exact || !decided) && { asSaid: found.name }),
    ...(exact && Object.keys(exact.ways).length > 0 && { said: { kind, ways: exact.ways } }),
  };
}

/** True if a statement is read as it was said, and something was. */
export const isSaid = (ways: Statement['ways'], said: Statement['ways']): boolean => {
  const all = Object.entries(ways);
  return all.length > 0 && all.every(([what, way]) => said[what] === way);
};

export const bothSigns = ({ signs }: Pick<Statement, 'signs'>) =>
  signs ? [signs.written, signs.turned] : [];

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
function bySigns(
  { areGiven, arePurchases, written, turned }: NonNullable<Statement['signs']>,
  { account, transactions }: AccountRegister,
): Statement | undefined {
  const own = transactions.filter(({ transfer_account_id }) => transfer_account_id === null);
  const known = ({ rows }: Statement) =>
    new Set([...compareWithList(rows, own).matched.values()].map(({ amount }) => amount)).size;
  const [asWritten, asTurned] = [known(written), known(turned)];
  if (isClear(asTurned, asWritten + asTurned)) return turned;
  if (arePurchases && isCredit(account) && asWritten === 0) return turned;
  const isUsual = areGiven && !isCredit(account);
  return isUsual || isClear(asWritten, asWritten + asTurned) ? written : undefined;
}

/** Whether it has amounts that the currency of the budget cannot have. */
function hasMoreDecimals(call: BudgetCall, { rows }: Statement): boolean {
  const smallest = 10 ** Math.max(0, 3 - (decimalDigits(call) ?? 3));
  return rows.some(({ amount }) => amount % smallest !== 0);
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
  if (hasMoreDecimals(call, statement)) throw refused('it has amounts with more decimals than the budget');
}

const refused = (problem: string) => invalidInput(`statement: ${problem}.`);
