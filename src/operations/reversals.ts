/** How writes of one thing with few fields are taken back: categories, groups, payees and scheduled transactions. */
import { z } from 'zod';
import type { JsonObject } from '../base/json.ts';
import type { ReversalSource, TakeBack, Written } from './reversal.ts';

export const UNKNOWN_BEFORE = 'the budget was not cached, so what was there before is not known';

interface UpdateOf {
  readonly kind: string;
  readonly operation: string;
  /** The arguments that say what is changed. */
  readonly key: JsonObject;
  readonly label: JsonObject;
  /** The fields that can be written. */
  readonly fields: readonly string[];
  /** Those of them that can be emptied. */
  readonly clearable?: readonly string[];
  readonly source: ReversalSource;
}

/** Writes back the fields in which the thing was changed. `after` is the thing in the response. */
export function takeBackFields(
  { kind, operation, key, label, fields, clearable = [], source }: UpdateOf,
  { before }: Pick<Written, 'before'>,
  after: JsonObject,
): TakeBack {
  const earlier = before?.[0];
  if (!earlier) return { impossible: UNKNOWN_BEFORE };
  const changed = fields.filter((field) => (earlier[field] ?? null) !== (after[field] ?? null));
  const lost = changed.find((field) => (earlier[field] ?? null) === null && !clearable.includes(field));
  if (lost !== undefined)
    return { impossible: `the service cannot empty ${lost.replace(/_id$/, '').replaceAll('_', ' ')} again` };
  if (changed.length === 0) return { reversals: [], leftovers: [] };
  const pick = (row: JsonObject) => Object.fromEntries(changed.map((field) => [field, row[field] ?? null]));
  const target = { kind, label, written: pick(after), earlier: pick(earlier), source };
  return {
    reversals: [{ operation, input: { ...key, ...pick(earlier) }, targets: [target] }],
    leftovers: [],
  };
}

interface UpdateOfKind extends Pick<UpdateOf, 'kind' | 'operation' | 'fields' | 'clearable'> {
  /** The name of the operation that reads the thing by the same arguments. */
  readonly readBy: string;
}

/** For an update whose response has the thing under its kind. `<kind>_id` says which one it is, with `month` if it has one. */
export const takeBackUpdateOf =
  ({ readBy, ...update }: UpdateOfKind) =>
  (written: Written): TakeBack => {
    const { kind } = update;
    const { month } = written.input;
    const after = rowIn(written.data, kind);
    const ofMonth = month !== undefined && { month };
    const key = { ...ofMonth, [`${kind}_id`]: after.id };
    const source = { operation: readBy, input: key, contentOf: (data: JsonObject) => rowIn(data, kind) };
    return takeBackFields({ ...update, key, label: { ...after, ...ofMonth }, source }, written, after);
  };

/** Things that no operation of the interface takes back (docs/interface.md). */
export const cannotDelete = (kind: string) => (): TakeBack => ({
  impossible: `the service cannot delete ${kind}`,
});

const row = z.looseObject({ id: z.string() });

/** The thing in the data of a response. */
export const rowIn = (data: JsonObject, key: string): z.output<typeof row> => row.parse(data[key]);
