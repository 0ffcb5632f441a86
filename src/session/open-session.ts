/** The session of the user who was signed in when a call began, and how fresh the results are that it gives. */
import { describeClock } from '../base/clock-difference.ts';
import { ignoreStoreError } from '../store/store-error.ts';
import type { Freshness } from './freshness/freshness.ts';
import type { UserSession } from './session.ts';

export interface OpenSession {
  readonly session: UserSession;
  /** Milliseconds since the epoch. Undefined unless the sign-in ends soon. */
  readonly signInEndsAt: number | undefined;
}

/** Where a result comes from, and as of when. */
export interface Source {
  /** In milliseconds since the epoch. */
  readonly asOf: number;
  readonly source: Freshness['source'];
  /** Why the data is older than it should be. */
  readonly staleReason?: string | undefined;
}

/**
 * Does not check the sign-in, because a write must be reported as written also after another sign-in. Does not fail with the
 * store for the same reason: what cannot be counted counts as used.
 */
export async function freshnessOf(
  { session, signInEndsAt }: OpenSession,
  { asOf, source, staleReason }: Source,
): Promise<Freshness> {
  const left = await session.rateBudget.left().catch((error: unknown) => {
    ignoreStoreError(error);
    return 0;
  });
  const clock = describeClock(session.requests.clockAheadMs);
  return {
    as_of: new Date(asOf).toISOString(),
    source,
    requests_left: left,
    ...(staleReason !== undefined && { stale_reason: staleReason }),
    ...(signInEndsAt !== undefined && { sign_in_ends: new Date(signInEndsAt).toISOString() }),
    ...(clock !== undefined && { clock }),
  };
}
