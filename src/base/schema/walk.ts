/**
 * Reads schemas, and goes through data along them, because the schema says what a value is. The only file that knows of what schemas
 * are built: a kind that it does not know is an error, so that no meaning is lost. Pure.
 */
import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../json.ts';
import { type Meaning, meanings } from './meaning.ts';

type Schema = z.core.$ZodType;

/** The values that a schema describes, without what makes it optional or nullable, gives it a default or changes its values. */
export interface Shape {
  readonly type: 'object' | 'list' | 'record' | 'choice' | 'text' | 'number' | 'flag' | 'other';
  readonly meaning: Meaning;
  /** The innermost schema. */
  readonly schema: Schema;
  /** The fields of an object. */
  readonly fields: Readonly<Record<string, Schema>>;
  /** The schema of each element or value of a list or record. */
  readonly values?: Schema;
  /** The schemas of which a value matches one. */
  readonly options: readonly Schema[];
}

const shapes = new WeakMap<Schema, Shape>();

/** Found once for each schema, since asking what kind a schema is takes longer than mapping a value. */
export function shapeOf(schema: Schema): Shape {
  const shape = shapes.get(schema) ?? findShape(schema);
  shapes.set(schema, shape);
  return shape;
}

function findShape(schema: Schema): Shape {
  const inner = unwrappedOnce(schema);
  const own = meanings.get(schema);
  if (inner) {
    const shape = shapeOf(inner);
    return own ? { ...shape, meaning: { ...shape.meaning, ...own } } : shape;
  }
  const shape = { schema, meaning: own ?? {}, fields: {}, options: [] };
  if (schema instanceof z.ZodObject) return { ...shape, type: 'object', fields: schema.shape };
  if (schema instanceof z.ZodArray) return { ...shape, type: 'list', values: schema.element };
  if (schema instanceof z.ZodRecord) return { ...shape, type: 'record', values: schema.valueType };
  if (schema instanceof z.ZodUnion) return { ...shape, type: 'choice', options: schema.options };
  if (schema instanceof z.ZodString) return { ...shape, type: 'text' };
  if (schema instanceof z.ZodNumber) return { ...shape, type: 'number' };
  if (schema instanceof z.ZodBoolean) return { ...shape, type: 'flag' };
  if (leaves.some((each) => schema instanceof each)) return { ...shape, type: 'other' };
  throw unknownSchema();
}

/** They contain no other schema, but for JSON of any form. */
const leaves = [z.ZodEnum, z.ZodLiteral, z.ZodNull, z.ZodUnknown, z.ZodCustom, z.ZodLazy] as const;

const unknownSchema = () => new TypeError('Not a schema that an operation or a tool can have.');

/** The schema in one that makes it optional or nullable, gives it a default or changes its values. */
function unwrappedOnce(schema: Schema): Schema | undefined {
  if (schema instanceof z.ZodPipe) return schema.in instanceof z.ZodTransform ? schema.out : schema.in;
  const isWrapper =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodReadonly;
  return isWrapper ? schema.unwrap() : undefined;
}

/** Tells whether the value can be missing, null or filled in. It becomes no other value than the schema in it has. */
export const isOptional = (schema: Schema): schema is z.ZodOptional => schema instanceof z.ZodOptional;
export const isNullable = (schema: Schema): schema is z.ZodNullable => schema instanceof z.ZodNullable;
export const hasDefault = (schema: Schema): schema is z.ZodDefault => schema instanceof z.ZodDefault;
export const isReadonly = (schema: Schema): schema is z.ZodReadonly => schema instanceof z.ZodReadonly;

export const objectOf = (schema: Schema | undefined): z.ZodObject | undefined => {
  const inner = schema && shapeOf(schema).schema;
  return inner instanceof z.ZodObject ? inner : undefined;
};

/** The schema of the rows of a list. Undefined if it is no list. */
export function elementOf(schema: Schema | undefined): Schema | undefined {
  const shape = schema && shapeOf(schema);
  return shape?.type === 'list' ? shape.values : undefined;
}

/** Tells whether a schema only says the types of values, or of the fields that it has. */
export const isPlain = (schema: Schema): boolean =>
  schema instanceof z.ZodType &&
  !schema.def.checks?.length &&
  !('coerce' in schema.def && schema.def.coerce) &&
  !(schema instanceof z.ZodObject && schema.def.catchall) &&
  !(schema instanceof z.ZodRecord && !(schema.keyType instanceof z.ZodString && isPlain(schema.keyType)));

