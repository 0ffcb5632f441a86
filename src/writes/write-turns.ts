/**
 * One write at a time for each budget, among all processes of a sign-in. Two equal entries from simultaneous writes could
 * not be distinguished if their responses are lost, and each would be reported as a possible duplicate of the other.
 *
 * Within a process, writes wait in a queue. Among processes, the one whose turn it is has the lock of the budget. Before
 * the write, it settles what processes that have ended left, and learns what the others have written (`prepare`).
 */
import { BudgetError } from '../errors.ts';
import type { LaterChanges } from '../state/later-changes.ts';
import type { SharedStore } from '../state/shared-store.ts';

export interface TurnOptions {
  readonly signal?: AbortSignal | undefined;
  /** How many milliseconds the host still waits. */
  remainingMs?(): number;
}

export interface SharedTurns {
  readonly store: SharedStore;
  /** What others have to know before they write, if the store failed. */
  readonly later: LaterChanges;
  /** Called with the lock of the budget, before each turn. */
  prepare(budgetId: string): Promise<void>;
}

/** How long work for which no host waits, such as the search for a write of an earlier process, waits for its turn. */
const MAX_WAIT_MS = 10 * 60_000;

/** The name of the lock of a budget. */
export const lockOf = (budgetId: string) => `write ${budgetId}`;

export class WriteTurns {
  readonly #shared: SharedTurns | undefined;
  readonly #queues = new Map<string, Promise<unknown>>();

  /** `shared` is missing if there are no other processes. */
  constructor(shared?: SharedTurns) {
    this.#shared = shared;
  }

  /**
   * Runs `work` after the earlier work for this budget. Throws `cancelled` if the signal was aborted before, and
   * `not_written` if it is not its turn while the host waits.
   */
  run<Result>(budgetId: string, options: TurnOptions, work: () => Promise<Result>): Promise<Result> {
    const result = (this.#queues.get(budgetId) ?? Promise.resolve()).then(() => {
      throwIfCancelled(options);
      return this.#shared ? runLocked(this.#shared, budgetId, options, work) : work();
    });
    this.#queues.set(
      budgetId,
      result.then(
        () => {},
        () => {},
      ),
    );
    return result;
  }
}

async function runLocked<Result>(
  { store, later, prepare }: SharedTurns,
  budgetId: string,
  options: TurnOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  const { signal, remainingMs } = options;
  const waitMs = remainingMs ? Math.max(remainingMs(), 0) : MAX_WAIT_MS;
  const release = await store.lock(lockOf(budgetId), { waitMs, signal });
  if (!release)
    throw new BudgetError(
      'not_written',
      'Nothing was sent: another process of this server is still writing to this budget.',
    );
  try {
    await prepare(budgetId);
    throwIfCancelled(options);
    return await work();
  } finally {
    await later.make(release);
  }
}

export function throwIfCancelled({ signal }: TurnOptions): void {
  if (signal?.aborted) throw new BudgetError('cancelled', 'The call was cancelled before anything was sent.');
}
