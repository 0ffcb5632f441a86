/**
 * Formats the result of a write beyond the service's response: the outcome, the changed balances, and the fields
 * that the service ignored.
 */
import type { CallResult, ChangedEntities } from '../client/call-result.ts';
import { INTERNAL_GROUP } from '../operations/categories.ts';
import { ignoredFields } from '../operations/matching.ts';
import type { Operation } from '../operations/operation.ts';
import type { Row } from './paging.ts';
import { quote, type TextContext, word } from './text.ts';
import { formatTransaction } from './transactions.ts';
import { toCurrencyUnits } from './units.ts';

export interface FormattedWrite {
  /** For the structured content, in currency units. */
  readonly fields: Row;
  /** For the text. */
  readonly lines: readonly string[];
}

/** Empty for a read. */
export function formatWriteResult(
  operation: Operation,
  input: Row,
  result: CallResult<Row>,
  context: TextContext,
): FormattedWrite {
  const { outcome, changed, data, possibleDuplicates = [], earlier_call } = result;
  if (outcome === undefined) return { fields: {}, lines: [] };
  const ignored = ignoredFieldsOf(operation, input, data);
  const duplicates = listIn(data, 'duplicate_import_ids').map((id) => quote(String(id)));
  return {
    fields: {
      outcome,
      ...(earlier_call !== undefined && { earlier_call }),
      ...(changed && { balances: balancesOf(changed) }),
      ...(ignored.length > 0 && { ignored }),
      ...(possibleDuplicates.length > 0 && { possible_duplicates: possibleDuplicates }),
    },
    lines: [
      headline(outcome, data, earlier_call),
      ...(changed ? formatImportedRows(data, changed, context) : []),
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

function headline(
  outcome: NonNullable<CallResult<Row>['outcome']>,
  data: Row,
  earlierCall: CallResult<Row>['earlier_call'],
): string {
  if (earlierCall !== undefined)
    return `Written already by your equal call of ${earlierCall}, whose outcome did not reach you. Nothing was sent now: call again to do it once more.`;
  if ('transaction_ids' in data && listIn(data, 'transaction_ids').length === 0)
    return 'There was nothing new to write.';
  return outcome === 'written'
    ? 'Written.'
    : 'Written: the service did not say so, but the budget shows that it has happened.';
}

const listIn = (data: Row, key: string): unknown[] => {
  const list = data[key];
  return Array.isArray(list) ? list : [];
};

/** The response to an import contains ids only. The rows are among the changed transactions. */
function formatImportedRows(
  data: Row,
  { accounts, categories, transactions }: ChangedEntities,
  context: TextContext,
): string[] {
  if (rowsIn(data).length > 0) return [];
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

/** Omits deleted entities and internal categories, whose balances mean nothing to a user. */
function visibleChanges({ accounts, categories }: ChangedEntities) {
  return {
    accounts: accounts.filter(({ deleted }) => !deleted),
    categories: categories.filter(
      (category) => !category.deleted && category.category_group_name !== INTERNAL_GROUP,
    ),
  };
}

interface Balance {
  readonly id: string;
  readonly name: string;
  readonly balance: number;
}

/** For the structured content, in currency units. */
export const balanceInUnits = ({ id, name, balance }: Balance) => ({
  id,
  name,
  balance: toCurrencyUnits(balance),
});

function balancesOf(changed: ChangedEntities) {
  const { accounts, categories } = visibleChanges(changed);
  return { accounts: accounts.map(balanceInUnits), categories: categories.map(balanceInUnits) };
}

/** The text shows this many lines. The structured content has all. */
const MAX_LINES = 10;

export const limitLines = (lines: readonly string[], noun: string) =>
  lines.length > MAX_LINES
    ? [...lines.slice(0, MAX_LINES), `… and ${lines.length - MAX_LINES} more ${noun}.`]
    : lines;

function balanceLines(changed: ChangedEntities, { money }: TextContext): string[] {
  const { accounts, categories } = visibleChanges(changed);
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

/** The rows of the response. */
function rowsIn(data: Row): Row[] {
  const rows = Object.values(data).filter((value) => typeof value === 'object' && value !== null);
  const list = data['transactions'];
  return Array.isArray(list) ? list : rows.filter((value): value is Row => !Array.isArray(value));
}

function ignoredFieldsOf(operation: Operation, input: Row, data: Row): string[] {
  const rows = rowsIn(data);
  const list = input['transactions'];
  if (!Array.isArray(list)) {
    const fields = Object.entries(input).filter(([name]) => !operation.route.includes(`{${name}}`));
    return rows[0] ? ignoredFields(Object.fromEntries(fields), rows[0]) : [];
  }
  // If duplicates were skipped, the rows of request and response cannot be paired by position.
  if (list.length !== rows.length) return [];
  return list.flatMap((sent: Row, index) => {
    const responseRow = rows.find(({ id }) => id === sent['id']) ?? rows[index];
    return responseRow ? ignoredFields(sent, responseRow).map((name) => `transactions.${index}.${name}`) : [];
  });
}
