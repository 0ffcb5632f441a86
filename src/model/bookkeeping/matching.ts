/**
 * Recognises the result of a write whose response was lost. The comparison is strict for fields that the service
 * stores as they were sent, and lenient where the service decides otherwise, because a creation that is not
 * recognised would be reported as not written.
 */
import { BudgetError } from '../../base/errors.ts';
import { normalized } from '../../base/fold.ts';
import { decodeHtml } from '../../base/html-text.ts';
import type { JsonObject } from '../../base/json.ts';
import { rhythmIn } from './goal-rhythm.ts';

/**
 * The fields of an update that `found` does not show, except those that a split keeps. Undefined if `found` shows
 * none of the fields or is deleted, because nothing then shows that the update was carried out.
 */
function differences(sent: JsonObject, found: JsonObject): string[] | undefined {
  const fields = effectiveFields(sent);
  const names = Object.keys(fields);
  const differing = names.filter((name) => !fieldMatches(name, fields[name], valueIn(found, name)));
  if (found['deleted'] === true || (names.length > 0 && differing.length === names.length)) return undefined;
  return differing.filter((name) => !isKeptBySplit(name, found));
}

/**
 * Whether `found` is in the state after the update, also if another person made it. The service does not store the
 * fields in `ignored`.
 */
export const matches = (sent: JsonObject, found: JsonObject, ignored: readonly string[] = []): boolean =>
  differences(sent, found)?.every((name) => ignored.includes(name)) ?? false;

/**
 * Whether all that was changed since, `found`, is in the state after the update. Throws `outcome_unknown` if it shows a part of the
 * update: the service may have ignored the rest, or somebody else has changed the entry.
 */
export function isUpdated(
  changed: readonly { readonly sent: JsonObject; readonly found: JsonObject }[],
): boolean {
  const differing = changed.map(({ sent, found }) => differences(sent, found));
  if (differing.every((each) => each === undefined)) return false;
  if (differing.every((each) => each?.length === 0)) return true;
  throw new BudgetError('outcome_unknown', 'It was changed, but not in all fields that were sent.');
}

/** An existing split keeps these fields in an update (docs/interface.md, Transaction). */
const isKeptBySplit = (name: string, found: JsonObject) =>
  (isSplit(found) && KEPT_BY_SPLITS.has(name)) || isTransferOfSplit(name, found);

/** A split cannot be a transfer, so the service removes such a payee. */
const isTransferOfSplit = (name: string, found: JsonObject) =>
  isSplit(found) && name === 'payee_id' && found['payee_id'] === null;

const KEPT_BY_SPLITS: ReadonlySet<string> = new Set(['date', 'amount', 'category_id', 'subtransactions']);

const DEFAULTS = {
  payee_id: null,
  memo: null,
  flag_color: null,
  cleared: 'uncleared',
  approved: false,
  import_id: null,
};

/** Whether `found` is the created transaction, for a creation by the user that is no import. */
export function matchesCreated(sent: JsonObject, found: JsonObject): boolean {
  const { category_id, cleared, approved, ...rest } = effectiveFields(sent);
  // An import that was matched to it may have set the fields that were absent.
  const isMatched = typeof found['matched_transaction_id'] === 'string';
  const defaults = { ...DEFAULTS, ...effectiveFields({ cleared, approved }) };
  const fields = effectiveFields({
    ...(!isMatched && defaults),
    ...rest,
    ...(!isSplit(found) && { category_id }),
  });
  return (
    found['deleted'] !== true &&
    isSplit(sent) === isSplit(found) &&
    Object.keys(fields).every(
      (name) =>
        fieldMatches(name, fields[name], found[name]) ||
        // The service ignores the category in transfers, on tracking accounts, and if it is a payment category.
        (name === 'category_id' && found[name] === null) ||
        isTransferOfSplit(name, found),
    )
  );
}

/**
 * Whether `found` is the result of the import. An import id is unique within its account. The other fields may be
 * those of a matched transaction.
 */
export function matchesImported(sent: JsonObject, found: JsonObject): boolean {
  return (
    found['deleted'] !== true &&
    found['import_id'] === sent['import_id'] &&
    found['account_id'] === sent['account_id']
  );
}

/** The fields that the service uses: `payee_name` only without `payee_id`, and never a blank name. */
function effectiveFields({ payee_id, payee_name, ...rest }: JsonObject): JsonObject {
  const hasName = typeof payee_name === 'string' && payee_name.trim() !== '';
  const payee = typeof payee_id === 'string' ? { payee_id } : hasName ? { payee_name } : { payee_id };
  return Object.fromEntries(Object.entries({ ...rest, ...payee }).filter(([, value]) => value !== undefined));
}

/** The value in `found` of a field that was sent, which may have another name there. Undefined if it has no such field. */
function valueIn(found: JsonObject, name: string): unknown {
  if (name === 'date' && !('date' in found)) return found['date_next'];
  return name === 'goal_frequency' ? rhythmIn(found) : found[name];
}

