/**
 * The schemas of a tool as hosts see them: amounts in currency units, with the arguments of every write and the fields
 * of every result. They are created once per tool, because each schema costs time and memory at start.
 */

import { distance } from 'fastest-levenshtein';
import { z } from 'zod';
import { frequencyInWords } from '../answers/frequencies.ts';
import { dateForms } from '../answers/references/dates.ts';
import { firstOf, listProblems, present } from '../answers/text.ts';
import type { WithArguments } from '../answers/tool.ts';
import { amountFromUnits, type FieldForms, schemaFromUnits } from '../answers/units.ts';
import { invalidInput } from '../base/errors.ts';
import { isJsonObject, type JsonObject, parseJson } from '../base/json.ts';
import { escapeUnseen, quote } from '../base/quote.ts';
import type { ValueKind } from '../base/schema/meaning.ts';
import { elementOf, mapData, objectOf, type Shape, shapeOf } from '../base/schema/walk.ts';
import { type ConfirmPolicy, mayNeedConfirmation } from '../operations/consent.ts';
import { offeredObject, withClear } from './clearable-fields.ts';

/** Arguments of every write that are not passed to the tool itself. */
const writeOptions = z.object({ dry_run: z.boolean().optional(), confirm: z.boolean().optional() });

export type WriteOptions = z.output<typeof writeOptions>;

/** The arguments of a call, after they were parsed. */
export interface ToolArguments {
  /** The tool's own arguments, with amounts in milliunits. */
  readonly own: JsonObject;
  readonly options: WriteOptions;
  /** The ignored arguments, in words. */
  readonly notes: readonly string[];
}

export interface ToolSchemas {
  /** The arguments as a host gives them, and as the tool list shows them. */
  readonly input: z.ZodObject;
  /** Throws `invalid_input`. */
  parse(args: unknown): ToolArguments;
}

const cache = new Map<ConfirmPolicy, WeakMap<WithArguments, ToolSchemas>>();

/** `policy` decides which tools have the argument `confirm`. */
export function schemasOf(tool: WithArguments, policy: ConfirmPolicy = 'deletes'): ToolSchemas {
  // A read never needs confirmation: its schemas are the same for every policy.
  const key = tool.kind === 'read' ? 'none' : policy;
  const ofPolicy = cache.get(key) ?? new WeakMap<WithArguments, ToolSchemas>();
  cache.set(key, ofPolicy);
  const schemas = ofPolicy.get(tool) ?? createSchemas(tool, policy);
  ofPolicy.set(tool, schemas);
  return schemas;
}

/** The forms in which hosts give amounts, dates and months. Many hosts show a model no other instructions. */
const hostForms: FieldForms = new Map<ValueKind, z.ZodType>([
  ['amount', amountFromUnits.meta({ description: 'like -12.34 (spent)' })],
  ['amount_size', amountFromUnits],
  ['balance', amountFromUnits.meta({ description: 'like 12.34, owed is negative' })],
  ...dateForms,
  ['frequency', frequencyInWords],
]);

function createSchemas(tool: WithArguments, policy: ConfirmPolicy): ToolSchemas {
  const { shape } = tool.input;
  const { confirm, dry_run } = writeOptions.shape;
  const complete = z.strictObject({
    ...Object.fromEntries(
      Object.entries(shape).map(([name, field]) => [name, schemaFromUnits(field, hostForms)]),
    ),
    ...(tool.kind !== 'read' && { dry_run }),
    ...(mayNeedConfirmation(policy, tool) && { confirm }),
  });
  const input = offeredObject(complete);
  let parser: z.ZodType | undefined;
  return {
    input,
    parse(args) {
      // Created with the first call, because the tool list needs no parsers.
      parser ??= withClear(complete);
      const { value, notes } = parseArguments(parser, input, args);
      const own = Object.fromEntries(Object.entries(value).filter(([name]) => name in shape));
      return { own, options: writeOptions.parse(value), notes };
    },
  };
}

/** Limits above what any tool needs. */
const LIMITS = { elements: 2_000, fields: 100, characters: 10_000, values: 50_000 } as const;
const MAX_MESSAGE_LENGTH = 300;
const MAX_NOTES = 5;

