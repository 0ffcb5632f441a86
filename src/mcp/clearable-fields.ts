/**
 * Offers the nullable fields of a write without null, since hosts and converters change or add nulls. What is to be
 * emptied is named in the list `clear` instead, by the field's name without `_id`.
 */
import { z } from 'zod';
import type { JsonObject } from '../base/json.ts';
import { clearableFields, nameToClear, withoutNull } from '../base/schema/clearable.ts';

/** The same schema, with `clear` in place of each null. It parses to the input of an operation, with null for what is cleared. */
export function withClear(schema: z.core.$ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional) return withClear(schema.unwrap()).optional();
  if (schema instanceof z.ZodArray)
    return schema.clone({ ...schema.def, element: withClear(schema.element) });
  if (schema instanceof z.ZodObject) {
    const offered = offeredObject(schema);
    const fields = clearableFields(schema);
    return fields.size === 0
      ? offered
      : offered.transform((row, context) => clearFields(row, fields, context));
  }
  if (schema instanceof z.ZodType) return schema;
  throw new TypeError('Not a schema that an operation can have.');
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
