/** How a write is taken back: by other writes, each of which names the things that it changes. Types only. */
import type { JsonObject } from '../base/json.ts';

/** A write that was carried out. */
export interface Written {
  readonly input: JsonObject;
  /** The result of `stateBefore` just before it. Undefined if the budget was not cached, or older than an own write. */
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
export interface Reversal {
  /** The name of the operation. */
  readonly operation: string;
  /** Input without `budget_id`. */
  readonly input: JsonObject;
  /** The things that it changes. */
  readonly targets: readonly ReversalTarget[];
  /** Writes that have to follow it, such as the other side of a transfer that it created. `data` is that of its response. */
  readonly followUps?: (data: JsonObject) => readonly Reversal[];
  /** The things that it has entered again. `data` is that of its response. */
  readonly idChanges?: (data: JsonObject) => readonly IdChange[];
}

/** A thing that was deleted, and entered again under another id. */
export interface IdChange {
  readonly deleted: string;
  readonly entered: string;
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
  /** How to read it as it is now. Absent if it was deleted. */
  readonly source?: ReversalSource;
}

/** Reads one thing. */
export interface ReversalSource {
  /** The name of the operation. */
  readonly operation: string;
  /** Input without `budget_id`. */
  readonly input: JsonObject;
  /** The fields of the thing. Undefined if it is not in the data. */
  readonly contentOf: (data: JsonObject) => JsonObject | undefined;
}
