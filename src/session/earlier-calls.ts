/** The calls of the last ten minutes that may equal one which failed. */

import type { UserSession } from './session.ts';
import type { KnownWrites } from './session-writes.ts';
import type { WriteStatus } from './writes/write-status.ts';

export interface EarlierCalls {
  /** Those that may have been carried out, or may still be. */
  readonly open: readonly WriteStatus[];
  /** Why there may be others, as a clause. Undefined if those of all processes are known. */
  readonly gap?: string | undefined;
  /** The next run of this program does not know them. */
  readonly isInMemory?: boolean;
}

/** Where there is no shared state, only this process is known. `hasOthers`: whether there may be other processes. */
export async function knownWrites(
  session: Pick<UserSession, 'writes'> | undefined,
  hasOthers: boolean,
  budgetId: string | undefined,
): Promise<KnownWrites> {
  if (!session) return { writes: [], gap: hasOthers ? 'no sign-in can be used' : undefined };
  const known = await session.writes.known(budgetId);
  return hasOthers ? known : { writes: known.writes };
}
