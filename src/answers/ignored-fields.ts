/** Finds the fields of a write that the service ignored, by comparing what was sent with the rows of the response. */
import type { JsonObject } from '../base/json.ts';
import { ignoredFields } from '../model/bookkeeping/matching.ts';
import type { Operation } from '../operations/operation.ts';
import { type Row, rowsOf } from './fit-rows.ts';

export interface IgnoredFields {
  /** The paths of the fields, such as `transactions.0.category_id`. */
  readonly ignored: readonly string[];
  /** The ids of the rows of the response that differ from what was sent. */
  readonly ids: ReadonlySet<string>;
}

/** `found` are the rows of the response. */
export function ignoredIn(operation: Operation, input: JsonObject, found: readonly Row[]): IgnoredFields {
  const { batch = '', route } = operation;
  const sent = rowsOf(input[batch]);
  if (!sent) {
    const fields = Object.entries(input).filter(([name]) => !route.includes(`{${name}}`));
    return { ignored: found[0] ? ignoredFields(Object.fromEntries(fields), found[0]) : [], ids: new Set() };
  }
  const results = resultsOf(operation, sent, found);
  const ids = new Set<string>();
  const ignored = sent.flatMap((row, index) => {
    const result = results[index];
    // A later row about the same transaction may replace the value.
    const isReplaced = (name: string) =>
      sent.some((later, at) => at > index && results[at] === result && name in later);
    const names = result ? ignoredFields(row, result).filter((name) => !isReplaced(name)) : [];
    if (names.length > 0) ids.add(String(result?.['id']));
    return names.map((name) => `${batch}.${index}.${name}`);
  });
  return { ignored, ids };
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
