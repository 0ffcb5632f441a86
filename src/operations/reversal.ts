/**
 * How a write is taken back: by other writes, each of which names the things that it changes. Things with few fields, such
 * as categories and payees, are taken back by `takeBackUpdateOf`.
 */
import { z } from 'zod';
import type { JsonObject } from '../base/json.ts';

/** A write that was carried out. */
export interface Written {
  readonly input: JsonObject;
  /** The result of `stateBefore` or `readStateBefore` just before it. Undefined if neither had it. */
  readonly before?: readonly JsonObject[] | undefined;
  /** The response's `data`. */
  readonly data: JsonObject;
  /** The result of `stateAfter`. Undefined if the budget could not be read after the write. */
  readonly after?: readonly JsonObject[] | undefined;
}

/** The writes that take back an earlier one, in their order. */
export interface Reversals {
  readonly reversals: readonly Reversal[];
  /** The differences from before that will remain, in words. */
  readonly leftovers: readonly string[];
}

export type TakeBack = Reversals | { readonly impossible: string };

/** A write that takes back an earlier one, or a part of it. */
export interface Reversal extends Pick<ReversalSource, 'operation' | 'input'> {
  /** The things that it changes. */
  readonly targets: readonly ReversalTarget[];
  /** Writes that have to follow it, such as the other side of a transfer that it created. `data` is that of its response. */
  readonly followUps?: (data: JsonObject) => readonly Reversal[];
}

/** One thing that a reversal changes. Only the fields that the reversal writes or removes are in `written` and `earlier`. */
export interface ReversalTarget {
  /** Such as `transaction`. */
  readonly kind: string;
  /** By which a person recognises it. */
  readonly label: JsonObject;
  /** As the earlier write left it. Undefined if it was deleted. */
  readonly written?: JsonObject;
  /** As it was before. Undefined if it did not exist. */
  readonly earlier?: JsonObject;
  /** Whether no text has its day, amount and payee. */
  readonly isHidden?: boolean;
  /** How to read it as it is now. Absent if it was deleted. */
  readonly source?: ReversalSource;
}

export interface ReversalSource {
  /** The name of the operation. */
  readonly operation: string;
  /** Input without `budget_id`. */
  readonly input: JsonObject;
  /** The fields of the thing. Undefined if it is not in the data. */
  readonly contentOf: (data: JsonObject) => JsonObject | undefined;
}

export const UNKNOWN_BEFORE = 'what was there before could not be read';

interface UpdateOf {
  readonly kind: string;
  readonly operation: string;
  /** The arguments that say what is changed. */
  readonly key: JsonObject;
  readonly label: JsonObject;
  /** The fields that can be changed. */
  readonly fields: readonly string[];
  /** By default each field is written back, if it had a value. */
  readonly restore?: Restore;
  readonly source: ReversalSource;
}

/** The input that gives the changed fields their `earlier` values. `after` is the thing as the write left it. */
export type Restore = (
  changed: readonly string[],
  earlier: JsonObject,
  after: JsonObject,
) => (Pick<Reversals, 'leftovers'> & { readonly input: JsonObject }) | { readonly impossible: string };

/** Writes fields as they were. Those in `clearable` can be emptied. */
export function writeBack(
  changed: readonly string[],
  earlier: JsonObject,
  clearable: readonly string[] = [],
): ReturnType<Restore> {
  const lost = changed.find((field) => (earlier[field] ?? null) === null && !clearable.includes(field));
  if (lost !== undefined)
    return { impossible: `the service cannot empty ${lost.replace(/_id$/, '').replaceAll('_', ' ')} again` };
  return { input: pick(earlier, changed), leftovers: [] };
}

const pick = (row: JsonObject, fields: readonly string[]): JsonObject =>
  Object.fromEntries(fields.map((field) => [field, row[field] ?? null]));

/** Restores the fields in which the thing was changed. `after` is the thing in the response. */
export function takeBackFields(
  { kind, operation, key, label, fields, restore, source }: UpdateOf,
  { before }: Pick<Written, 'before'>,
  after: JsonObject,
): TakeBack {
  const earlier = before?.[0];
  if (!earlier) return { impossible: UNKNOWN_BEFORE };
  const changed = fields.filter((field) => (earlier[field] ?? null) !== (after[field] ?? null));
  if (changed.length === 0) return { reversals: [], leftovers: [] };
  const restored = restore ? restore(changed, earlier, after) : writeBack(changed, earlier);
  if ('impossible' in restored) return restored;
  const target = { kind, label, written: pick(after, changed), earlier: pick(earlier, changed), source };
  const input = { ...key, ...restored.input };
  return { reversals: [{ operation, input, targets: [target] }], leftovers: restored.leftovers };
}

/**
 * For an update whose response has the thing under its kind. `<kind>_id` says which one it is, with `month` if it has one.
 * `readBy` is the name of the operation that reads it by the same arguments.
 * `contentOf` adds fields that follow from others.
 */
export const takeBackUpdateOf =
  ({
    readBy,
    contentOf = (row) => row,
    ...update
  }: Omit<UpdateOf, 'key' | 'label' | 'source'> & {
    readonly readBy: string;
    readonly contentOf?: (row: JsonObject) => JsonObject;
  }) =>
  (written: Written): TakeBack => {
    const { kind } = update;
    const { month } = written.input;
    const after = rowIn(written.data, kind);
    const ofMonth = month !== undefined && { month };
    const key = { ...ofMonth, [`${kind}_id`]: after.id };
    const source = {
      operation: readBy,
      input: key,
      contentOf: (data: JsonObject) => contentOf(rowIn(data, kind)),
    };
    const label = { ...after, ...ofMonth };
    const before = written.before?.map(contentOf);
    return takeBackFields({ ...update, key, label, source }, { before }, contentOf(after));
  };

/** Things that no operation of the interface takes back (docs/interface.md). */
export const cannotDelete = (kind: string) => (): TakeBack => ({
  impossible: `the service cannot delete ${kind}`,
});

const row = z.looseObject({ id: z.string() });

/** The thing in the data of a response. */
export const rowIn = (data: JsonObject, key: string): z.output<typeof row> => row.parse(data[key]);

/** The fields that have a value. */
export const withoutNulls = (fields: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
