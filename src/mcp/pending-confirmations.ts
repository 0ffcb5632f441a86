/**
 * Stores which previews were shown to which caller and are not confirmed yet. An entry counts once and for ten minutes.
 * The store is bounded. A preview that it has dropped must be shown again before it can be confirmed.
 */
import { ageOf, type Clock, type Moment, momentOf } from '../platform/clock.ts';

export const CONFIRMATION_MS = 10 * 60_000;
const MAX_PER_CALLER = 100;
const MAX_CALLERS = 1_000;

export interface PendingConfirmation {
  /** A digest of the preview that was shown. */
  readonly preview: string;
  readonly at: Moment;
}

export class PendingConfirmations {
  readonly #clock: Clock;
  /** Callers and entries are ordered by the time of the last addition. */
  readonly #callers = new Map<string, Map<string, PendingConfirmation>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** An entry replaces an older one with the same key, so that both together count once. */
  issue(caller: string, key: string, preview: string): void {
    const entries = this.#callers.get(caller) ?? new Map<string, PendingConfirmation>();
    putLast(entries, key, { preview, at: momentOf(this.#clock) }, MAX_PER_CALLER);
    putLast(this.#callers, caller, entries, MAX_CALLERS);
  }

  /** Removes and returns the entry. Undefined if there is none, or if it is too old. */
  consume(caller: string, key: string): PendingConfirmation | undefined {
    const entries = this.#callers.get(caller);
    const entry = entries?.get(key);
    entries?.delete(key);
    if (entries?.size === 0) this.#callers.delete(caller);
    return entry && ageOf(this.#clock, entry.at) < CONFIRMATION_MS ? entry : undefined;
  }
}

function putLast<Value>(map: Map<string, Value>, key: string, value: Value, max: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > max && oldest !== undefined) map.delete(oldest);
}
