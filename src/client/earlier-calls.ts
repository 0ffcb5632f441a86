/** The calls of the last ten minutes that may equal one which failed. */
import type { WriteStatus } from '../writes/settlement.ts';
import type { UserSession } from './session.ts';
import { type KnownWrites, NONE_KNOWN, NOT_SHARED } from './shared-session.ts';

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
  session: Pick<UserSession, 'shared'> | undefined,
  hasOthers: boolean,
  budgetId: string | undefined,
): Promise<KnownWrites> {
  const known = await session?.shared?.known(budgetId);
  if (known) return known;
  if (!hasOthers) return NONE_KNOWN;
  return { ...NONE_KNOWN, gap: session ? NOT_SHARED : 'no sign-in can be used' };
}
