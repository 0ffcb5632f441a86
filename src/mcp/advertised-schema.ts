/**
 * A schema as it stands in a tool list, which every model has to read: without the dialect, which is the protocol's
 * default, and without what the server tells whoever tries it, that there are no further properties and that something
 * must not be empty. It has the forms that every host understands: one type for each schema, and none that is empty.
 */
import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { validateArguments } from './arguments.ts';

type Fields = Record<string, unknown>;

export type AdvertisedSchema = StandardSchemaWithJSON<Fields, Fields>;

type Side = 'input' | 'output';

/** Converted once, since every new connection asks for it, and together, since tools share most of their parts. */
const made = new WeakMap<z.ZodObject, Fields>();
const due: Readonly<Record<Side, Set<z.ZodObject>>> = { input: new Set(), output: new Set() };

/**
 * `side` says whether `schema` is for what a tool takes or for what it gives. `refusal` comes first in what is said of
 * arguments that are refused.
 */
export function advertise(schema: z.ZodObject, side: Side, refusal = ''): AdvertisedSchema {
  due[side].add(schema);
  const json = () => {
    if (!made.has(schema)) convertDue(side);
    return made.get(schema) ?? {};
  };
  const { validate, ...standard } = schema['~standard'];
  return {
    '~standard': {
      ...standard,
      validate: side === 'input' ? (given) => validatedBy(schema, given, refusal) : validate,
      jsonSchema: { input: json, output: json },
    },
  };
}

function validatedBy(schema: z.ZodObject, given: unknown, refusal: string) {
  const validated = validateArguments(schema, given);
  return 'value' in validated ? validated : { issues: [{ message: refusal + validated.problems }] };
}

function convertDue(side: Side): void {
  const schemas = [...due[side]];
  due[side].clear();
  const { properties = {} } = z.toJSONSchema(z.object(Object.fromEntries(schemas.entries())), {
    io: side,
    override: ({ jsonSchema }) => {
      if (side === 'input') delete jsonSchema.additionalProperties;
      for (const least of ['minimum', 'minItems', 'minLength'] as const)
        if (jsonSchema[least] === 1) delete jsonSchema[least];
    },
  });
  for (const [at, schema] of schemas.entries()) made.set(schema, { ...Object(portable(properties[at])) });
}

/** What zod says in ways that not every host understands: several types at once, and that anything goes. */
function portable(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(portable);
  if (typeof json !== 'object' || json === null) return json;
  const entries = Object.entries(json).flatMap(([name, value]): [string, unknown][] => {
    if (name === 'type' && Array.isArray(value)) return [['anyOf', value.map((type) => ({ type }))]];
    const saysNothing = name === 'additionalProperties' && Object.keys(Object(value)).length === 0;
    return saysNothing && value !== false ? [] : [[name, portable(value)]];
  });
  return Object.fromEntries(entries);
}
