/** What the ledger shows of a write: how often it was carried out, completely or not at all. */
import type { Books, Row, Transaction } from './service-observer.helper.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface Seen {
  /** The ids that it created. Empty for an update and a deletion. */
  readonly made: readonly string[];
  /** The number of entities that it creates if it is carried out once. */
  readonly size: number;
  /** Whether the ledger is in the state after the write, carried out completely once or more. */
  readonly isDone: boolean;
  /** What else it may have changed. */
  readonly touched: readonly string[];
}

export interface Entry extends Fields {
  readonly account_id: string;
  readonly date: string;
  readonly amount: number;
  readonly memo?: string | undefined;
  readonly import_id?: string;
}

export const newIn = (before: ReadonlyMap<string, Row>, after: ReadonlyMap<string, Row>) =>
  [...after.keys()].filter((id) => !before.has(id));

const looks = (row: Fields) =>
  JSON.stringify([row['account_id'], row['date'], row['amount'], String(row['memo'] ?? '').trim()]);

function counts(rows: readonly Fields[]): Map<string, number> {
  const counted = new Map<string, number>();
  for (const row of rows) counted.set(looks(row), (counted.get(looks(row)) ?? 0) + 1);
  return counted;
}

export function seenCreation(sent: readonly Entry[], before: Books, after: Books): Seen {
  const entered = sent.filter((row) => row.import_id === undefined);
  const importIds = new Set(sent.flatMap(({ import_id }) => import_id ?? []));
  const fresh = newIn(before.transactions, after.transactions).flatMap(
    (id) => after.transactions.get(id) ?? [],
  );
  const otherSides = new Set(
    fresh.filter((row) => Number(row['amount']) < 0).map((row) => row.transfer_transaction_id),
  );
  // A created entry may have been matched at once to an import of the same request.
  const isEntered = (row: Transaction) => row.import_id === null || row['matched_transaction_id'] !== null;
  const made = fresh.filter((row) => isEntered(row) && !otherSides.has(row.id));
  const times = entered.length === 0 ? 0 : made.length / entered.length;
  const [wanted, found] = [counts(entered), counts(made)];
  const whole = [...wanted].every(([look, count]) => found.get(look) === count * times);
  const live = [...after.transactions.values()].filter(({ import_id }) => importIds.has(import_id ?? ''));
  const places = live.map(({ account_id, import_id }) => `${account_id} ${import_id}`);
  const imported = sent.every(
    ({ account_id, import_id }) =>
      import_id === undefined || places.filter((each) => each === `${account_id} ${import_id}`).length === 1,
  );
  return {
    made: made.map(({ id }) => id),
    size: entered.length,
    isDone: imported && (entered.length === 0 ? made.length === 0 : times >= 1 && whole),
    touched: live.map(({ id }) => id),
  };
}

/** For entities that are created one by one and recognised by their fields. */
export function seenMade(
  before: ReadonlyMap<string, Row>,
  after: ReadonlyMap<string, Row>,
  sent: Fields,
): Seen {
  const made = newIn(before, after);
  return {
    made,
    size: 1,
    isDone: made.length > 0 && made.every((id) => shows(after.get(id), sent)),
    touched: [],
  };
}

export const seenChange = (isDone: boolean, touched: readonly (string | null)[] = []): Seen => ({
  made: [],
  size: 0,
  isDone,
  touched: touched.flatMap((id) => id ?? []),
});

/** Blank and missing text are equal here, and so are the two encodings of an accent. */
const plain = (value: unknown) =>
  typeof value === 'string' ? value.normalize().trim() || null : (value ?? null);

export const shows = (row: Row | undefined, sent: Fields) =>
  row !== undefined &&
  Object.entries(sent).every(([name, value]) => value === undefined || plain(row[name]) === plain(value));

/** True if nothing changed. */
export const isUntouched = (before: Books, after: Books) =>
  (['accounts', 'payees', 'categories', 'transactions', 'scheduled', 'budgeted'] as const).every(
    (kind) =>
      before[kind].size === after[kind].size &&
      [...after[kind]].every(([id, row]) => before[kind].get(id) === row),
  );

/** The earlier transactions that were changed or deleted. */
export const changedIn = (before: Books, after: Books) =>
  [...before.transactions].flatMap(([id, row]) => (after.transactions.get(id) === row ? [] : [id]));
