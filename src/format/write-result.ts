/**
 * What there is to tell of a write beyond the service's answer: whether it is certain, what it changed around it, what
 * the service did not take over.
 */
import { z } from 'zod';
import { ignoredFields } from '../bookkeeping/matching.ts';
import type { CallResult } from '../client/call-result.ts';
import type { Operation } from '../operations/operation.ts';
import { INTERNAL_GROUP } from '../schema/category.ts';
import { milliunits } from '../schema/fields.ts';
import type { ChangedEntities } from '../writes/write-result.ts';
import type { Row } from './paging.ts';
import { formatRows } from './rows.ts';
import { quote, type TextContext, word } from './text.ts';
import { formatTransaction } from './transactions.ts';

const balance = z.object({ id: z.string(), name: z.string(), balance: milliunits });

/** What the answer to a write has besides the service's own; a dry run has none of the service's. */
export const writeFields = {
  outcome: z.enum(['written', 'confirmed_afterwards', 'dry_run']),
  /** Where nothing was sent now: when the equal call was made that has written it. */
  earlier_call: z.string().optional(),
  /** Balances after it; for a dry run, as they would be. */
  balances: z.object({ accounts: z.array(balance), categories: z.array(balance) }).optional(),
  ignored: z.array(z.string()).optional(),
  possible_duplicates: z.array(z.string()).optional(),
  problems: z.array(z.string()).optional(),
  /** Of a dry run: the names of accounts and categories whose balances only the service can say. */
  not_foreseen: z.array(z.string()).optional(),
  would_send: z.object({ route: z.string(), input: z.record(z.string(), z.unknown()) }).optional(),
};

export interface FormattedWrite {
  /** Besides the data of the service, amounts in milliunits. */
  readonly fields: Row;
  /** What has become of the write; the service's own data follow it. */
  readonly headline: string;
  readonly lines: readonly string[];
}

/** `input` is what was sent. */
export function formatWriteResult(
  operation: Operation,
  input: Row,
  answer: CallResult<Row>,
  context: TextContext,
): FormattedWrite {
  const { outcome = 'written', changed, data, possibleDuplicates = [], earlier_call } = answer;
  const ignored = ignoredIn(operation, input, data);
  const duplicates = listIn(data, 'duplicate_import_ids').map((id) => quote(String(id)));
  return {
    fields: {
      outcome,
      ...(earlier_call !== undefined && { earlier_call }),
      ...(changed && { balances: balancesOf(changed) }),
      ...(ignored.length > 0 && { ignored }),
      ...(possibleDuplicates.length > 0 && { possible_duplicates: possibleDuplicates }),
    },
    headline: headlineOf(outcome, data, earlier_call),
    lines: [
      ...(outcome === 'confirmed_afterwards' && canBeCreatedTwice(operation, data) ? [LATE_DELIVERY] : []),
      ...(changed ? formatImportedRows(operation, data, changed, context) : []),
      ...(duplicates.length > 0
        ? [`Not created again, since the account has their import_id: ${duplicates.join(', ')}.`]
        : []),
      ...(ignored.length > 0 ? [`The service did not take over: ${ignored.join(', ')}.`] : []),
      ...(possibleDuplicates.length > 0
        ? [
            `The budget has more entries just like it since then: ${possibleDuplicates.map(word).join(', ')}. If that was not meant, one is to be deleted.`,
          ]
        : []),
      ...(changed ? balanceLines(changed, context) : ['What it changed around it could not be read.']),
    ],
  };
}

function headlineOf(
  outcome: NonNullable<CallResult<Row>['outcome']>,
  data: Row,
  earlier: CallResult<Row>['earlier_call'],
): string {
  if (earlier !== undefined)
    return `Written already by your equal call of ${earlier}, whose outcome did not reach you. Nothing was sent now: call again to do it once more.`;
  if ('transaction_ids' in data && listIn(data, 'transaction_ids').length === 0)
    return 'There was nothing new to write.';
  return outcome === 'written'
    ? 'Written.'
    : 'Written: the service did not say so, but the budget shows that it has happened.';
}

