/**
 * Converts a schema to the JSON Schema of the tool list. Every model has to read that list, so it leaves out the
 * `$schema` keyword, whose default applies, defaults, and limits that the server reports when they are violated: no
 * additional properties, nothing empty, and the largest numbers. It uses only forms that every host understands: one type for each schema, and no empty
 * schemas.
 */
import { z } from 'zod';
import type { JsonObject } from '../base/json.ts';

export type AdvertisedSchema = JsonObject & { readonly type: 'object' };

/** What a model need not know before it calls: an answer says how many rows there are, and an error how many are too many. */
const UNSAID = ['maximum', 'maxItems', 'default'] as const;

type Direction = 'input' | 'output';

/** Each schema is converted once, because every host requests it. */
const converted = new WeakMap<z.ZodObject, AdvertisedSchema>();

/** Converts schemas together, because they have most parts in common. Returns a function that returns the converted one. */
export function advertise(
  schemas: readonly z.ZodObject[],
  direction: Direction,
): (schema: z.ZodObject) => AdvertisedSchema {
  const missing = schemas.filter((schema) => !converted.has(schema));
  if (missing.length > 0) convert(missing, direction);
  return (schema) => converted.get(schema) ?? { type: 'object' };
}

function convert(schemas: readonly z.ZodObject[], direction: Direction): void {
  const { properties = {} } = z.toJSONSchema(z.object(Object.fromEntries(schemas.entries())), {
    io: direction,
    override: ({ jsonSchema }) => {
      // OpenAI's strict mode accepts a schema without properties only if no additional ones are allowed.
      if (direction === 'input' && Object.keys(jsonSchema.properties ?? {}).length > 0)
        delete jsonSchema.additionalProperties;
      for (const limit of ['minimum', 'minItems', 'minLength'] as const)
        if (jsonSchema[limit] === 1) delete jsonSchema[limit];
      if (direction === 'input') for (const name of UNSAID) delete jsonSchema[name];
    },
  });
  for (const [index, schema] of schemas.entries())
    converted.set(schema, { type: 'object', ...Object(portable(properties[index])) });
}

/** Replaces forms of zod that not every host understands: several types in one schema, and empty schemas. */
function portable(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(portable);
  if (typeof json !== 'object' || json === null) return json;
  const entries = Object.entries(json).flatMap(([name, value]): [string, unknown][] => {
    if (name === 'type' && Array.isArray(value)) return [['anyOf', value.map((type) => ({ type }))]];
    const isEmptySchema = name === 'additionalProperties' && Object.keys(Object(value)).length === 0;
    return isEmptySchema && value !== false ? [] : [[name, portable(value)]];
  });
  return Object.fromEntries(entries);
}
