/**
 * Converts a schema to the JSON Schema of the tool list. Every model has to read that list, so it leaves out the
 * `$schema` keyword, whose default applies, and limits that the server reports when they are violated: no additional
 * properties, and nothing empty. It uses only forms that every host understands: one type for each schema, and no empty
 * schemas.
 */
import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { JsonObject } from '../platform/json.ts';

export type AdvertisedSchema = StandardSchemaWithJSON<JsonObject, JsonObject>;

type Direction = 'input' | 'output';

/**
 * Schemas are converted once, because every new connection requests them, and together, because they have most parts in
 * common.
 */
const converted = new WeakMap<z.ZodObject, JsonObject>();
const pending: Readonly<Record<Direction, Set<z.ZodObject>>> = { input: new Set(), output: new Set() };

/** An input schema accepts everything, because the arguments are parsed with the call (`tool-schemas.ts`). */
export function advertise(schema: z.ZodObject, direction: Direction): AdvertisedSchema {
  pending[direction].add(schema);
  const json = () => {
    if (!converted.has(schema)) convertPending(direction);
    return converted.get(schema) ?? {};
  };
  const { validate, ...standard } = schema['~standard'];
  return {
    '~standard': {
      ...standard,
      validate: direction === 'input' ? (args) => ({ value: { ...Object(args) } }) : validate,
      jsonSchema: { input: json, output: json },
    },
  };
}

function convertPending(direction: Direction): void {
  const schemas = [...pending[direction]];
  pending[direction].clear();
  const { properties = {} } = z.toJSONSchema(z.object(Object.fromEntries(schemas.entries())), {
    io: direction,
    override: ({ jsonSchema }) => {
      // OpenAI's strict mode accepts a schema without properties only if no additional ones are allowed.
      if (direction === 'input' && Object.keys(jsonSchema.properties ?? {}).length > 0)
        delete jsonSchema.additionalProperties;
      for (const limit of ['minimum', 'minItems', 'minLength'] as const)
        if (jsonSchema[limit] === 1) delete jsonSchema[limit];
    },
  });
  for (const [index, schema] of schemas.entries())
    converted.set(schema, { ...Object(portable(properties[index])) });
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
