/**
 * Parses the long lists of a response in short steps. The lists are taken out of their response, so that what remains is
 * parsed at once, and are added to the result. A list with a wrong element is not taken out: parsing then finds the problem.
 */
import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../platform/json.ts';
import { fastParse, firstProblem } from './fast-validate.ts';

export interface ParsedLists {
  /** The value with an empty list in place of each long one. */
  readonly withoutLists: unknown;
  readonly lists: TakenLists;
}

/** Yields after each step. */
export function* parseLists(
  schema: z.core.$ZodType,
  value: unknown,
  rowsInStep: number,
): Generator<void, ParsedLists> {
  const lists = new TakenLists(rowsInStep);
  return { withoutLists: yield* lists.takeFrom(schema, value, []), lists };
}

class TakenLists {
  readonly #rowsInStep: number;
  readonly #taken: { readonly path: readonly string[]; readonly rows: readonly unknown[] }[] = [];

  constructor(rowsInStep: number) {
    this.#rowsInStep = rowsInStep;
  }

  *takeFrom(schema: z.core.$ZodType, value: unknown, path: readonly string[]): Generator<void, unknown> {
    // The schema also checks the value as a whole.
    if (schema._zod.def.checks?.length) return value;
    if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
      return yield* this.takeFrom(schema.unwrap(), value, path);
    if (schema instanceof z.ZodArray && Array.isArray(value)) {
      const rows = yield* this.#parseRows(schema.element, value);
      if (!rows) return value;
      this.#taken.push({ path, rows });
      return [];
    }
    return schema instanceof z.ZodObject && isJsonObject(value)
      ? yield* this.#takeFromFields(schema, value, path)
      : value;
  }

  *#takeFromFields(
    { shape }: z.ZodObject,
    value: JsonObject,
    path: readonly string[],
  ): Generator<void, JsonObject> {
    const fields = { ...value };
    for (const [name, schema] of Object.entries(shape))
      if (Object.hasOwn(value, name))
        fields[name] = yield* this.takeFrom(schema, value[name], [...path, name]);
    return fields;
  }

  /** Undefined if the list is short, or if an element is wrong. */
  *#parseRows(
    schema: z.core.$ZodType,
    list: readonly unknown[],
  ): Generator<void, readonly unknown[] | undefined> {
    if (list.length <= this.#rowsInStep) return undefined;
    const rows: unknown[] = [];
    for (const row of list) {
      const parsed = parseRow(schema, row);
      if (!parsed) return undefined;
      rows.push(parsed.data);
      if (rows.length % this.#rowsInStep === 0) yield;
    }
    return rows;
  }

  /** Adds the lists to what was parsed without them. */
  addTo(data: unknown): void {
    for (const { path, rows } of this.#taken) {
      let list = data;
      for (const name of path) list = isJsonObject(list) ? list[name] : undefined;
      if (Array.isArray(list)) for (const row of rows) list.push(row);
    }
  }
}

/** Undefined if the row is wrong. A row with missing fields is parsed by zod, which adds them. */
function parseRow(schema: z.core.$ZodType, row: unknown): { readonly data: unknown } | undefined {
  const parsed = fastParse(schema, row);
  if (parsed) return parsed;
  return firstProblem(schema, row) ? undefined : { data: z.parse(schema, row) };
}