/** `offered` is the object that `schema` parses. `notes` are the ignored arguments, in words. Throws `invalid_input`. */
export function parseArguments(schema: z.ZodType, offered: z.ZodObject, args: unknown) {
  const values = isJsonObject(args) ? mapData(offered, args, { before: fromJsonText }) : args;
  if (isTooLarge(values)) throw invalidInput(tooLarge);
  const emptied: string[] = [];
  const given = withoutEmpty(values ?? {}, emptied);
  const { known, ignored, misspelt } = separateUnknown(given, offered.shape);
  if (misspelt.length > 0) throw invalidInput(`${listProblems(misspelt)}.`);
  const { data, error } = schema.safeParse(known);
  if (error) {
    const problems = error.issues.map(({ path, message, code }) => {
      const field = String(path.at(-1));
      const emptying =
        code === 'invalid_value' && isClearedIn(offered, field) && `to empty it: clear: ["${field}"]`;
      return present([[path.join('.'), shorten(message)].filter(Boolean).join(': '), emptying]).join('; ');
    });
    throw invalidInput(`${listProblems(problems)}.`);
  }
  const value: JsonObject = Object.fromEntries(Object.entries(Object(data)));
  const twice = payeesGivenTwice(value);
  if (twice.length > 0) throw invalidInput(`${listProblems(twice)}.`);
  return { value, notes: notesOn(ignored, emptied) };
}

/** True if `clear` takes the field, which may be one of rows. */
const isClearedIn = ({ shape }: z.ZodObject, field: string): boolean =>
  [shape, ...Object.values(shape).map(rowShapeOf)].some(({ clear }) => {
    const names = clear && elementOf(clear);
    return names instanceof z.ZodEnum && names.options.includes(field);
  });

/** Some hosts send values that are no texts as their JSON text. Any other text is left for the schema to refuse. */
function fromJsonText({ type }: Shape, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (type === 'number') return jsonIn(value, (json) => typeof json === 'number');
  if (type === 'flag') return jsonIn(value, (json) => typeof json === 'boolean');
  if (type === 'list') return jsonIn(value, Array.isArray);
  return type === 'object' ? jsonIn(value, isJsonObject) : value;
}

function jsonIn(text: string, isMeant: (json: unknown) => boolean): unknown {
  const json = parseJson(text);
  return isMeant(json) ? json : text;
}

const tooLarge = `Too much at once: a list may have ${LIMITS.elements} elements, an object ${LIMITS.fields} fields, a text ${LIMITS.characters} characters, and all of it ${LIMITS.values} values.`;

function isTooLarge(args: unknown): boolean {
  const open = [args];
  let count = 0;
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === 'string' && value.length > LIMITS.characters) return true;
    if (typeof value !== 'object' || value === null) continue;
    const inner = Object.values(value);
    if (!Array.isArray(value) && Object.keys(value).some((name) => name.length > LIMITS.characters))
      return true;
    count += inner.length;
    if (inner.length > (Array.isArray(value) ? LIMITS.elements : LIMITS.fields) || count > LIMITS.values)
      return true;
    open.push(...inner);
  }
  return false;
}

/**
 * Removes fields that are null or an empty text, which mean "not given". Adds the paths of the empty texts to `emptied`.
 * A deeper level than any tool has is left as it is, for the schema to refuse.
 */
function withoutEmpty(value: unknown, emptied: string[], path: readonly string[] = []): unknown {
  if (path.length > MAX_DEPTH) return value;
  if (Array.isArray(value))
    return value.map((item, index) => withoutEmpty(item, emptied, [...path, String(index)]));
  if (!isJsonObject(value)) return value;
  const fields = Object.entries(value).flatMap(([name, field]): [string, unknown][] => {
    const fieldPath = [...path, name];
    if (field === '') emptied.push(fieldPath.join('.'));
    return field === '' || field === null ? [] : [[name, withoutEmpty(field, emptied, fieldPath)]];
  });
  return Object.fromEntries(fields);
}

/**
 * Objects that give a payee by id and by another name. The service would use the id and drop the name without an error
 * (docs/interface.md, Transaction).
 */
function payeesGivenTwice(value: unknown, path: readonly string[] = []): string[] {
  if (Array.isArray(value))
    return value.flatMap((item, index) => payeesGivenTwice(item, [...path, String(index)]));
  if (!isJsonObject(value)) return [];
  const { payee_id, payee_name } = value;
  const isTwice = typeof payee_id === 'string' && payee_name !== undefined && payee_name !== payee_id;
  return [
    ...(isTwice ? [`${[...path, 'payee_name'].join('.')}: there is a payee_id too, give one of them`] : []),
    ...Object.entries(value).flatMap(([name, field]) => payeesGivenTwice(field, [...path, name])),
  ];
}