export const isInteger = (schema: Schema): boolean =>
  schema instanceof z.ZodNumber && schema.format === 'safeint';

/** The schema to use in place of a part. Undefined leaves out a field of an object. */
type Change = (part: Schema) => Schema | undefined;

/**
 * The same schema with other ones in it. It keeps its checks, such as limits and the sum of splits, and its meaning. Returns the
 * schema itself if nothing in it changes.
 */
export function withParts(schema: Schema, change: Change): z.ZodType {
  const changed = changeParts(schema, change);
  const meaning = meanings.get(schema);
  if (meaning && changed !== schema) changed.register(meanings, meaning);
  return changed;
}

function changeParts(schema: Schema, change: Change): z.ZodType {
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries(schema.shape);
    const changed = fields.flatMap(([name, each]) => {
      const part = change(each);
      return part ? [[name, part] as const] : [];
    });
    const isSame =
      fields.length === changed.length && changed.every(([name, each]) => each === schema.shape[name]);
    return isSame ? schema : schema.clone({ ...schema.def, shape: Object.fromEntries(changed) });
  }
  if (schema instanceof z.ZodUnion) {
    const options = schema.options.map((each) => change(each) ?? each);
    const isSame = options.every((each, at) => each === schema.options[at]);
    return isSame ? schema : schema.clone({ ...schema.def, options });
  }
  const part = partOf(schema);
  const inner = part && change(part);
  if (!inner || inner === part) {
    if (schema instanceof z.ZodType) return schema;
    throw unknownSchema();
  }
  if (schema instanceof z.ZodArray) return schema.clone({ ...schema.def, element: inner });
  if (schema instanceof z.ZodRecord) return schema.clone({ ...schema.def, valueType: inner });
  if (schema instanceof z.ZodOptional) return schema.clone({ ...schema.def, innerType: inner });
  if (schema instanceof z.ZodNullable) return schema.clone({ ...schema.def, innerType: inner });
  if (schema instanceof z.ZodDefault) return schema.clone({ ...schema.def, innerType: inner });
  if (schema instanceof z.ZodReadonly) return schema.clone({ ...schema.def, innerType: inner });
  if (schema instanceof z.ZodPipe)
    return schema.clone({ ...schema.def, ...(schema.in === part ? { in: inner } : { out: inner }) });
  throw unknownSchema();
}

/** The only schema in another one, if there is one. */
const partOf = (schema: Schema): Schema | undefined => unwrappedOnce(schema) ?? shapeOf(schema).values;

export interface DataMapper {
  /** The value to map in place of the given one. Without it, that is the value. */
  before?(shape: Shape, value: unknown): unknown;
  /** The value to use. `path` is only valid during the call. */
  value?(shape: Shape, value: unknown, path: readonly (string | number)[]): unknown;
  /** The object to use. Its values are mapped already. */
  object?(shape: Shape, object: JsonObject, path: readonly (string | number)[]): JsonObject;
}

/** The type of a value that may have the form of a host still, so that its schema refuses it. */
function typeOf(value: unknown): Shape['type'] {
  if (typeof value === 'string') return 'text';
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'flag';
  if (Array.isArray(value)) return 'list';
  return isJsonObject(value) ? 'object' : 'other';
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
  const ofObject = (shape: Shape, object: JsonObject): JsonObject => {
    const mapped = mapObject(object, (name) => shape.fields[name]);
    return mapper.object?.(shape, mapped, path) ?? mapped;
  };
  const map = (shape: Shape, given: unknown): unknown => {
    const value = mapper.before ? mapper.before(shape, given) : given;
    const { type, values, options } = shape;
    if (type === 'object') return isJsonObject(value) ? ofObject(shape, value) : value;
    if (type === 'list')
      return Array.isArray(value) ? value.map((item, index) => mapAt(index, values, item)) : value;
    if (type === 'record') return isJsonObject(value) ? mapObject(value, () => values) : value;
    if (type === 'choice') {
      const option =
        options.find((each) => z.safeParse(each, value).success) ??
        options.find((each) => shapeOf(each).type === typeOf(value));
      return option ? map(shapeOf(option), value) : value;
    }
    return mapper.value ? mapper.value(shape, value, path) : value;
  };
  return ofObject(shapeOf(schema), data);
}