function fieldMatches(name: string, value: unknown, actual: unknown): boolean {
  if (isEmpty(value)) return isEmpty(actual);
  if (name === 'payee_name') return isSameText(textOf(value).toLowerCase(), textOf(actual).toLowerCase());
  if (name === 'subtransactions') return amounts(value) === amounts(actual);
  return actual === value || (typeof value === 'string' && isSameText(textOf(value), textOf(actual)));
}

/** What comes back was decoded, and what was sent is as a person wrote it. */
const isSameText = (sent: string, found: string) => sent === found || decodeHtml(sent) === found;

const isEmpty = (value: unknown) => value === undefined || value === null || value === '';

/** Unicode can encode some characters in two ways. Spaces around a name are not significant. */
const textOf = (value: unknown) => (typeof value === 'string' ? normalized(value).trim() : '');

const isSplit = ({ subtransactions: legs }: JsonObject) => Array.isArray(legs) && legs.length > 0;

function amounts(legs: unknown): string {
  if (!Array.isArray(legs)) return '';
  return legs
    .map((leg: { amount?: unknown }) => String(leg.amount))
    .sort()
    .join();
}

/**
 * Assigns a different row of `found` to each row of `sent`. Undefined only if that is impossible. An assigned row
 * may be reassigned to make room for another one.
 */
export function matchOneToOne<Found extends JsonObject>(
  sent: readonly JsonObject[],
  found: readonly Found[],
  matches: (sent: JsonObject, found: Found) => boolean,
): Found[] | undefined {
  const owners = new Map<Found, JsonObject>();
  /** Free ones first, so that most rows are assigned at once. */
  function* candidatesOf(row: JsonObject): Iterable<Found> {
    for (const candidate of found) if (!owners.has(candidate) && matches(row, candidate)) yield candidate;
    for (const candidate of owners.keys()) if (matches(row, candidate)) yield candidate;
  }
  // An equal row may be sent twice, as the same object.
  const rows = sent.map((row) => ({ ...row }));
  if (!rows.every((row) => assign(row, candidatesOf, owners))) return undefined;
  const assigned = new Map([...owners].map(([candidate, row]) => [row, candidate] as const));
  return rows.flatMap((row) => {
    const candidate = assigned.get(row);
    return candidate === undefined ? [] : [candidate];
  });
}

/**
 * Assigns one of its candidates to a row. A candidate that another row has is taken if that row can have another one (an augmenting
 * path in a bipartite graph). Changes `owners`. Those in `tried` are not tried, and the tried ones are added.
 */
function assign<Row, Candidate>(
  row: Row,
  candidatesOf: (row: Row) => Iterable<Candidate>,
  owners: Map<Candidate, Row>,
  tried = new Set<Candidate>(),
): boolean {
  for (const candidate of candidatesOf(row)) {
    if (tried.has(candidate)) continue;
    tried.add(candidate);
    const owner = owners.get(candidate);
    if (owner !== undefined && !assign(owner, candidatesOf, owners, tried)) continue;
    owners.set(candidate, row);
    return true;
  }
  return false;
}

/**
 * The names of the sent fields that the service did not store. A split has no category of its own, so that it is also
 * ignored if it should be removed (docs/interface.md, Transaction).
 */
export function ignoredFields(sent: JsonObject, found: JsonObject): string[] {
  const fields = effectiveFields(sent);
  return Object.keys(fields).filter((name) => {
    const value = fields[name];
    const actual = valueIn(found, name);
    if (actual === undefined && name !== 'date') return false;
    if (name === 'category_id' && isSplit(found)) return true;
    return !fieldMatches(name, value, actual);
  });
}

/** The fields that distinguish two entities. Groups, unlike payees, have the field `hidden`. */
const IDENTITY_FIELDS = [
  'account_id',
  'date',
  'date_next',
  'frequency',
  'amount',
  'memo',
  'payee_id',
  'category_id',
  'import_id',
  'name',
  'type',
  'balance',
  'category_group_id',
  'hidden',
];

const ENTRY_FIELDS = ['account_id', 'date', 'amount', 'payee_id'];

/** The ids of the transactions in `all` with the account, date, amount and payee of one in `written`, except itself. */
export const equalEntriesOf = (written: Rows, all: Rows) => idsOfEqual(written, all, ENTRY_FIELDS);

/** The ids of changed rows that equal one in `written`: from a request that was delivered twice, or a coincidence. */
export const possibleDuplicatesOf = (written: Rows, changed: Rows) =>
  idsOfEqual(
    written,
    changed.filter(({ deleted }) => !deleted),
    IDENTITY_FIELDS,
  );

type Rows = readonly JsonObject[];

function idsOfEqual(written: Rows, others: Rows, fields: readonly string[]): string[] {
  const keyOf = (row: JsonObject) => JSON.stringify(fields.map((name) => row[name]));
  const ids = new Set(written.map(({ id }) => id));
  const keys = new Set(written.map(keyOf));
  return others.filter((row) => !ids.has(row['id']) && keys.has(keyOf(row))).map(({ id }) => String(id));
}
