/** Lists the statements of the user. No row of them is in an answer. */
import { z } from 'zod';
import { counted, joinParts, quoteStart } from '../../../answers/text.ts';
import type { AnswerOf, ReadTool } from '../../../answers/tool.ts';
import { shownName } from '../../../answers/view-texts.ts';
import { BudgetError } from '../../../base/errors.ts';
import { integer } from '../../../base/schema/fields.ts';
import { datesOf } from '../bank-list.ts';
import { MAX_NAME } from './find-statement.ts';
import { type Statement, statementsIn } from './read-statement.ts';
import { type ListedStatement, listedStatement, type StatementsContent } from './statements-schema.ts';

/** Each is read, and the answer has room for about so many. */
const MAX_FILES = 30;

const output = z.object({ total: integer, statements: z.array(listedStatement) });

export const listStatements: ReadTool<AnswerOf<z.output<typeof output>>> = {
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
    const files = await (await call.statements()).files();
    const statements: ListedStatement[] = [];
    for (const { name, read } of files.slice(0, MAX_FILES))
      try {
        statements.push(...statementsOf(name, await read(), call.today));
      } catch (error) {
        if (!(error instanceof BudgetError)) throw error;
        statements.push({ name, problem: error.message });
      }
    return { data: { total: files.length, statements }, view: () => statementsContent(statements) };
  },
  view: 'statements',
  text: ({ data: { total, statements } }) => ({
    heading: [counted(total, 'file'), total > MAX_FILES && `the first ${MAX_FILES} are shown`],
    lines: total === 0 ? [NONE] : statements.map(statementLine),
  }),
};

const NONE = 'The user can choose a file in the view, if the host shows one. It is then here for an hour.';

/** What a list shows of a file. Throws `invalid_input` if it cannot be read. */
export const statementsOf = (name: string, bytes: Uint8Array, today: string): ListedStatement[] =>
  statementsIn(name, bytes, today).map(entryOf);

function entryOf({ rows, name, format, account, currency, skipped, reading }: Statement): ListedStatement {
  const { first, last } = datesOf(rows);
  return { name, format, rows: rows.length, first, last, account, currency, skipped, reading };
}

export const statementLine = ({ account, currency, skipped = 0, ...each }: ListedStatement): string =>
  joinParts(
    quoteStart(each.name, MAX_NAME),
    each.format,
    each.problem ?? `${counted(each.rows ?? 0, 'row')} from ${each.first} to ${each.last}`,
    account !== undefined && `account ${quoteStart(account, 40)}`,
    currency !== undefined && quoteStart(currency, 3),
    skipped > 0 && `${counted(skipped, 'line')} left out`,
    each.reading,
  );

/** `upload` is that of a file that is not complete yet. */
export const statementsContent = (
  statements: readonly ListedStatement[],
  upload?: string,
): StatementsContent => ({
  kind: 'statements',
  statements: statements.map(({ name, account, ...each }) => ({
    ...each,
    name: shownName(name),
    ...(account !== undefined && { account: shownName(account) }),
  })),
  ...(upload !== undefined && { upload }),
});
