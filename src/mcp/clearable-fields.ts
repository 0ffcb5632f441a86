/**
 * Offers the nullable fields of a write without null, since hosts and converters change or add nulls. What is to be
 * emptied is named in the list `clear` instead, by the field's name without `_id`.
 */
import { z } from 'zod';
import type { JsonObject } from '../base/json.ts';
import { clearableFields, nameToClear, withoutNull } from '../base/schema/clearable.ts';
import { objectOf, withParts } from '../base/schema/walk.ts';

/** The same schema, with `clear` in place of each null. It parses to the input of an operation, with null for what is cleared. */
export function withClear(schema: z.core.$ZodType): z.ZodType {
  const object = objectOf(schema);
  if (object !== schema) return withParts(schema, withClear);
  const offered = offeredObject(object);
  const fields = clearableFields(object);
  return fields.size === 0 ? offered : offered.transform((row, context) => clearFields(row, fields, context));
}

/** The object as a host sees it: `clear` is still a list. */
export function offeredObject(schema: z.ZodObject): z.ZodObject {
  const fields = clearableFields(schema);
  const shape = Object.entries(schema.shape).map(([name, field]): [string, z.ZodType] => [
    name,
    withoutNull(field) ?? withClear(field),
  ]);
  const [first, ...rest] = fields.keys();
  const clear = first === undefined ? {} : { clear: z.array(z.enum([first, ...rest])).optional() };
  // A clone keeps the other checks of the schema.
  return schema.clone({ ...schema.def, shape: { ...Object.fromEntries(shape), ...clear } });
}

const cleared = z.object({ clear: z.array(z.string()).default([]) });

/** Replaces `clear` by nulls. It is a problem if a field has a value too. */
export function clearFields(
  row: JsonObject,
  fields: ReadonlyMap<string, string>,
  context: z.core.$RefinementCtx,
): JsonObject {
  const { clear: _, ...values } = row;
  const nulls = cleared.parse(row).clear.map((name) => {
    const given = Object.keys(values).find((field) => nameToClear(field) === name);
    if (given !== undefined)
      context.issues.push({
        code: 'custom',
        input: row,
        path: ['clear'],
        message: `names ${name}, but ${given} has a value: give one of them`,
      });
    return [fields.get(name) ?? name, null];
  });
  return { ...values, ...Object.fromEntries(nulls) };
}
