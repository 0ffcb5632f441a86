/**
 * Takes a file that a person has chosen in the view of `list_statements`, in parts. Only views may call it: what a model learns is
 * the first line of its answer, which the view passes on.
 */
import { z } from 'zod';
import { counted, quoteStart } from '../../../answers/text.ts';
import type { AnswerOf, ReadTool } from '../../../answers/tool.ts';
import { invalidInput } from '../../../base/errors.ts';
import { visible } from '../../../base/quote.ts';
import { integer, text } from '../../../base/schema/fields.ts';
import { MAX_NAME } from './find-statement.ts';
import { statementLine, statementsContent, statementsOf } from './list-statements.ts';
import { type ListedStatement, listedStatement } from './statements-schema.ts';

const input = z.strictObject({
  /** That of the answer to the first part. */
  upload: text.optional(),
  name: text,
  /** Of the file, and before this part, in bytes. */
  size: integer.min(0),
  at: integer.min(0),
  /** In base64, each a whole number of bytes. */
  content: z.array(text).max(64),
});

const output = z.object({
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

export const uploadStatement: ReadTool<AnswerOf<z.output<typeof output>>> = {
  name: 'upload_statement',
  title: 'Upload statement',
  description: 'Takes a file that the user has chosen in the view of list_statements.',
  kind: 'read',
  toolset: 'reports',
  isAboutServer: true,
  changesServer: true,
  needsStatements: true,
  isForViews: true,
  input,
  output,
  example: { name: 'november.csv', size: 3, at: 0, content: ['YSxi'] },
  check: (args) =>
    input.parse(args).content.every((each) => BASE64.test(each)) ? [] : ['content: is not base64'],
  async run(call, args) {
    const { upload, name: given, size, at, content } = input.parse(args);
    const name = visible(given)
      .replace(/^.*[/\\]/, '')
      .slice(0, MAX_NAME);
    if (name === '') throw invalidInput('name: the file has none.');
    const files = await call.statements();
    const bytes = Buffer.concat(content.map((each) => Buffer.from(each, 'base64')));
    const added = await files.add({ id: upload, name, size, at, bytes });
    const { id, received } = added;
    const statements: ListedStatement[] = [];
    if (received === size)
      try {
        statements.push(...statementsOf(name, await files.read(added), call.today));
      } catch (error) {
        await files.remove(added);
        throw error;
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
        : `The user has chosen a file: ${statements.slice(0, MAX_NAMED).map(extentOf).join('; ')}. For an hour, reconcile_account and enter_statement take it by this name`,
    ],
    lines: statements.map(statementLine),
  }),
};

const extentOf = ({ name, rows = 0, first, last }: ListedStatement) =>
  `${quoteStart(name, MAX_NAME)}, ${counted(rows, 'row')} from ${first} to ${last}`;
