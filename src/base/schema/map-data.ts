/** Goes through data along its schema, because the schema says what a value is: an amount, a day or a reference. Pure. */
import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../json.ts';

type Schema = z.core.$ZodType;

export interface DataMapper {
  /** The value to map in place of the given one. `schema` is its innermost schema. Without it, that is the value. */
  before?(schema: Schema, value: unknown): unknown;
  /** The value to use. `schema` is its innermost schema. `path` is only valid during the call. */
  value(schema: Schema, value: unknown, path: readonly (string | number)[]): unknown;
  /** The object to use. Its values are mapped already. */
  object?(schema: z.ZodObject, object: JsonObject, path: readonly (string | number)[]): JsonObject;
}

/** A schema without what makes it optional or nullable or gives it a default. */
export function innermost(schema: Schema): Schema;
export function innermost(schema: Schema | undefined): Schema | undefined;
export function innermost(schema: Schema | undefined): Schema | undefined {
  if (schema instanceof z.ZodPipe) return innermost(schema.in);
  const isWrapper =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodReadonly;
  return isWrapper ? innermost(schema.unwrap()) : schema;
}

/** How a schema describes its values, by its innermost schema. */
type Shape =
  | { readonly kind: 'object'; readonly schema: z.ZodObject }
  | { readonly kind: 'list' | 'record'; readonly schema: Schema; readonly values: Schema }
  | { readonly kind: 'value'; readonly schema: Schema };

const shapes = new WeakMap<Schema, Shape>();

/** Found once for each schema, since asking what kind a schema is takes longer than mapping a value. */
function shapeOf(schema: Schema): Shape {
  const shape = shapes.get(schema) ?? findShape(innermost(schema));
  shapes.set(schema, shape);
  return shape;
}

function findShape(schema: Schema): Shape {
  if (schema instanceof z.ZodObject) return { kind: 'object', schema };
  if (schema instanceof z.ZodArray) return { kind: 'list', schema, values: schema.element };
  if (schema instanceof z.ZodRecord) return { kind: 'record', schema, values: schema.valueType };
  return { kind: 'value', schema };
}

/** The schema of the rows of a list. Undefined if it is no list. */
export function elementOf(schema: Schema | undefined): Schema | undefined {
  const list = innermost(schema);
  return list instanceof z.ZodArray ? list.element : undefined;
}

/** The fields that the schema has. */
export const knownFields = ({ shape }: z.ZodObject, object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([name]) => name in shape));

/** Values that no schema describes stay as they are. */
export function mapData(schema: z.ZodObject, data: JsonObject, mapper: DataMapper): JsonObject {
  const path: (string | number)[] = [];
  const mapAt = (key: string | number, schema: Schema | undefined, value: unknown): unknown => {
    path.push(key);
    const mapped = schema ? map(shapeOf(schema), value) : value;
    path.pop();
    return mapped;
  };
  const mapObject = (object: JsonObject, schemaOf: (name: string) => Schema | undefined): JsonObject =>
    Object.fromEntries(
      Object.entries(object).map(([name, value]) => [name, mapAt(name, schemaOf(name), value)]),
    );
  const ofObject = (schema: z.ZodObject, object: JsonObject): JsonObject => {
    const mapped = mapObject(object, (name) => schema.shape[name]);
    return mapper.object?.(schema, mapped, path) ?? mapped;
  };
  const map = (shape: Shape, given: unknown): unknown => {
    const value = mapper.before ? mapper.before(shape.schema, given) : given;
    if (shape.kind === 'list' && Array.isArray(value))
      return value.map((item, index) => mapAt(index, shape.values, item));
    if (shape.kind === 'object' && isJsonObject(value)) return ofObject(shape.schema, value);
    if (shape.kind === 'record' && isJsonObject(value)) return mapObject(value, () => shape.values);
    return shape.kind === 'value' ? mapper.value(shape.schema, value, path) : value;
  };
  return ofObject(schema, data);
}
