/**
 * Whether something in the budget is what a write was to make of it: how a write whose answer was lost is recognised.
 * It is strict about what the service keeps as it was sent, and lenient where the service decides otherwise: a creation
 * that is not recognised would be reported as not written. It knows the fields of the interface, and neither requests nor operations.
 */
type Fields = Readonly<Record<string, unknown>>;

/**
 * The fields of an update that `found` does not show, other than those that a split keeps; undefined where it shows none
 * of them, or is deleted: then nothing tells that the update was carried out.
 */
export function differences(sent: Fields, found: Fields): string[] | undefined {
  const fields = effectiveFields(sent);
  const names = Object.keys(fields);
  const differing = names.filter((name) => !fieldMatches(name, fields[name], found[name]));
  if (found['deleted'] === true || (names.length > 0 && differing.length === names.length)) return undefined;
  return differing.filter((name) => !isKeptBySplit(name, found));
}

/** `found` is as an update has left it, whoever made it so. `ignored` names fields that the service does not take over. */
export const matches = (sent: Fields, found: Fields, ignored: readonly string[] = []): boolean =>
  differences(sent, found)?.every((name) => ignored.includes(name)) ?? false;

/** A split that exists keeps these, whatever an update says (specification, Transaction). */
const isKeptBySplit = (name: string, found: Fields) =>
  (isSplit(found) && KEPT_BY_SPLITS.has(name)) || isTransferOfSplit(name, found);

/** The payee of a split cannot be an account: it has none then. */
const isTransferOfSplit = (name: string, found: Fields) =>
  isSplit(found) && name === 'payee_id' && found['payee_id'] === null;

const KEPT_BY_SPLITS: ReadonlySet<string> = new Set(['date', 'amount', 'category_id', 'subtransactions']);

/** What a new transaction has where nothing else was said. */
const DEFAULTS = {
  payee_id: null,
  memo: null,
  flag_color: null,
  cleared: 'uncleared',
  approved: false,
  import_id: null,
};

/** `found` is the transaction that was to be created, by the user and not as an import. */
export function matchesCreated(sent: Fields, found: Fields): boolean {
  const { category_id, cleared, approved, ...rest } = effectiveFields(sent);
  // An import of the bank that is matched to it has its say in whatever was left open.
  const isMatched = typeof found['matched_transaction_id'] === 'string';
  const open = { ...DEFAULTS, ...effectiveFields({ cleared, approved }) };
  const fields = effectiveFields({
    ...(!isMatched && open),
    ...rest,
    ...(!isSplit(found) && { category_id }),
  });
  return (
    found['deleted'] !== true &&
    isSplit(sent) === isSplit(found) &&
    Object.keys(fields).every(
      (name) =>
        fieldMatches(name, fields[name], found[name]) ||
        // A category is ignored in transfers, on tracking accounts, and where it is a credit card's.
        (name === 'category_id' && found[name] === null) ||
        isTransferOfSplit(name, found),
    )
  );
}

/**
 * `found` came of that import. An import id is unique in its account; the rest may be that of an entry which the import
 * was matched to.
 */
export function matchesImported(sent: Fields, found: Fields): boolean {
  return (
    found['deleted'] !== true &&
    found['import_id'] === sent['import_id'] &&
    found['account_id'] === sent['account_id']
  );
}

/** What of an input has a say: a payee's name only without its id, a blank one never. */
function effectiveFields({ payee_id, payee_name, ...rest }: Fields): Fields {
  const isNamed = typeof payee_name === 'string' && payee_name.trim() !== '';
  const payee = typeof payee_id === 'string' ? { payee_id } : isNamed ? { payee_name } : { payee_id };
  return Object.fromEntries(Object.entries({ ...rest, ...payee }).filter(([, value]) => value !== undefined));
}

function fieldMatches(name: string, value: unknown, actual: unknown): boolean {
  if (isNothing(value)) return isNothing(actual);
  if (name === 'payee_name') return textOf(value).toLowerCase() === textOf(actual).toLowerCase();
  if (name === 'subtransactions') return amounts(value) === amounts(actual);
  return actual === value || (typeof value === 'string' && textOf(value) === textOf(actual));
}

const isNothing = (value: unknown) => value === undefined || value === null || value === '';

/** Unicode writes some characters in two ways; spaces around a name are nobody's intent. */
const textOf = (value: unknown) => (typeof value === 'string' ? value.normalize().trim() : '');

const isSplit = ({ subtransactions: legs }: Fields) => Array.isArray(legs) && legs.length > 0;

function amounts(legs: unknown): string {
  if (!Array.isArray(legs)) return '';
  return legs
    .map((leg: { amount?: unknown }) => String(leg.amount))
    .sort()
    .join();
}

/**
 * For each of `sent` one of `found`, none of them twice; undefined only where that is impossible. What fits several may
 * have to give way to what fits fewer.
 */
export function matchOneToOne<Found extends Fields>(
  sent: readonly Fields[],
  found: readonly Found[],
  matches: (sent: Fields, found: Found) => boolean,
): Found[] | undefined {
  /** By place in `found`, the place in `sent` that has it. */
  const taken = new Map<number, number>();
  const fits = (each: number, at: number) => {
    const [wanted, candidate] = [sent[each], found[at]];
    return wanted !== undefined && candidate !== undefined && matches(wanted, candidate);
  };
  const take = (each: number, seen: Set<number>): boolean => {
    const free = found.findIndex((_, at) => !taken.has(at) && fits(each, at));
    if (free !== -1) {
      taken.set(free, each);
      return true;
    }
    for (const [at, owner] of taken) {
      if (seen.has(at) || !fits(each, at)) continue;
      seen.add(at);
      if (!take(owner, seen)) continue;
      taken.set(at, each);
      return true;
    }
    return false;
  };
  if (!sent.every((_, each) => take(each, new Set()))) return undefined;
  const places = new Map([...taken].map(([at, each]) => [each, at]));
  return sent.flatMap((_, each) => {
    const row = found[places.get(each) ?? -1];
    return row === undefined ? [] : [row];
  });
}

/** The names of the fields that were sent and that the service did not take over. */
export function ignoredFields(sent: Fields, found: Fields): string[] {
  const fields = effectiveFields(sent);
  return Object.keys(fields).filter((name) => {
    const value = fields[name];
    const actual = name === 'date' && !('date' in found) ? found['date_next'] : found[name];
    if (!(name in found) && name !== 'date') return false;
    return !fieldMatches(name, value, actual);
  });
}

/** What tells two entries, two plans or two accounts apart. */
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
];

/** What else has come in beside `written` that looks the same: a request that was delivered twice, or a coincidence. */
export function possibleDuplicatesOf(written: readonly Fields[], changed: readonly Fields[]): string[] {
  const own = new Set(written.map(({ id }) => id));
  return changed
    .filter(({ id, deleted }) => !deleted && !own.has(id))
    .filter((other) => written.some((row) => IDENTITY_FIELDS.every((name) => row[name] === other[name])))
    .map(({ id }) => String(id));
}
