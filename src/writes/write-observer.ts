/** The progress of a write, for those who wait for it or write it down. */
import type { StateBeforeWrite } from '../operations/operation.ts';
import type { Moment } from '../platform/clock.ts';
import type { JsonObject } from '../platform/json.ts';
import type { DeltaAfterWrite } from './delta-after-write.ts';

export interface WriteOutcome<Data> {
  readonly data: Data;
  /** `confirmed_afterwards`: the response was lost, but a later read of the budget shows that the write happened. */
  readonly outcome: 'written' | 'confirmed_afterwards';
  /** Undefined if it could not be read. The write itself has succeeded. */
  readonly deltaAfterWrite?: DeltaAfterWrite;
  /** For a creation: the ids of other new entities that equal it, as if the request was delivered twice. */
  readonly possibleDuplicates?: readonly string[];
}

/** The state of the budget just before a write, with the knowledge from which the search for it starts. */
export type Baseline = Pick<StateBeforeWrite, 'ids'> & { readonly server_knowledge: number };

/** A write that is about to be sent. */
export interface Sending {
  /** It is sent within `SEND_WITHIN_MS` from then on, or not at all. */
  readonly sentAt: Moment;
  readonly before: Baseline;
}

/**
 * A write is not sent later than this after it was written down (`WriteObserver.onSending`). A successor of this process
 * relies on it, also if this process was suspended in between.
 */
export const SEND_WITHIN_MS = 10_000;

/** Searches for a write again. Returns the `data` of the lost response, or undefined if it is proven not written. */
export type SearchAgain = () => Promise<JsonObject | undefined>;

/** Controls a write, and is notified of its progress. */
export interface WriteObserver {
  /** Cancels a write that is not sent yet. It has no effect on a write that was sent. */
  readonly signal?: AbortSignal | undefined;
  /** Called with a function that says what the write waits for. It returns undefined when it does not wait for others. */
  onWaiting?(describe: () => string | undefined): void;
  /** Called before the write is sent, which waits until this has ended. */
  onSending?(sending: Sending): Promise<void>;
  /**
   * Called just before the write is sent. `searchAgain` can be used later if the outcome is unknown. It is missing for one
   * of several writes, because what to do next depends on the others.
   */
  onSent?(searchAgain?: SearchAgain): void;
  /** Called when the response is lost and the search begins. */
  onResponseLost?(): void;
  /** Called when the write was carried out, before the delta after it is read. */
  onWritten?(data: JsonObject, outcome: WriteOutcome<unknown>['outcome']): Promise<void>;
  /** The knowledge of the cached budget. A creation reads what it lacks too, because an equal entry may be in it. */
  cachedKnowledge?(): number | undefined;
  /**
   * Called with the ids of possible duplicates, and the knowledge of the delta that has them. Returns false if one may be
   * what another process has sent and does not know of yet.
   */
  onDuplicates?(ids: readonly string[], knowledge: number): Promise<boolean>;
  /** Called when the outcome is known or cannot be found out, before the delta after the write is read. */
  onOutcomeKnown?(): void;
  /** How many milliseconds the host still waits. Zero or less if no host waits. */
  remainingMs?(): number;
  /** Whether the caller reads the delta after the write itself, such as once after several writes. */
  readonly leavesDelta?: boolean;
}
