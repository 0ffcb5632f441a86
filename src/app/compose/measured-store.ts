/** A store whose operations are measured: how long they take, and how many fail or are in progress. */
import type { Clock } from '../../base/clock.ts';
import type { Metrics, StoreOperation, StoreOutcome } from '../../base/metrics.ts';
import type { SharedStore } from '../../store/shared-store.ts';
import { StoreError } from '../../store/store-error.ts';

/** Returns the store itself if nothing is measured. */
export function measured(store: SharedStore, clock: Clock, metrics: Metrics | undefined): SharedStore {
  if (!metrics) return store;
  const measure = async <Result>(
    operation: StoreOperation,
    work: () => Promise<Result>,
    outcomeOf: (result: Result) => StoreOutcome = () => 'done',
  ): Promise<Result> => {
    const startedAt = clock.monotonic();
    const ended = metrics.storeOperation(operation);
    // A change that throws, and a cancelled wait, are no failures of the store.
    let outcome: StoreOutcome = 'done';
    try {
      const result = await work();
      outcome = outcomeOf(result);
      return result;
    } catch (error) {
      if (error instanceof StoreError) outcome = 'failed';
      throw error;
    } finally {
      ended(outcome, clock.monotonic() - startedAt);
    }
  };
  return {
    processId: store.processId,
    get version() {
      return store.version;
    },
    read: (name) => measure('read', () => store.read(name)),
    look: (wanted) => measure('look', () => store.look(wanted)),
    update: (name, change) => measure('update', () => store.update(name, change)),
    append: (log, value) => measure('append', () => store.append(log, value)),
    // Not measured, because its reader decides how long it takes.
    entries: (log, after) => store.entries(log, after),
    trim: (log, upTo) => measure('trim', () => store.trim(log, upTo)),
    // The time includes the wait for the lock.
    lock: (name, options) =>
      measure(
        'lock',
        () => store.lock(name, options),
        (release) => (release ? 'done' : 'missed'),
      ),
    isRunning: (processId) => store.isRunning(processId),
    close: () => store.close(),
  };
}
