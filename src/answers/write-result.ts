/**
 * Formats the result of a write: its outcome, the new balances, fields that the service ignored, and possible
 * duplicates.
 */
import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../base/json.ts';
import { milliunits } from '../base/schema/fields.ts';
import { isInternalCategory, isPaymentCategory } from '../model/bookkeeping/own-categories.ts';
import type { Operation } from '../operations/operation.ts';
import type { CallResult, ChangedEntities } from '../session/call-result.ts';
import { batchSummary, fitWritten, MAX_LISTED, summarizeBatch } from './batch-summary.ts';
import { type Row, rowsOf } from './fit-rows.ts';
import { changesNothing, ignoredIn, splitLines } from './ignored.ts';
import { readyToAssign } from './ready-to-assign.ts';
import { reconciledData, reconciledField, reconciledLines } from './reconciled.ts';
import { formatRows } from './rows.ts';
import { firstOf, joinWords, present, quote, type TextContext, type TextPart, word } from './text.ts';
import { formatTransaction } from './transactions.ts';

const balance = z.object({ id: z.string(), name: z.string(), balance: milliunits });
type Balance = Readonly<z.output<typeof balance>>;

/** The fields that the result of a write has in addition to its data. The data of a dry run is the current state. */
export const writeFields = {
  outcome: z.enum(['written', 'confirmed_afterwards', 'dry_run']),
  /** Of a write of many transactions. The data then has only the first of them. */
  summary: batchSummary.optional(),
  /** If an equal earlier call has written this, the time of that call. Nothing was sent now. */
  earlier_call: z.string().optional(),
  /** Of such a call: what has written the same things since, so that the data is from before that. */
  overtaken: z.string().optional(),
  /** The balances after the write. A dry run predicts them. */
  balances: z.object({ accounts: z.array(balance), categories: z.array(balance) }).optional(),
  ignored: z.array(z.string()).optional(),
  possible_duplicates: z.array(z.string()).optional(),
  ...reconciledField,
  problems: z.array(z.string()).optional(),
  /** For a dry run: the names of accounts and categories whose balances cannot be predicted. */
  unpredictable_balances: z.array(z.string()).optional(),
  ready_to_assign: readyToAssign.optional(),
  would_send: z.object({ route: z.string(), input: z.record(z.string(), z.unknown()) }).optional(),
};

export interface FormattedWrite {
  /** The fields in addition to the data of the service, with amounts in milliunits. */
  readonly fields: JsonObject;
  /** The outcome of the write. The lines of the service's data follow it. */
  readonly headline: string;
  readonly lines: readonly string[];
  /** Replaces the lines of the service's data. */
  readonly dataLines?: readonly string[];
}

/** `input` is the input that was sent. `today` is the person's day. */
export function formatWriteResult(
  operation: Operation,
  input: JsonObject,
  result: CallResult<JsonObject>,
  context: TextContext,
  today: string,
): FormattedWrite {
  const { outcome = 'written', changed, data, possibleDuplicates = [], reconciled = [] } = result;
  const rows = rowsIn(operation, data);
  const { ignored, differing, isNothing, notices } = noticesOf(operation, input, result, context);
  const imported = rows.length === 0 && changed ? importedRows(data, changed) : [];
  const isMass = rows.length + imported.length > MAX_LISTED;
  const batch = isMass ? summarizeBatch([...rows, ...imported], differing, context) : undefined;
  const duplicates = listIn(data, 'duplicate_import_ids').map((id) => quote(String(id)));
  return {
    fields: {
      ...outcomeFields(result),
      ...(batch && { summary: batch.summary }),
      ...(batch && operation.batch !== undefined && { [operation.batch]: batch.shown }),
      ...(changed && { balances: newBalances(changed) }),
      ...(ignored.length > 0 && { ignored }),
      ...(possibleDuplicates.length > 0 && { possible_duplicates: possibleDuplicates }),
      ...reconciledData(reconciled),
    },
    headline: isNothing ? `Nothing was changed: the service ignored ${listed(ignored)}.` : headlineOf(result),
    ...(batch && { dataLines: batch.lines }),
    lines: present([
      canBeCreatedTwice(operation, data) && lateDeliveryLine(outcome),
      ...(batch ? [] : imported.map((row) => formatTransaction(row, context))),
      duplicates.length > 0 &&
        `Not created again, since the account has their import_id: ${listed(duplicates)}.`,
      operation.kind === 'create' &&
        [...rows, ...imported].some(({ approved }) => approved === false) &&
        '"unapproved": it counts in all balances, and waits for approval by the user.',
      !isNothing && ignoredLine('The service ignored', ignored),
      ...notices,
      ...(changed ? overspentLines(changed, today, [...rows, ...imported], context) : []),
      ...(changed ? balanceLines(changed, context) : [unreadLine(operation, result)]),
    ]),
  };
}

