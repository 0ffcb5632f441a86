/** Replaces the references in arguments. They are recognised by their schemas, as amounts are (`answers/units.ts`). Pure. */
import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { payeeName, type ReferenceKind, referenceKinds } from '../../base/schema/fields.ts';

export interface ReferenceReplacer {
  /** The id to use for a text. `path` is such as `transactions.0.payee_id`. */
  reference(kind: ReferenceKind, text: string, path: string): string;
  /** The `payee_id` to use instead of a `payee_name`. Undefined if the name stays. */
  payee(name: string, path: string): string | undefined;
}

/** The arguments, which `schema` has parsed, with their references replaced. */
export function replaceReferences(
  schema: z.ZodObject,
  args: JsonObject,
  replacer: ReferenceReplacer,
  path = '',
): JsonObject {
  const { payee_name, ...rest } = Object.fromEntries(
    Object.entries(args).map(([name, value]) => [
      name,
      replace(schema.shape[name], value, replacer, at(path, name)),
    ]),
  );
  if (payee_name === undefined) return rest;
  // The service uses the name only without an id.
  const isUsed = typeof payee_name === 'string' && typeof rest['payee_id'] !== 'string';
  const payee_id =
    isUsed && innermost(schema.shape['payee_name']) === payeeName
      ? replacer.payee(payee_name, at(path, 'payee_name'))
      : undefined;
  return payee_id === undefined ? { ...rest, payee_name } : { ...rest, payee_id };
}

function replace(
  wrapped: z.core.$ZodType | undefined,
  value: unknown,
  replacer: ReferenceReplacer,
  path: string,
): unknown {
  const schema = innermost(wrapped);
  if (schema instanceof z.ZodArray && Array.isArray(value))
    return value.map((item, index) => replace(schema.element, item, replacer, at(path, index)));
  if (schema instanceof z.ZodObject && isJsonObject(value))
    return replaceReferences(schema, value, replacer, path);
  const kind = schema && referenceKinds.get(schema);
  return kind && typeof value === 'string' ? replacer.reference(kind, value, path) : value;
}

function innermost(schema: z.core.$ZodType | undefined): z.core.$ZodType | undefined {
  const isWrapper =
    schema instanceof z.ZodNullable || schema instanceof z.ZodOptional || schema instanceof z.ZodDefault;
  return isWrapper ? innermost(schema.unwrap()) : schema;
}

const at = (path: string, name: string | number) => (path ? `${path}.${name}` : String(name));
