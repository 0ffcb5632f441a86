/** Why a store cannot be used any more. It is never the fault of a call, and no call fails because of it. */
import { errnoOf } from '../platform/errno.ts';
import { sqliteProblemOf } from './sqlite.ts';

export class StoreError extends Error {
  override readonly name = 'StoreError';
  /** Whether the file has to be replaced. */
  readonly isDamage: boolean;
  /** Whether another process prevents it now, which may end. */
  readonly isBlocked: boolean;

  /** `message` completes "the file is …" or names what has happened to it. */
  constructor(
    message: string,
    options: { readonly isDamage?: boolean; readonly isBlocked?: boolean; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.isDamage = options.isDamage ?? false;
    this.isBlocked = options.isBlocked ?? false;
  }
}

const problems = {
  error: 'damaged',
  corrupt: 'damaged',
  notadb: 'damaged',
  busy: 'blocked by another process',
  readonly: 'not writable',
  cantopen: 'not writable',
  ioerr: 'not readable or not writable',
  full: 'on a full disk',
  other: 'refused by SQLite',
} as const;

/** The meaning of an error of SQLite or of the system. Any other error is returned as it is. */
export function storeErrorOf(error: unknown): unknown {
  const problem = sqliteProblemOf(error);
  if (problem !== undefined)
    return new StoreError(problems[problem], {
      isDamage: problems[problem] === 'damaged',
      isBlocked: problem === 'busy',
      cause: error,
    });
  const code = errnoOf(error);
  return /^E[A-Z]+$/.test(code) ? new StoreError(`not usable (${code})`, { cause: error }) : error;
}

export function isDamage(error: unknown): boolean {
  const meaning = storeErrorOf(error);
  return meaning instanceof StoreError && meaning.isDamage;
}
