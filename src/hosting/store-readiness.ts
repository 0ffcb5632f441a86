/**
 * Whether the store that all people have in common answers now. Load balancers ask this often, from several machines, so a
 * check reads one record, and those who ask while it runs get its result.
 */
import { withTimeLimit } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import type { SharedStore } from '../store/shared-store.ts';
import { isUnavailable } from './unavailable.ts';

export interface StoreReadinessOptions {
  readonly store: Pick<SharedStore, 'read'>;
  readonly clock: Clock;
  /** Called when the result differs from that of the check before. The store counts as ready at the start. */
  readonly onChange: (isReady: boolean) => void;
}

/** A store that has not answered by then counts as stalled. */
const LIMIT_MS = 2_000;
/** There is no such record, which makes no difference to the store. */
const RECORD = 'readiness';

/** Returns what checks it, which takes at most two seconds. */
export function storeReadiness({ store, clock, onChange }: StoreReadinessOptions): () => Promise<boolean> {
  let checking: Promise<boolean> | undefined;
  let wasReady = true;
  const check = async () => {
    const answer = store.read(RECORD).then(
      () => true,
      (error: unknown) => {
        if (isUnavailable(error)) return false;
        throw error;
      },
    );
    const isReady = await withTimeLimit(clock, LIMIT_MS, answer, () => false);
    if (isReady !== wasReady) onChange(isReady);
    wasReady = isReady;
    return isReady;
  };
  return () => {
    checking ??= check().finally(() => {
      checking = undefined;
    });
    return checking;
  };
}
