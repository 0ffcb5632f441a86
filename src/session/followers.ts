/**
 * Notices about a second later what other processes change, while anyone wants to know. Without other processes, and without
 * followers, it does nothing. Sends no request.
 */
import type { Clock } from '../base/clock.ts';
import type { UserSession } from './session.ts';

const FOLLOW_MS = 1_000;

export class Followers {
  readonly #clock: Clock;
  readonly #watched = new Set<() => Iterable<string>>();
  #session: UserSession | undefined;
  #end: AbortController | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Notices changes in cached budgets, and in those `watched` without loading them, until the returned function is called. */
  add(watched: () => Iterable<string>): () => void {
    this.#watched.add(watched);
    this.#change();
    return () => {
      this.#watched.delete(watched);
      this.#change();
    };
  }

  follow(session: UserSession): void {
    this.#end?.abort();
    this.#end = undefined;
    this.#session = session;
    this.#change();
  }

  close(): void {
    this.#watched.clear();
    this.#change();
  }

  #change(): void {
    const session = this.#watched.size > 0 ? this.#session : undefined;
    if ((session !== undefined) === (this.#end !== undefined)) return;
    this.#end?.abort();
    this.#end = session && new AbortController();
    if (session && this.#end) void this.#run(session, this.#end.signal);
  }

  async #run(session: UserSession, signal: AbortSignal): Promise<void> {
    const { replicas, writes } = session;
    /** For each budget, the version of the store when it was looked at last. */
    const looks = new Map<string, number>();
    const look = async () => {
      const { version } = writes.others;
      const watched = [...this.#watched].flatMap((each) => [...each()]);
      const budgetIds = [...new Set([...(replicas?.entries.budgetIds ?? []), ...watched])];
      const changed = budgetIds.filter((budgetId) => looks.get(budgetId) !== version);
      if (changed.length > 0) await session.look(changed, true);
      for (const budgetId of changed) looks.set(budgetId, version);
    };
    for (;;) {
      await this.#clock.sleep(FOLLOW_MS, signal, true).catch(() => {});
      if (signal.aborted) return;
      // If the error stays, the next call reports it.
      await look().catch(() => {});
    }
  }
}