/** `transactions.0.subtransactions.0` is the deepest object. */
const MAX_DEPTH = 5;

/**
 * Separates the arguments that the tool does not have. Anything but an object is left for the schema to refuse. A field
 * of the rows that is given beside them is refused, because a write without it would not be what was meant.
 */
function separateUnknown(args: unknown, shape: z.core.$ZodShape) {
  if (!isJsonObject(args)) return { known: args, ignored: [], misspelt: [] };
  const names = Object.keys(shape);
  const rowFields = names.map((name) => [name, rowFieldsOf(shape[name])] as const);
  const entries = Object.entries(args);
  const knownEntries = entries
    .filter(([name]) => names.includes(name))
    .map(([name, value]) => {
      const isSingle = typeof value === 'string' && isListOfTexts(shape[name]);
      return [name, isSingle ? [value] : value];
    });
  const ignored = entries.map(([name]) => name).filter((name) => !names.includes(name));
  const misspelt = ignored.flatMap((name) => {
    const meant = names.find((known) => isMisspelt(name, known) || synonyms.get(lettersOf(name)) === known);
    if (meant !== undefined) return [`there is no argument ${quoted(name)}, use ${meant}`];
    const list = rowFields.find(([, fields]) => fields.some((field) => isMisspelt(name, field)))?.[0];
    return list === undefined
      ? []
      : [`there is no argument ${quoted(name)}, each row of ${list} has its own`];
  });
  return { known: Object.fromEntries(knownEntries), ignored, misspelt };
}

/** A single text is taken as a list of one. */
const isListOfTexts = (field: z.core.$ZodType | undefined) => {
  const element = elementOf(field);
  return element !== undefined && shapeOf(element).type === 'text';
};

/** The fields of the rows, if an argument is a list of rows. */
const rowFieldsOf = (field: z.core.$ZodType | undefined) => Object.keys(rowShapeOf(field));

function rowShapeOf(field: z.core.$ZodType | undefined): z.core.$ZodShape {
  return objectOf(elementOf(field))?.shape ?? {};
}

/** Other words for arguments, as letters only. Ignoring one of them would write to another budget, or write at all. */
const synonyms: ReadonlyMap<string, string> = new Map([
  ['plan', 'budget_id'],
  ['planid', 'budget_id'],
  ['planname', 'budget_id'],
  ['preview', 'dry_run'],
  ['previewonly', 'dry_run'],
  ['simulate', 'dry_run'],
  ['validateonly', 'dry_run'],
  ['testrun', 'dry_run'],
]);

/** Whether a name is `known` in other letters (`accountId`), without its ending (`account`), or with a typing error. */
function isMisspelt(name: string, known: string): boolean {
  if (name.length > 2 * known.length + 4) return false;
  const plain = lettersOf(name);
  const knownPlain = lettersOf(known);
  if (plain.length < 3) return false;
  return (
    stemOf(plain) === stemOf(knownPlain) ||
    distance(plain, knownPlain) <= Math.floor(Math.max(plain.length, knownPlain.length) / 5)
  );
}

const lettersOf = (name: string) => name.toLowerCase().replace(/[^a-z]/g, '');
const stemOf = (letters: string) => letters.replace(/(id|ids|name|date)$/, '') || letters;

function notesOn(ignored: readonly string[], emptied: readonly string[]): string[] {
  const list = (names: readonly string[]) => firstOf(names.map(quoted), MAX_NOTES).join(', ');
  return [
    ...(ignored.length > 0 ? [`Ignored, since this tool has no such argument: ${list(ignored)}.`] : []),
    ...(emptied.length > 0 ? [`Ignored, since an empty text means "not given": ${list(emptied)}.`] : []),
  ];
}

/** A message of zod may contain the names of unknown arguments. */
const shorten = (message: string) =>
  escapeUnseen(message.length > MAX_MESSAGE_LENGTH ? `${message.slice(0, MAX_MESSAGE_LENGTH)}…` : message);

const quoted = (name: string) => shorten(quote(name));
