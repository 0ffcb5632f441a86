/** For fuzz tests of signing in: an outcome is a value or an error for a person, and no error contains a secret. */
import { inspect } from 'node:util';
import { expect } from 'vitest';
import { BudgetError, errorTable } from '../../src/base/errors.ts';

/** Fails for any other exception, for a code that is not in the table, and if the error contains one of `secrets`. */
export async function budgetErrorOf<T>(
  work: Promise<T>,
  secrets: readonly string[],
): Promise<{ readonly value: T } | { readonly error: BudgetError }> {
  try {
    return { value: await work };
  } catch (error) {
    if (!(error instanceof BudgetError)) throw error;
    expect(Object.keys(errorTable)).toContain(error.code);
    const text = `${inspect(error, { depth: Infinity, showHidden: true })} ${error.explanation}`;
    for (const secret of secrets) expect(text).not.toContain(secret);
    return { error };
  }
}
