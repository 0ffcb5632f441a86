/** Lists the statements of the user. No row of them is in an answer. */
import { z } from 'zod';
import { counted, joinParts, quoteStart } from '../../../answers/text.ts';
import type { ReadTool } from '../../../answers/tool.ts';
import { BudgetError } from '../../../base/errors.ts';
import { integer, text } from '../../../base/schema/fields.ts';
import { datesOf } from '../bank-list.ts';
import { listedOf, MAX_NAME } from './find-statement.ts';
import { type Statement, statementsIn } from './read-statement.ts';

/** Each is read, and the answer has room for about so many. */
const MAX_FILES = 30;

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
        statements.push(...listedOf(statementsIn(name, await read(), call.today)).map(entryOf));
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

function entryOf({ rows, name, format, account, currency, skipped, reading }: Statement): Listed {
  const { first, last } = datesOf(rows);
  return { name, format, rows: rows.length, first, last, account, currency, skipped, reading };
}