/** The service may carry out a request until 30 s after it was sent (specification, Limits), wherever it was repeated. */
const LATE_DELIVERY =
  'Its request was disturbed on the way, and may arrive a second time until 30 s after it was sent: look then whether it was entered twice.';

/** The service takes an `import_id` once. */
const canBeCreatedTwice = (operation: Operation, data: Row) =>
  operation.kind === 'create' && rowsIn(operation, data).some((row) => !row['import_id']);

const listIn = (data: Row, key: string): unknown[] => {
  const list = data[key];
  return Array.isArray(list) ? list : [];
};

/** Of an import the service sends ids only; the rows stand among what has changed. */
function formatImportedRows(
  operation: Operation,
  data: Row,
  { accounts, categories, transactions }: ChangedEntities,
  context: TextContext,
): string[] {
  if (rowsIn(operation, data).length > 0) return [];
  const ids = new Set(listIn(data, 'transaction_ids'));
  const nameOf = (rows: readonly Balance[], id: string | null) => rows.find((row) => row.id === id)?.name;
  return transactions
    .filter(({ id }) => ids.has(id))
    .map((row) =>
      formatTransaction(
        {
          ...row,
          account_name: nameOf(accounts, row.account_id),
          category_name: nameOf(categories, row.category_id),
        },
        context,
      ),
    );
}

/** Without what is deleted, and without internal categories, whose balances mean nothing to a person. */
function changedIn({ accounts, categories }: ChangedEntities) {
  return {
    accounts: accounts.filter(({ deleted }) => !deleted),
    categories: categories.filter((each) => !each.deleted && each.category_group_name !== INTERNAL_GROUP),
  };
}

interface Balance {
  readonly id: string;
  readonly name: string;
  readonly balance: number;
}

/** Without what else an account or a category has. */
export const balanceOf = ({ id, name, balance }: Balance): Balance => ({ id, name, balance });

function balancesOf(changed: ChangedEntities) {
  const { accounts, categories } = changedIn(changed);
  return { accounts: accounts.map(balanceOf), categories: categories.map(balanceOf) };
}

/** More are in the structured content. */
const MOST_LINES = 10;

export const limitLines = (lines: readonly string[], what: string) =>
  lines.length > MOST_LINES
    ? [...lines.slice(0, MOST_LINES), `… and ${lines.length - MOST_LINES} more ${what}.`]
    : lines;

function balanceLines(changed: ChangedEntities, { money }: TextContext): string[] {
  const { accounts, categories } = changedIn(changed);
  return [
    ...limitLines(
      accounts.map(({ name, balance }) => `Account ${quote(name)} has ${money(balance)} now.`),
      'accounts',
    ),
    ...limitLines(
      categories.map(({ name, balance }) => `Category ${quote(name)} has ${money(balance)} left this month.`),
      'categories',
    ),
  ];
}

/** The lines of what the service answered. */
export const formatData = ({ output }: Operation, data: Row, context: TextContext): string[] =>
  Object.entries(data).flatMap(([name, value]) => formatRows(output.shape[name], value, context));

const listOfRows = z.array(z.record(z.string(), z.unknown()));

/** What came back, row by row. */
function rowsIn({ batch = '' }: Operation, data: Row): Row[] {
  const list = listOfRows.safeParse(data[batch]);
  if (list.success) return list.data;
  return Object.values(data).filter(
    (value): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value),
  );
}

function ignoredIn(operation: Operation, input: Row, data: Row): string[] {
  const { batch = '' } = operation;
  const rows = rowsIn(operation, data);
  const list = listOfRows.safeParse(input[batch]);
  if (!list.success) {
    const fields = Object.entries(input).filter(([name]) => !operation.route.includes(`{${name}}`));
    return rows[0] ? ignoredFields(Object.fromEntries(fields), rows[0]) : [];
  }
  // Where some were duplicates, which row became which cannot be told by position.
  if (list.data.length !== rows.length) return [];
  return list.data.flatMap((sent, index) => {
    const found = rows.find(({ id }) => id === sent['id']) ?? rows[index];
    return found ? ignoredFields(sent, found).map((name) => `${batch}.${index}.${name}`) : [];
  });
}
