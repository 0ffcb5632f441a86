/**
 * Parses the long lists of a response in short steps. The lists are taken out of their response, so that what remains is
 * parsed at once, and are added to the result. A list with a wrong element is not taken out: parsing then finds the problem.
 */
import { z } from 'zod';
import { isJsonObject } from '../../base/json.ts';
import { fastParse, firstProblem } from './fast-validate.ts';

/** `parseRest` gets the value with an empty list in place of each long one. Yields after each step. */
export function* parseInSteps<Data>(
  schema: z.core.$ZodType,
  value: unknown,
  rowsInStep: number,
  parseRest: (rest: unknown) => Data,
): Generator<void, Data> {
  const lists: { readonly path: readonly string[]; readonly rows: readonly unknown[] }[] = [];
  const data = parseRest(yield* withoutLists(schema, value, []));
  for (const { path, rows } of lists) {
    const list = path.reduce<unknown>((inner, name) => (isJsonObject(inner) ? inner[name] : undefined), data);
    if (Array.isArray(list)) for (const row of rows) list.push(row);
  }
  return data;

  function* withoutLists(
    schema: z.core.$ZodType,
    value: unknown,
    path: readonly string[],
  ): Generator<void, unknown> {
    // The schema also checks the value as a whole.
    if (schema._zod.def.checks?.length) return value;
    if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
      return yield* withoutLists(schema.unwrap(), value, path);
    if (schema instanceof z.ZodObject && isJsonObject(value)) {
      const fields = { ...value };
      for (const [name, inner] of Object.entries(schema.shape))
        if (Object.hasOwn(value, name))
          fields[name] = yield* withoutLists(inner, value[name], [...path, name]);
      return fields;
    }
    if (!(schema instanceof z.ZodArray && Array.isArray(value)) || value.length <= rowsInStep) return value;
    const rows: unknown[] = [];
    for (const row of value) {
      const parsed = parseRow(schema.element, row);
      if (!parsed) return value;
      rows.push(parsed.data);
      if (rows.length % rowsInStep === 0) yield;
    }
    lists.push({ path, rows });
    return [];
  }
}

/** Undefined if the row is wrong. A row with missing fields is parsed by zod, which adds them. */
function parseRow(schema: z.core.$ZodType, row: unknown): { readonly data: unknown } | undefined {
  const parsed = fastParse(schema, row);
  if (parsed) return parsed;
  return firstProblem(schema, row) ? undefined : { data: z.parse(schema, row) };
}
