/** Which fields of a write can be emptied, and by which name (`mcp/clearable-fields.ts`). */
import { z } from 'zod';
import { isNullable, isOptional, objectOf, shapeOf } from './walk.ts';

/** The name that `clear` takes for a field. */
export const nameToClear = (field: string) => field.replace(/_(id|name)$/, '');

/** The type of a clearable field without null. Undefined if null does not empty the field. */
export function withoutNull(schema: z.core.$ZodType): z.ZodType | undefined {
  if (!shapeOf(schema).meaning.isClearable || !isOptional(schema)) return undefined;
  const inner = schema.unwrap();
  return isNullable(inner) ? z.optional(inner.unwrap()) : undefined;
}

/** The clearable fields by the names that `clear` takes. */
export const clearableFields = (schema: z.core.$ZodType | undefined): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(objectOf(schema)?.shape ?? {})
      .filter(([, type]) => shapeOf(type).meaning.isClearable)
      .map(([field]) => [nameToClear(field), field]),
  );
