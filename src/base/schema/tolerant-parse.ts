/**
 * Parses what the service sent as far as it can be read. A row of the right form is parsed as `fastParse` does it. In another one, a
 * field that may be null becomes null, one that can be done without gets a value that says little, and a row without what it is about
 * is left out. Each of these is a gap, which answers name.
 */
import type { z } from 'zod';
import { isJsonObject, type JsonObject } from '../json.ts';
import { INVALID, parserOf, resultOf } from './fast-validate.ts';
import { isDay } from './fields.ts';
import type { Gap } from './gap.ts';
import { isOptional, isPlain, type Shape, shapeOf } from './walk.ts';

type Schema = z.core.$ZodType;

export interface ReadOptions {
  /** Yields after so many rows of a list. */
  readonly rowsInStep?: number | undefined;
  /** Refuses a value of which a row would be left out. */
  readonly mustBeWhole?: boolean;
}

const IDENTITY = /^(id|month|(scheduled_)?transaction_id)$/;
const SUBSTANCE = /^(date|date_first|date_next|amount|account_id)$/;
/** A budgeted amount is set as a whole, so that a wrong amount would be written back. */
const SUBSTANCE_IN_MONTH = /^(budgeted|activity|balance)$/;

/** A service with more of them has another form as a whole. */
const MAX_GAPS = 10_000;

interface Place {
  /** The name of the field or list. */
  readonly name: string;
  /** The thing that it is in. The budget is none. */
  readonly within?: Pick<Gap, 'kind' | 'id'> | undefined;
}

/** Undefined if too little of the value can be read. */
export function* parseTolerantly<Of extends Schema>(
  schema: Of,
  value: unknown,
  { rowsInStep = Number.POSITIVE_INFINITY, mustBeWhole = false }: ReadOptions = {},
): Generator<void, { readonly data: z.output<Of>; readonly gaps: readonly Gap[] } | undefined> {
  const gaps: Gap[] = [];
  const result = resultOf<Of>(yield* readValue(schema, value, { name: '' }));
  const isRefused = gaps.length > MAX_GAPS || (mustBeWhole && gaps.some(({ left_out }) => left_out));
  return result && !isRefused ? { ...result, gaps } : undefined;

  function* readValue(schema: Schema, value: unknown, place: Place): Generator<void, unknown> {
    const { type, fields, values, schema: inner } = shapeOf(schema);
    if (type === 'list' && values && !(isOptional(schema) && value === undefined))
      return yield* readList(values, value, place);
    const isInParts = type === 'object' && isPlain(inner) && (isThing(fields) || place.name === '');
    return isInParts && isJsonObject(value)
      ? yield* readObject(fields, value, place)
      : parserOf(schema)(value);
  }

  function* readList(element: Schema, value: unknown, place: Place): Generator<void, unknown[]> {
    const isList = Array.isArray(value);
    if (!isList) gaps.push({ ...thingIn({}, place), fields: {}, left_out: true });
    const parse = parserOf(element);
    const rows: unknown[] = [];
    for (const each of isList ? value : []) {
      let row = parse(each);
      if (row === INVALID) row = yield* readValue(element, each, place);
      if (row !== INVALID) rows.push(row);
      else if (!isJsonObject(each))
        gaps.push({ ...thingIn({}, place), fields: { [place.name]: null }, left_out: true });
      if (rows.length % rowsInStep === 0) yield;
    }
    return rows;
  }

  function* readObject(shape: Shape['fields'], value: JsonObject, place: Place): Generator<void, unknown> {
    const thing = thingIn(value, place);
    const within = thing.kind === 'budget' ? undefined : thing;
    const isDeleted = value['deleted'] === true;
    const isNeeded = (name: string) =>
      !isThing(shape) ||
      IDENTITY.test(name) ||
      (!isDeleted && SUBSTANCE.test(name)) ||
      (place.within?.kind === 'month' && SUBSTANCE_IN_MONTH.test(name));
    const fields: Record<string, unknown> = {};
    const taken: Gap['fields'] = {};
    let isUsable = true;
    for (const [name, part] of Object.entries(shape)) {
      let field = yield* readValue(part, value[name], { name, within });
      if (field === INVALID) {
        const standIn = standInFor(part, name, thing.kind);
        const isLost = standIn === undefined || (standIn !== null && isNeeded(name));
        if (isLost) isUsable = false;
        taken[name] = isLost ? null : standIn;
        field = isOptional(part) ? undefined : standIn;
      }
      if (field !== undefined) fields[name] = field;
    }
    const hasGap = Object.keys(taken).length > 0 && !(isDeleted && isUsable);
    if (hasGap && isThing(shape)) gaps.push({ ...thing, fields: taken, left_out: !isUsable });
    return isUsable ? fields : INVALID;
  }
}

const isThing = (shape: Shape['fields']) => 'id' in shape || 'month' in shape;

/** The parts of a gap that say which thing it is about, as far as they can be read. */
function thingIn(value: JsonObject, { name, within }: Place): Omit<Gap, 'fields' | 'left_out'> {
  const textIn = (...names: readonly string[]): string | null =>
    names.map((each) => value[each]).find((each) => typeof each === 'string') ?? null;
  return {
    // Such as `category` for `categories`.
    kind: name.replace(/ies$/, 'y').replace(/s$/, ''),
    id: textIn('id', 'month'),
    of: within?.id ?? textIn('transaction_id', 'scheduled_transaction_id'),
    name: textIn('name', 'payee_name'),
    date: [value['date'], value['date_next']].find(isDay) ?? null,
  };
}

/** The value of a field that cannot be read. Undefined if the field cannot be done without. */
function standInFor(schema: Schema, name: string, kind: string): Gap['fields'][string] | undefined {
  if (isOptional(schema) || parserOf(schema)(null) === null) return null;
  const { type } = shapeOf(schema);
  if (type === 'flag') return name === 'on_budget';
  if (type === 'number') return 0;
  if (type !== 'text') return undefined;
  const named = name === 'account_name' ? 'account' : kind.replaceAll('_', ' ');
  return /^(account_)?name$/.test(name) ? `unknown ${named}` : 'unknown';
}
