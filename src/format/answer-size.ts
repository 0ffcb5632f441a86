/**
 * The size of an answer. A model pays for each token of it, and hosts cut or hide long answers. Tokens are estimated by
 * bytes: a token of such text has about three, and a character of another script about one token for three bytes.
 */
import type { z } from 'zod';
import type { Row } from './paging.ts';
import { formatRows } from './rows.ts';
import type { TextContext } from './text.ts';

/** About 2,000 tokens with the first and the last line. */
const DEFAULT_BYTES = 4_800;
/** About 10,000 tokens, for a call that asks for more rows than the default. */
export const MAX_BYTES = 24_000;

export interface AnswerSize {
  /** A new context each time, which formats rows to measure them. */
  readonly context: TextContext;
  /** Whether the answer has structured content, whose rows are larger. */
  readonly structured: boolean;
}

/**
 * Returns how many rows of `element` an answer has room for, if it has so many `lists`. At least one, so that a page never
 * is empty.
 */
export const countFitting = (
  element: z.core.$ZodType,
  size: AnswerSize,
  isLong: boolean,
  lists = 1,
): ((rows: readonly Row[]) => number) =>
  countFittingLines((row: Row, context) => formatRows(element, row, context), size, isLong, lists);

/** The same for rows that `format` writes as lines. */
export function countFittingLines<Each>(
  format: (row: Each, context: TextContext) => readonly string[],
  size: AnswerSize,
  isLong: boolean,
  lists = 1,
): (rows: readonly Each[]) => number {
  const maxText = (isLong ? MAX_BYTES : DEFAULT_BYTES) / lists;
  const maxJson = MAX_BYTES / lists;
  return (rows) => {
    const { context, structured } = size;
    let text = 0;
    let json = 0;
    for (const [index, row] of rows.entries()) {
      text += byteLength(format(row, context));
      json += structured ? byteLength([JSON.stringify(row)]) : 0;
      if (index > 0 && (text + byteLength(context.legend) > maxText || json > maxJson)) return index;
    }
    return rows.length;
  };
}

const byteLength = (lines: readonly string[]) =>
  lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
