/** Lists the statements in the folder of the user, and finds one by its name. No row of them is in an answer. */
import { z } from 'zod';
import { counted, joinParts, listProblems, quote, quoteStart } from '../../../answers/text.ts';
import type { ReadTool } from '../../../answers/tool.ts';
import { BudgetError } from '../../../base/errors.ts';
import { integer, text } from '../../../base/schema/fields.ts';
import type { BudgetCall } from '../../../session/budget-call.ts';
import { datesOf } from '../bank-list.ts';
import { type Statement, statementsIn } from './read-statement.ts';

/** Each is read, and the answer has room for about so many. */
const MAX_FILES = 30;
const MAX_NAME = 120;

const listed = z.object({
  name: text,
  format: text.optional(),
  rows: integer.optional(),
  first: text.optional(),
  last: text.optional(),
  account: text.optional(),
  currency: text.optional(),
  skipped: integer.optional(),
  reading: text.optional(),
  /** Why it cannot be read. */
  problem: text.optional(),
});

type Listed = z.output<typeof listed>;

const output = z.object({ total: integer, statements: z.array(listed) });

export const listStatements: ReadTool<{ readonly data: z.output<typeof output> }> = {
  name: 'list_statements',
  title: 'List statements',
  description:
    'Statement files of the bank: name, format, period, rows, account. reconcile_account and enter_statement take them by name: never copy rows.',
  kind: 'read',
  toolset: 'reports',
  isAboutServer: true,
  needsStatements: true,
  input: z.strictObject({}),
  output,
  example: {},
  async run(call) {
    const files = await call.statementFiles();
    const statements: Listed[] = [];
    for (const { name, read } of files.slice(0, MAX_FILES))
      try {
        statements.push(
          ...statementsIn(name, await read(), call.today)
            .filter(isListed)
            .map(entryOf),
        );
      } catch (error) {
        if (!(error instanceof BudgetError)) throw error;
        statements.push({ name, problem: error.message });
      }
    return { data: { total: files.length, statements } };
  },
  text: ({ data: { total, statements } }) => ({
    heading: [
      `${counted(total, 'file')} in the folder`,
      total > MAX_FILES && `the first ${MAX_FILES} are shown`,
    ],
    lines: statements.map(
      ({ name, format, rows = 0, first, last, account, currency, skipped = 0, reading, problem }) =>
        joinParts(
          quoteStart(name, MAX_NAME),
          format,
          problem ?? `${counted(rows, 'row')} from ${first} to ${last}`,
          account !== undefined && `account ${quoteStart(account, 40)}`,
          currency !== undefined && quoteStart(currency, 3),
          skipped > 0 && `${counted(skipped, 'line')} left out`,
          reading,
        ),
    ),
  }),
};

const isListed = ({ isTurned }: Statement) => !isTurned;

function entryOf({ rows, name, format, account, currency, skipped, reading }: Statement): Listed {
  const { first, last } = datesOf(rows);
  return { name, format, rows: rows.length, first, last, account, currency, skipped, reading };
}

/** Throws `invalid_input`, with what to choose from, if the name does not say which statement and how to read it. */
export async function findStatement(call: BudgetCall, wanted: string): Promise<Statement> {
  const files = await call.statementFiles();
  const file =
    files.find(({ name }) => name === wanted) ??
    files.find(({ name }) => wanted.startsWith(`${name} (`) && wanted.endsWith(')'));
  if (!file)
    throw refused(
      `there is no file ${quoteStart(wanted, MAX_NAME)}: list_statements names those in the folder`,
    );
  const all = statementsIn(file.name, await file.read(), call.today);
  const found = all.find(({ name }) => name === wanted);
  if (!found) {
    const choices = all.filter(isListed).map(({ name, reading }) => joinParts(quote(name), reading));
    throw refused(`it is one of these, ask the user which: ${listProblems(choices.slice(0, 10))}`);
  }
  checkCurrency(call, found);
  return found;
}

function checkCurrency({ budget }: BudgetCall, { currency, rows }: Statement): void {
  const { iso_code, decimal_digits = 3 } = budget?.currency_format ?? {};
  if (currency !== undefined && iso_code !== undefined && currency !== iso_code)
    throw refused(
      `its currency is ${quoteStart(currency, 3)}, and that of the budget ${quoteStart(iso_code, 3)}`,
    );
  const step = 10 ** Math.max(0, 3 - decimal_digits);
  if (rows.some(({ amount }) => amount % step !== 0))
    throw refused('it has amounts with more decimals than the budget');
}

const refused = (problem: string) => new BudgetError('invalid_input', `statement: ${problem}.`);
