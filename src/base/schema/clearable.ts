/** Which fields of a write can be emptied, and by which name (`mcp/clearable-fields.ts`). */
import { z } from 'zod';

/** The name that `clear` takes for a field. */
export const nameToClear = (field: string) => field.replace(/_(id|name)$/, '');

/** The type of a nullable field without null. Undefined if it cannot be null. */
export function withoutNull(schema: z.core.$ZodType | undefined): z.ZodType | undefined {
  if (!(schema instanceof z.ZodOptional)) return undefined;
  const inner = schema.unwrap();
  if (!(inner instanceof z.ZodNullable)) return undefined;
  const value = inner.unwrap();
  return value instanceof z.ZodType ? value.optional() : undefined;
}

/** The nullable fields by the names that `clear` takes. */
export const clearableFields = (schema: z.core.$ZodType | undefined): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(schema instanceof z.ZodObject ? schema.shape : {})
      .filter(([, type]) => withoutNull(type) !== undefined)
      .map(([field]) => [nameToClear(field), field]),
  );
