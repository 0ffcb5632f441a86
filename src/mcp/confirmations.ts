/**
 * What was shown to which caller and has not been agreed to yet. An entry counts once and for ten minutes. The store is
 * bounded: what it drops has to be shown again before it can be agreed to.
 */
import { ageOf, type Clock, type Moment, momentOf } from '../platform/clock.ts';

export const CONFIRMATION_MS = 10 * 60_000;
const MAX_PER_CALLER = 100;
const MAX_CALLERS = 1_000;

export interface Issued {
  /** A digest of what was shown. */
  readonly preview: string;
  readonly at: Moment;
}

export class Confirmations {
  readonly #clock: Clock;
  /** The callers and entries that were added last come last. */
  readonly #callers = new Map<string, Map<string, Issued>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A newer entry with the same key replaces the older one: both together count once. */
  issue(caller: string, key: string, preview: string): void {
    const entries = this.#callers.get(caller) ?? new Map<string, Issued>();
    putLast(entries, key, { preview, at: momentOf(this.#clock) }, MAX_PER_CALLER);
    putLast(this.#callers, caller, entries, MAX_CALLERS);
  }

  /** Removes the entry. Gives undefined if there is none, or if it is too old. */
  consume(caller: string, key: string): Issued | undefined {
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