/**
 * What the service did not carry out, with the ids of the rows that differ from what was sent, and the sentences that the view
 * of the write has as well as its answer.
 */
export function noticesOf(
  operation: Operation,
  input: JsonObject,
  { data, earlier_call, possibleDuplicates = [], reconciled = [] }: CallResult<JsonObject>,
  context: Pick<TextContext, 'reference' | 'money'>,
) {
  const { ignored, ids: differing, splits } = ignoredIn(operation, input, rowsIn(operation, data));
  return {
    ignored,
    differing,
    isNothing: earlier_call === undefined && changesNothing(operation, input, ignored),
    notices: present([
      ...splitLines(splits),
      duplicateLine(possibleDuplicates, 'take this one back with undo, or delete one of them'),
      ...reconciledLines(reconciled, 'has moved', context),
    ]),
  };
}

export const unreadLine = (operation: Operation, result: CallResult<JsonObject>): TextPart =>
  unread(result, canBeCreatedTwice(operation, result.data));

/** Where the budget could not be read after the write, no second delivery of it can be seen either. An earlier outcome may have come without balances. */
export const unread = ({ earlier_call }: Outcome, mayBeTwice: boolean): TextPart =>
  earlier_call === undefined &&
  (mayBeTwice
    ? 'The new balances could not be read, and it is not known whether it was entered twice on the way: look for a second one.'
    : 'The new balances could not be read.');

/** `remedy` completes "If that is not intended, …". */
export const duplicateLine = (ids: readonly string[], remedy: string): TextPart =>
  ids.length > 0 &&
  `This may be a second one: the budget has other entries that look the same: ${listed(ids.map(word))}. If that is not intended, ${remedy}.`;

type Outcome = Pick<CallResult<JsonObject>, 'data' | 'outcome' | 'earlier_call' | 'overtaken'>;

/** How a write ended, for the data of its answer. */
export const outcomeFields = ({ outcome = 'written', earlier_call, overtaken }: Outcome) => ({
  outcome,
  ...(earlier_call !== undefined && { earlier_call }),
  ...(overtaken !== undefined && { overtaken }),
});

/** How a write ended, in sentences. `written` says in words that it was carried out. */
export function headlineOf(
  { data, outcome = 'written', earlier_call, overtaken }: Outcome,
  written = 'Written',
): string {
  if (earlier_call !== undefined)
    return joinWords(
      `${written} already by your equal call of ${earlier_call}, whose outcome did not reach you.`,
      overtaken !== undefined && `${overtaken} What follows is from before that.`,
      'Nothing was sent now: call again to do it once more.',
    );
  if ('transaction_ids' in data && listIn(data, 'transaction_ids').length === 0)
    return 'There was nothing new to write.';
  return outcome === 'written'
    ? `${written}.`
    : `${written}: the service did not confirm it, but the budget shows the change.`;
}

/** The service may carry out a request until 30 s after it was sent (docs/interface.md, Limits), wherever it was repeated. */
export const lateDeliveryLine = (outcome: CallResult<JsonObject>['outcome']): TextPart =>
  outcome === 'confirmed_afterwards' &&
  'Its request was disturbed on the way, and may arrive a second time until 30 s after it was sent: tell the user. Whether it was entered twice shows only after that.';

/** The service takes an `import_id` once. */
const canBeCreatedTwice = (operation: Operation, data: JsonObject) =>
  operation.kind === 'create' && rowsIn(operation, data).some((row) => !row['import_id']);

const listIn = (data: JsonObject, key: string): unknown[] => {
  const list = data[key];
  return Array.isArray(list) ? list : [];
};

