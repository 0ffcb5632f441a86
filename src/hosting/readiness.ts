/** True if the store that all people have in common takes changes. Without them people cannot sign in, and nothing is written. */
import { withTimeLimit } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import type { SharedStore } from '../store/shared-store.ts';
import { isUnavailable } from './unavailable.ts';

export interface ReadinessOptions {
  readonly store: Pick<SharedStore, 'update'>;
  readonly clock: Clock;
  readonly onBug: (error: Error) => void;
}

/** A store that has not answered by then counts as stalled. */
const MAX_WAIT_MS = 2_000;
/** Load balancers ask often, from several machines. Within this time they get the same answer. */
const KNOWN_MS = 3_000;

export function createReadiness({ store, clock, onBug }: ReadinessOptions): () => Promise<boolean> {
  let last: { readonly at: number; readonly isReady: Promise<boolean> } | undefined;
  const check = async () => {
    try {
      await store.update('readiness', () => ({ value: true, result: undefined }));
      return true;
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      onBug(error);
      return false;
    }
  };
  return () => {
    const now = clock.monotonic();
    if (!last || now - last.at >= KNOWN_MS)
      last = { at: now, isReady: withTimeLimit(clock, MAX_WAIT_MS, check(), () => false) };
    return last.isReady;
  };
}
