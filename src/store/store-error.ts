/**
 * A store cannot be used. It is never the fault of a call, but a call that needs the store fails with it: the store of a hosted
 * server has what no process may invent, such as who has access and what is being written.
 */

import { errnoOf } from '../base/errno.ts';
import { BudgetError } from '../base/errors.ts';
import { BUSY, DAMAGED, sqliteProblemOf } from './sqlite.ts';

const UNUSABLE = 'The storage of this server cannot be used now.';
const BLOCKED = 'Another process, such as one that is suspended, blocks the storage of this server.';

export class StoreError extends BudgetError {
  override readonly name = 'StoreError';
  /** For the log and for the person who runs the server. Completes "the file is …" or "Redis is …". */
  readonly reason: string;
  /** Whether the file has to be replaced. */
  readonly isDamage: boolean;
  /** Whether another process prevents it now, which may end. */
  readonly isBlocked: boolean;
  /** Whether the store can never be used again by this process. */
  readonly isEnd: boolean;

  constructor(
    reason: string,
    options: Partial<Pick<StoreError, 'isDamage' | 'isBlocked' | 'isEnd' | 'cause'>> = {},
  ) {
    super('storage_unavailable', options.isBlocked ? BLOCKED : UNUSABLE, { cause: options.cause });
    this.reason = reason;
    this.isDamage = options.isDamage ?? false;
    this.isBlocked = options.isBlocked ?? false;
    this.isEnd = options.isEnd ?? false;
  }
}

/** The meaning of an error of SQLite or of the system. Any other error is returned as it is. */
export function storeErrorOf(error: unknown): unknown {
  const problem = sqliteProblemOf(error);
  if (problem !== undefined)
    return new StoreError(problem, {
      isDamage: problem === DAMAGED,
      isBlocked: problem === BUSY,
      cause: error,
    });
  const code = errnoOf(error);
  return /^E[A-Z]+$/.test(code) ? new StoreError(`not usable (${code})`, { cause: error }) : error;
}

export function isDamage(error: unknown): boolean {
  const meaning = storeErrorOf(error);
  return meaning instanceof StoreError && meaning.isDamage;
}

/** For work that nothing depends on. Throws any other error. */
export function ignoreStoreError(error: unknown): undefined {
  if (!(error instanceof StoreError)) throw error;
}
