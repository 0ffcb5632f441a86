/** The code of a system error, such as `ENOENT`. Empty for any other error. */
export function errnoOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** For a `catch`, where a file that does not exist is a known state as well. Throws any other error. */
export function undefinedIfMissing(error: unknown): undefined {
  if (errnoOf(error) !== 'ENOENT') throw error;
}
