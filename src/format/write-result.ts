/**
 * What there is to tell of a write beyond the service's answer: whether it is certain, what it changed around it, what
 * the service did not take over.
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

/** Of a read there is nothing to tell. */
export function formatWriteResult(
  operation: Operation,
  input: Row,
  answer: CallResult<Row>,
  prose: TextContext,
): FormattedWrite {
  const { outcome, changed, data, possibleDuplicates = [], earlier_call } = answer;
  if (outcome === undefined) return { fields: {}, lines: [] };
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
    lines: [
      headline(outcome, data, earlier_call),
      ...(outcome === 'confirmed_afterwards' && canBeCreatedTwice(operation, data) ? [LATE_DELIVERY] : []),
      ...(changed ? formatImportedRows(data, changed, prose) : []),
      ...(duplicates.length > 0
        ? [`Not created again, since the account has their import_id: ${duplicates.join(', ')}.`]
        : []),
      ...(ignored.length > 0 ? [`The service did not take over: ${ignored.join(', ')}.`] : []),
      ...(possibleDuplicates.length > 0
        ? [
            `The budget has more entries just like it since then: ${possibleDuplicates.map(word).join(', ')}. If that was not meant, one is to be deleted.`,
          ]
        : []),
      ...(changed ? balanceLines(changed, prose) : ['What it changed around it could not be read.']),
    ],
  };
}

function headline(
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
const canBeCreatedTwice = ({ kind }: Operation, data: Row) =>
  kind === 'create' && rowsIn(data).some((row) => !row['import_id']);

const listIn = (data: Row, key: string): unknown[] => {
  const list = data[key];
  return Array.isArray(list) ? list : [];
};

/** Of an import the service sends ids only; the rows stand among what has changed. */
function formatImportedRows(
  data: Row,
  { accounts, categories, transactions }: ChangedEntities,
  prose: TextContext,
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
        prose,
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

/** For the structured content, in currency units. */
export const balanceInUnits = ({ id, name, balance }: Balance) => ({
  id,
  name,
  balance: toCurrencyUnits(balance),
});

function balancesOf(changed: ChangedEntities) {
  const { accounts, categories } = changedIn(changed);
  return { accounts: accounts.map(balanceInUnits), categories: categories.map(balanceInUnits) };
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

/** What came back, row by row. */
function rowsIn(data: Row): Row[] {
  const rows = Object.values(data).filter((value) => typeof value === 'object' && value !== null);
  const list = data['transactions'];
  return Array.isArray(list) ? list : rows.filter((value): value is Row => !Array.isArray(value));
}

function ignoredIn(operation: Operation, input: Row, data: Row): string[] {
  const rows = rowsIn(data);
  const list = input['transactions'];
  if (!Array.isArray(list)) {
    const fields = Object.entries(input).filter(([name]) => !operation.route.includes(`{${name}}`));
    return rows[0] ? ignoredFields(Object.fromEntries(fields), rows[0]) : [];
  }
  // Where some were duplicates, which row became which cannot be told by position.
  if (list.length !== rows.length) return [];
  return list.flatMap((sent: Row, index) => {
    const found = rows.find(({ id }) => id === sent['id']) ?? rows[index];
    return found ? ignoredFields(sent, found).map((name) => `transactions.${index}.${name}`) : [];
  });
}
