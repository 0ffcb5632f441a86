/** Reads a file as the server does, and says what a person would be asked. */
import { BudgetError } from '../../../../src/base/errors.ts';
import {
  type Statement,
  statementsIn,
} from '../../../../src/features/reconcile/statements/read-statement.ts';
import type { Dialect } from './bank-file.helper.ts';

/** The statements, or the reason why there are none. */
export function readFile({ digits }: Dialect, bytes: Uint8Array): readonly Statement[] | string {
  try {
    return statementsIn('bank', bytes, '2026-11-21', digits);
  } catch (error) {
    if (error instanceof BudgetError) return error.message;
    throw error;
  }
}

/** True if the file does not say how to read it. */
export const isAsked = (statements: readonly Statement[]) =>
  statements.some(({ reading, openSigns = 'signed' }) => reading !== undefined || openSigns !== 'signed');

export const textRows = (statements: readonly Statement[]) =>
  statements.map(({ rows }) =>
    rows.map(({ date, amount, text, memo }) =>
      [date, amount, text, memo].filter((each) => each !== undefined),
    ),
  );
