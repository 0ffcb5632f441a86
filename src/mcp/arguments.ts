/**
 * What a caller sends, judged by its size before it is judged by its schema: a schema would find a problem in each of a
 * million elements, and all callers would wait. Of what is wrong only the first few problems are told.
 */
import type { z } from 'zod';
import { listProblems } from '../format/text.ts';
import { escapeUnseen } from '../platform/quote.ts';

/** More than any tool takes. */
const MOST = { elements: 2_000, fields: 100, characters: 10_000, values: 50_000 } as const;
const MOST_CHARACTERS = 300;

export type Validated = { readonly value: Record<string, unknown> } | { readonly problems: string };

/** What `schema` makes of the arguments, or what is wrong with them. */
export function validateArguments(schema: z.ZodObject, given: unknown): Validated {
  if (isTooMuch(given)) return { problems: tooMuch };
  const parsed = schema.safeParse(given);
  if (parsed.success) return { value: parsed.data };
  const problems = parsed.error.issues.map(({ path, message }) => [path.join('.'), cut(message)]);
  return { problems: listProblems(problems.map((parts) => parts.filter(Boolean).join(': '))) };
}

const tooMuch = `Too much at once: a list may have ${MOST.elements} elements, an object ${MOST.fields} fields, a text ${MOST.characters} characters, and all of it ${MOST.values} values.`;

function isTooMuch(given: unknown): boolean {
  const open = [given];
  let count = 0;
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === 'string' && value.length > MOST.characters) return true;
    if (typeof value !== 'object' || value === null) continue;
    const inner = Object.values(value);
    count += inner.length;
    if (inner.length > (Array.isArray(value) ? MOST.elements : MOST.fields) || count > MOST.values)
      return true;
    open.push(...inner);
  }
  return false;
}

/** It may repeat the names of arguments that there are not. */
const cut = (message: string) =>
  escapeUnseen(message.length > MOST_CHARACTERS ? `${message.slice(0, MOST_CHARACTERS)}…` : message);
