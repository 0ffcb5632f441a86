/** Where a hosted server stores sign-ins and the states of its people. */
import type { Clock } from '../base/clock.ts';
import type { SharedStore } from '../store/shared-store.ts';
import type { Sharing } from '../store/shared-stores.ts';

export interface HostedStorage {
  /** What all people have in common. */
  readonly store: SharedStore;
  /** Where the state of each grant is stored. */
  readonly sharing: Sharing;
  /** Everything stored is sealed with keys that come from it. */
  readonly rootKey: Uint8Array;
  /** The time of the stores, which all machines have in common. */
  readonly clock: Clock;
  /** Aborted, with the reason, if this process cannot use the storage any more and has to be started again. */
  readonly ended?: AbortSignal;
  close(): Promise<void>;
}
