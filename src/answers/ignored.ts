/** Finds what the service ignores of a write, and says what to do where that is because a split stays as it is. */
import type { JsonObject } from '../base/json.ts';
import { refersTo } from '../model/bookkeeping/entry-key.ts';
import { ignoredFields } from '../model/bookkeeping/matching.ts';
import type { Operation } from '../operations/operation.ts';
import { type Row, rowsOf } from './fit-rows.ts';

/** True if the service ignores all that an update says. `ignored` are the paths of the ignored fields. */
export function changesNothing(operation: Operation, input: JsonObject, ignored: readonly string[]): boolean {
  const { batch = '', kind } = operation;
  if (kind !== 'update' || ignored.length === 0) return false;
  const rows = rowsOf(input[batch]);
  const paths = rows
    ? rows.flatMap(({ id: _, import_id: __, ...row }, index) =>
        Object.keys(row).map((name) => `${batch}.${index}.${name}`),
      )
    : Object.keys(ownFields(operation, input));
  return paths.every((path) => ignored.includes(path));
}

/** The fields of the input that say what is written. */
const ownFields = ({ route }: Operation, input: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(input).filter(([name]) => !route.includes(`{${name}}`)));

/** An existing split keeps them (docs/interface.md, Transaction). */
const KEPT_BY_SPLIT = ['date', 'amount', 'category_id', 'subtransactions'];

const isSplit = ({ subtransactions }: Row) => Array.isArray(subtransactions) && subtransactions.length > 0;

/** True if the fields are ignored because `row` was split already. */
const isKeptSplit = (sent: Row, row: Row, names: readonly string[]): boolean =>
  isSplit(row) &&
  names.some((name) => KEPT_BY_SPLIT.includes(name)) &&
  (!isSplit(sent) || names.includes('subtransactions'));

/** Those of the things as they are now, `current`, of which an update would be ignored because they are split. */
export function keptSplitsIn(
  operation: Operation,
  input: JsonObject,
  {
    current,
    ignored = [],
  }: { readonly current: JsonObject; readonly ignored?: readonly string[] | undefined },
): readonly Row[] {
  const { batch = '' } = operation;
  const rows = Object.values(current).flatMap((each) => rowsOf([each].flat()) ?? []);
  const sent = rowsOf(input[batch]);
  return rows.filter((row) => {
    const prefixes = sent?.flatMap((each, index) => (refersTo(each, row) ? [`${batch}.${index}.`] : [])) ?? [
      '',
    ];
    const names = KEPT_BY_SPLIT.filter((name) => prefixes.some((prefix) => ignored.includes(prefix + name)));
    return operation.kind === 'update' && isSplit(row) && names.length > 0;
  });
}

/** How a split is changed nevertheless. Deleting one that came from the bank would cut it from its import. */
export function splitLines(splits: readonly Row[]): string[] {
  if (splits.length === 0) return [];
  const isFromBank = ({ import_id, matched_transaction_id: matched }: Row) => Boolean(import_id ?? matched);
  const own = splits.some((row) => !isFromBank(row));
  const ofBank = splits.some(isFromBank);
  return [
    'A split keeps its date, amount, category and legs.',
    ...(own ? ['To change one that was entered by hand, delete it and enter it again.'] : []),
    ...(ofBank
      ? [
          'To change one that came from the bank, the user un-splits it in the app (select it, choose a category in place of the split, confirm); then it can be changed and split here. Do not delete it: it would lose its import.',
        ]
      : []),
  ];
}

/**
 * The paths of the fields that the service ignored, such as `transactions.0.category_id`, by comparing what was sent with `found`,
 * the rows of the response. `ids` are those of the rows that differ from what was sent, `splits` those that stay as they were
 * split.
 */
export function ignoredIn(operation: Operation, input: JsonObject, found: readonly Row[]) {
  const { batch = '', kind } = operation;
  const sent = rowsOf(input[batch]);
  const ids = new Set<string>();
  const splits: Row[] = [];
  const compare = (row: Row, result: Row, names: readonly string[]) => {
    if (names.length > 0) ids.add(String(result['id']));
    if (kind === 'update' && isKeptSplit(row, result, names)) splits.push(result);
  };
  if (!sent) {
    const [row] = found;
    const fields = ownFields(operation, input);
    const ignored = row ? ignoredFields(fields, row) : [];
    if (row) compare(fields, row, ignored);
    return { ignored, ids, splits };
  }
  const results = resultsOf(operation, sent, found);
  const ignored = sent.flatMap((row, index) => {
    const result = results[index];
    // A later row about the same transaction may replace the value.
    const isReplaced = (name: string) =>
      sent.some((later, at) => at > index && results[at] === result && name in later);
    const names = result ? ignoredFields(row, result).filter((name) => !isReplaced(name)) : [];
    if (result) compare(row, result, names);
    return names.map((name) => `${batch}.${index}.${name}`);
  });
  return { ignored, ids, splits };
}

/**
 * The row of the response for each row that was sent. The service skips imports that exist already, and merges rows
 * about the same transaction, so that positions count only for new rows without `import_id`. Undefined where it is not
 * certain which row it is.
 */
function resultsOf(
  { kind }: Operation,
  sent: readonly Row[],
  found: readonly Row[],
): readonly (Row | undefined)[] {
  const withoutKey = sent.filter(({ id, import_id }) => id === undefined && !import_id);
  const candidates = found.filter(({ import_id }) => !import_id);
  const isSameNumber = withoutKey.length === candidates.length;
  return sent.map((row) => {
    const { id, import_id, account_id } = row;
    if (id !== undefined) return found.find((each) => each['id'] === id);
    if (!import_id) return isSameNumber ? candidates[withoutKey.indexOf(row)] : undefined;
    const imported = found.filter((each) => each['import_id'] === import_id);
    const ofAccount = imported.find((each) => each['account_id'] === account_id);
    // An update may leave the account out, or move the transaction to it.
    return ofAccount ?? (kind === 'update' && imported.length === 1 ? imported[0] : undefined);
  });
}