/** The service's response to an import contains ids only. The rows are in the changed entities. */
function importedRows(data: JsonObject, { accounts, categories, transactions }: ChangedEntities): Row[] {
  const ids = new Set(listIn(data, 'transaction_ids'));
  const nameOf = (rows: readonly Balance[], id: string | null) => rows.find((row) => row.id === id)?.name;
  return transactions
    .filter(({ id }) => ids.has(id))
    .map((row) => ({
      ...row,
      account_name: nameOf(accounts, row.account_id),
      category_name: nameOf(categories, row.category_id),
    }));
}

/** Leaves out deleted entities, and internal categories, whose balances mean nothing to users. */
function visibleChanges({ accounts, categories }: ChangedEntities) {
  return {
    accounts: accounts.filter(({ deleted }) => !deleted),
    categories: categories.filter(isVisible),
  };
}

const isVisible = (category: ChangedEntities['categories'][number]) =>
  !category.deleted && !isInternalCategory(category);

const balanceOf = ({ id, name, balance }: Balance): Balance => ({ id, name, balance });

export function newBalances(changed: ChangedEntities) {
  const { accounts, categories } = visibleChanges(changed);
  return { accounts: accounts.map(balanceOf), categories: categories.map(balanceOf) };
}

const MAX_LINES = 10;

export const ignoredLine = (label: string, paths: readonly string[]): TextPart =>
  paths.length > 0 && `${label}: ${listed(paths)}.`;

/** The first ten, and the number of the others. */
export const listed = (texts: readonly string[]) => firstOf(texts, MAX_LINES).join(', ');

export const limitLines = (lines: readonly string[], what: string) =>
  lines.length > MAX_LINES
    ? [...lines.slice(0, MAX_LINES), `… and ${lines.length - MAX_LINES} more ${what}.`]
    : lines;

/** The overspent categories in the months of the rows: the list of balances may be cut, and is of this month only. */
function overspentLines(
  { categories, months = [] }: ChangedEntities,
  today: string,
  rows: readonly Row[],
  context: TextContext,
): string[] {
  const dated = new Set(rows.map(({ date }) => String(date).slice(0, 7)));
  const others = months.filter(({ month }) => month.slice(0, 7) !== today.slice(0, 7));
  return [...others, { month: today, categories }].flatMap((each) => {
    const month = each.month.slice(0, 7);
    const overspent = each.categories.filter(
      (category) => category.balance < 0 && isVisible(category) && !isPaymentCategory(category),
    );
    if (overspent.length === 0 || !dated.has(month)) return [];
    const balances = overspent.map(
      ({ id, name, balance }) => `${context.withId('category', id, name)} ${context.money(balance)}`,
    );
    return [`Overspent in ${word(month)}: ${firstOf(balances, MAX_LINES).join(', ')}.`];
  });
}

export function balanceLines(changed: ChangedEntities, context: TextContext): string[] {
  const { money } = context;
  const { accounts, categories } = visibleChanges(changed);
  return [
    ...limitLines(
      accounts.map(
        ({ id, name, balance }) =>
          `Account ${context.withId('account', id, name)} has ${money(balance)} now.`,
      ),
      'accounts',
    ),
    ...limitLines(
      categories.map(
        (each) =>
          `Category ${context.withId('category', each.id, each.name)} has ${money(each.balance)} left this month${each.balance < 0 && isPaymentCategory(each) ? '; refunds to the card and overspending by card lower it' : ''}.`,
      ),
      'categories',
    ),
  ];
}

/** The lines of the service's data: of each list the first twenty that fit. */
export const formatData = ({ output }: Operation, data: JsonObject, context: TextContext): string[] =>
  Object.entries(data).flatMap(([name, value]) => {
    const schema = output.shape[name];
    const rows = (Array.isArray(value) ? value : [value]).filter(isJsonObject);
    const format = (row: Row) => formatRows(schema, Array.isArray(value) ? [row] : row, context).join('\n');
    const shown = fitWritten(rows, { context, format });
    const rest = rows.length - shown.rows.length;
    return present([...shown.lines, rest > 0 && `… and ${rest} more ${name.replaceAll('_', ' ')}.`]);
  });

const rowsIn = ({ batch = '' }: Operation, data: JsonObject): readonly Row[] =>
  rowsOf(data[batch]) ?? Object.values(data).filter(isJsonObject);
