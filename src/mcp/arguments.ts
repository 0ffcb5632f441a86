/**
 * Validates the arguments of a call. Their size is checked before the schema is applied. Otherwise the schema could
 * report a problem for each of a million elements, and all callers would have to wait. Only the first few problems are
 * reported.
 */
import type { z } from 'zod';
import { listProblems } from '../format/text.ts';
import type { JsonObject } from '../platform/json.ts';
import { escapeUnseen } from '../platform/quote.ts';

/** Limits above what any tool needs. */
const LIMITS = { elements: 2_000, fields: 100, characters: 10_000, values: 50_000 } as const;
const MAX_MESSAGE_LENGTH = 300;

export type ValidationResult = { readonly value: JsonObject } | { readonly problems: string };

/** The parsed arguments, or their problems. */
export function validateArguments(schema: z.ZodObject, args: unknown): ValidationResult {
  if (isTooLarge(args)) return { problems: tooLarge };
  const parsed = schema.safeParse(args);
  if (parsed.success) return { value: parsed.data };
  const problems = parsed.error.issues.map(({ path, message }) => [path.join('.'), shorten(message)]);
  return {
    problems: listProblems(problems.map((pathAndMessage) => pathAndMessage.filter(Boolean).join(': '))),
  };
}

const tooLarge = `Too much at once: a list may have ${LIMITS.elements} elements, an object ${LIMITS.fields} fields, a text ${LIMITS.characters} characters, and all of it ${LIMITS.values} values.`;

function isTooLarge(args: unknown): boolean {
  const open = [args];
  let count = 0;
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === 'string' && value.length > LIMITS.characters) return true;
    if (typeof value !== 'object' || value === null) continue;
    const inner = Object.values(value);
    count += inner.length;
    if (inner.length > (Array.isArray(value) ? LIMITS.elements : LIMITS.fields) || count > LIMITS.values)
      return true;
    open.push(...inner);
  }
  return false;
}

/** A message of zod may contain the names of unknown arguments. */
const shorten = (message: string) =>
  escapeUnseen(message.length > MAX_MESSAGE_LENGTH ? `${message.slice(0, MAX_MESSAGE_LENGTH)}…` : message);
