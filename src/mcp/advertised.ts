/**
 * A schema as it stands in a tool list, which every model has to read: without the dialect, which is the protocol's
 * default, and without the word that there are no further properties, which the server tells whoever tries one. Made
 * once, since every new connection asks for it.
 */
import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { z } from 'zod';

type Fields = Record<string, unknown>;

export type AdvertisedSchema = StandardSchemaWithJSON<Fields, Fields>;

export function advertised(schema: z.ZodObject): AdvertisedSchema {
  const made = new Map<string, Fields>();
  const json = (io: 'input' | 'output') => () => {
    const known = made.get(io);
    if (known) return known;
    const { $schema: _, ...rest } = z.toJSONSchema(schema, {
      io,
      override: ({ jsonSchema }) => {
        if (io === 'input') delete jsonSchema.additionalProperties;
      },
    });
    made.set(io, rest);
    return rest;
  };
  const { validate, ...standard } = schema['~standard'];
  return {
    '~standard': { ...standard, validate, jsonSchema: { input: json('input'), output: json('output') } },
  };
}
