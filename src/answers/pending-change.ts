/**
 * Formats the input of a write for the user who confirms it. Entities are shown by their names, and transactions by
 * date, amount and payee instead of ids.
 */
import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../base/json.ts';
import { isAmount } from '../base/schema/meaning.ts';
import { transaction } from '../base/schema/transaction.ts';
import { elementOf, objectOf, shapeOf } from '../base/schema/walk.ts';
import { refersTo } from '../model/bookkeeping/entry-key.ts';
import type { Operation } from '../operations/operation.ts';
import type { NamedEntity, Simulation } from '../operations/simulation.ts';
import type { Row } from './fit-rows.ts';
import { firstOf, indentLines, joinParts, joinWords, quote, word } from './text.ts';
import type { Money } from './units.ts';

interface PendingChangeContext extends Pick<Simulation, 'current' | 'names'> {
  readonly money: Money;
}

/** One line for each row; the legs of a row are indented. `input` is in milliunits. */
export function formatPendingChange(
  { input: schema, batch = '' }: Operation,
  { [batch]: list, ...fields }: JsonObject,
  context: PendingChangeContext,
): string[] {
  const currentRows = currentRowsSchema.parse(context.current[batch]);
  const amounts = Object.values(context.current).map((each) => isJsonObject(each) && each['amount']);
  const target = amounts.find((each) => typeof each === 'number');
  return [
    rowLine(schema, fields, context, target),
    ...rowsOf(schema, batch, list).map(([element, row]) => {
      const current = currentRows.find((each) => refersTo(row, each));
      if (!current) return rowLine(element, row, context);
      const { id: _, import_id: __, ...change } = row;
      return `${shortLine(current, context)}: ${rowLine(element, change, context, current.amount)}`;
    }),
  ].filter(Boolean);
}

const { date, amount, payee_id, payee_name, id, import_id } = transaction.shape;
const currentRowSchema = z.object({ date, amount, payee_id, payee_name, id, import_id });
type CurrentRow = z.output<typeof currentRowSchema>;

const currentRowsSchema = z.array(currentRowSchema).default([]);

const shortLine = (
  { date, amount, payee_id, payee_name }: CurrentRow,
  { money, names }: PendingChangeContext,
) =>
  joinParts(
    word(date),
    money(amount),
    transferTo(names.get(payee_id ?? ''), amount) ?? (payee_name !== null && quote(payee_name)),
  );

function transferTo(payee: NamedEntity | undefined, amount: unknown): string | undefined {
  return payee?.isTransfer
    ? `transfer ${Number(amount) > 0 ? 'from' : 'to'} ${quote(payee.name)}`
    : undefined;
}

/** The rows of a list, each with the schema of its fields. */
function rowsOf(schema: z.ZodObject, field: string, value: unknown): [z.ZodObject, Row][] {
  const element = objectOf(elementOf(schema.shape[field]));
  return element && Array.isArray(value) ? value.map((row) => [element, row]) : [];
}

/** Fields with text from users or banks, which is quoted. */
const quotedFields = new Set(['name', 'note', 'memo', 'payee_name', 'import_id']);

/** `currentAmount` is used if the row has no amount. */
function rowLine(
  schema: z.ZodObject,
  row: Row,
  context: PendingChangeContext,
  currentAmount?: number,
): string {
  const { money, names } = context;
  const { subtransactions, ...fields } = row;
  const formatValue = (field: string, value: unknown): string => {
    if (value === null) return 'none';
    if (typeof value === 'boolean') return value ? 'yes' : 'no';
    const inner = schema.shape[field];
    if (inner && isAmount(shapeOf(inner).meaning)) return money(Number(value));
    const text = String(value);
    if (quotedFields.has(field)) return quote(text);
    const named = field.endsWith('_id') ? names.get(text) : undefined;
    return named ? quote(named.name) : word(text);
  };
  const part = (field: string, value: unknown) =>
    (field === 'payee_id'
      ? transferTo(names.get(String(value)), row['amount'] ?? currentAmount)
      : undefined) ?? joinWords(field.replace(/_id$/, '').replaceAll('_', ' '), formatValue(field, value));
  const parts = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => part(field, value));
  const legs = rowsOf(schema, 'subtransactions', subtransactions).map(([leg, each]) =>
    rowLine(leg, each, context),
  );
  return joinParts(...parts) + indentLines(firstOf(legs, MAX_LEGS, 'legs'));
}

/** The person has to see what is confirmed, but no host shows 200 legs. */
const MAX_LEGS = 10;
