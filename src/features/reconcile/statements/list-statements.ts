/** Lists the statements of the user, and takes a file that a person has chosen in the view of the list. No row of them is in an answer. */
import { z } from 'zod';
import { counted, joinParts, quoteStart } from '../../../answers/text.ts';
import { defineTool } from '../../../answers/tool.ts';
import { shownName } from '../../../answers/view-texts.ts';
import { BudgetError, invalidInput } from '../../../base/errors.ts';
import { visible } from '../../../base/quote.ts';
import { integer, text } from '../../../base/schema/fields.ts';
import type { BudgetCall } from '../../../session/budget-call.ts';
import type { StatementFile } from '../../../session/uploaded-statements.ts';
import { datesOf } from '../bank-list.ts';
import { bankThread } from '../bank-thread.ts';
import { decimalDigits, isRemembered, MAX_NAME } from './find-statement.ts';
import { bothSigns } from './read-statement.ts';
import { readingsOf } from './readings.ts';
import { type ListedStatement, listedStatement, type StatementsContent } from './statements-schema.ts';

/** Each is read, and the answer has room for about so many. */
const MAX_FILES = 30;

const output = z.object({ total: integer, statements: z.array(listedStatement) });

export const listStatements = defineTool({
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
    const kept = await call.statements();
    const files = await kept.files();
    const statements: ListedStatement[] = [];
    for (const file of files.slice(0, MAX_FILES))
      statements.push(
        ...(await statementsOf(call, file).catch((error: unknown) => [problemOf(file, error)])),
      );
    return { data: { total: files.length, statements }, view: () => statementsContent(statements) };
  },
  view: 'statements',
  text: ({ data: { total, statements } }) => ({
    heading: [counted(total, 'file'), total > MAX_FILES && `the first ${MAX_FILES} are shown`],
    lines: total === 0 ? [NONE] : statements.map(statementLine),
  }),
});

const uploadInput = z.strictObject({
  /** That of the answer to the first part. */
  upload: text.optional(),
  name: text,
  /** Of the file, and before this part, in bytes. */
  size: integer.min(0),
  at: integer.min(0),
  /** In base64, each a whole number of bytes. */
  content: z.array(text).max(64),
});

const uploaded = z.object({
  upload: text,
  name: text,
  received: integer,
  size: integer,
  /** Empty as long as parts are missing. */
  statements: z.array(listedStatement),
});

/** The view tells the model at most 1,000 characters. */
const MAX_NAMED = 4;
const BASE64 = /^[A-Za-z\d+/]*={0,2}$/;

/** Takes a file in parts. Only views may call it: what a model learns is the first line of its answer, which the view passes on. */
export const uploadStatement = defineTool({
  name: 'upload_statement',
  title: 'Upload statement',
  description: 'Takes a file that the user has chosen in the view of list_statements.',
  kind: 'read',
  toolset: 'reports',
  isAboutServer: true,
  changesServer: true,
  needsStatements: true,
  isForViews: true,
  input: uploadInput,
  output: uploaded,
  example: { name: 'november.csv', size: 3, at: 0, content: ['YSxi'] },
  check: ({ content }) => (content.every((each) => BASE64.test(each)) ? [] : ['content: is not base64']),
  async run(call, { upload, name: given, size, at, content }) {
    const name = visible(given)
      .replace(/^.*[/\\]/, '')
      .slice(0, MAX_NAME);
    if (name === '') throw invalidInput('name: the file has none.');
    const files = await call.statements();
    const bytes = Buffer.concat(content.map((each) => Buffer.from(each, 'base64')));
    const added = await files.add({ id: upload, name, size, at, bytes });
    const { id, received } = added;
    const statements: ListedStatement[] = [];
    if (received === size) {
      const file = (await files.files()).find((each) => each.upload === id);
      if (!file) throw invalidInput('The file is not kept any more. Choose it again.');
      const read = statementsOf(call, file);
      await read.catch(() => files.remove(added));
      statements.push(...(await read));
    }
    return {
      data: { upload: id, name, received, size, statements },
      view: () => statementsContent(statements, received === size ? undefined : id),
    };
  },
  text: ({ data: { received, size, statements } }) => ({
    heading: [
      received < size
        ? `${received} of ${size} bytes have arrived`
        : `A file has arrived: ${statements.slice(0, MAX_NAMED).map(extentOf).join('; ')}. For an hour, reconcile_account and enter_statement take it by this name`,
    ],
    lines: statements.map(statementLine),
  }),
});

const extentOf = ({ name, rows = 0, first, last }: ListedStatement) =>
  `${quoteStart(name, MAX_NAME)}, ${counted(rows, 'row')} from ${first} to ${last}`;

const NONE = 'The user can choose a file in the view, if the host shows one. It is then here for an hour.';

/** What a list shows of a file. */
async function statementsOf(call: BudgetCall, file: StatementFile): Promise<ListedStatement[]> {
  const { caller } = await call.statements();
  const readings = await readingsOf(call);
  const found = await bankThread.read(caller, file, call.today, decimalDigits(call));
  return Promise.all(
    found.map(async ({ rows, ...each }) => {
      const remembered = await readings.ofKind(each.kind);
      const all = [each, ...bothSigns({ ...each, rows })];
      const [as, other] = all.filter(({ ways }) => remembered.some((before) => isRemembered(ways, before)));
      // Another account may have another reading.
      const isOne = as !== undefined && other === undefined;
      const named = as === undefined || as === each ? '' : `: ${quoteStart(as.name, MAX_NAME)}`;
      const reading = joinParts(each.reading, isOne && `as you said before${named}`);
      return listedStatement.parse({
        ...each,
        rows: rows.length,
        ...datesOf(rows),
        reading: reading || undefined,
      });
    }),
  );
}

function problemOf({ name }: StatementFile, error: unknown): ListedStatement {
  if (!(error instanceof BudgetError)) throw error;
  return { name, problem: error.message };
}

const statementLine = ({ account, currency, skipped = 0, ...each }: ListedStatement): string =>
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
const statementsContent = (statements: readonly ListedStatement[], upload?: string): StatementsContent => ({
  kind: 'statements',
  statements: statements.map(({ name, account, ...each }) => ({
    ...each,
    name: shownName(name),
    ...(account !== undefined && { account: shownName(account) }),
  })),
  ...(upload !== undefined && { upload }),
});
