/**
 * Formats the input of a write for a person: fields in words, entities by name, transactions by date, amount and
 * payee.
 */
import { z } from 'zod';
import type { NamedEntity } from '../client/references.ts';
import type { Simulation } from '../client/simulation.ts';
import { milliunits } from '../operations/fields.ts';
import { getTransaction } from '../operations/transactions.ts';
import type { Row } from './paging.ts';
import { indentLines, joinParts, joinWords, quote, word } from './text.ts';
import type { Money } from './units.ts';

export interface PendingChangeContext extends Pick<Simulation, 'current' | 'names'> {
  readonly money: Money;
}

type Names = Simulation['names'];

/** An entity without ids of its own. */
export function withoutIds(entity: unknown): unknown {
  if (Array.isArray(entity)) return entity.map(withoutIds);
  if (typeof entity !== 'object' || entity === null) return entity;
  const entries = Object.entries(entity).map(([field, value]) => [
    field,
    field === 'id' ? '' : withoutIds(value),
  ]);
  return Object.fromEntries(entries);
}

function nameOf(field: string, id: unknown, names: Names): string | undefined {
  const entity = field.endsWith('_id') && typeof id === 'string' ? names.get(id) : undefined;
  return entity && quote(entity.name);
}

/** One line for each row. Legs of a row are indented. `input` is in milliunits. */
export function formatPendingChange(
  schema: z.ZodObject,
  { transactions, ...fields }: Row,
  context: PendingChangeContext,
): string[] {
  const currentTransactions = transactionList.parse(context.current['transactions']);
  const [single] = Object.values(context.current).flatMap(
    (entity) => withAmount.safeParse(entity).data ?? [],
  );
  return [
    rowLine(schema, fields, context, single?.amount),
    ...rowsOf(schema, 'transactions', transactions).map(([element, row]) => {
      const current = currentTransactions.find((candidate) => refersTo(row, candidate));
      if (!current) return rowLine(element, row, context);
      const { id: _, import_id: __, ...change } = row;
      return `${summarize(current, context)}: ${rowLine(element, change, context, current.amount)}`;
    }),
  ].filter(Boolean);
}

const { date, amount, payee_id, payee_name, id, import_id } = getTransaction.output.shape.transaction.shape;
const transaction = z.object({ date, amount, payee_id, payee_name, id, import_id });
type Transaction = z.output<typeof transaction>;

const transactionList = z.array(transaction).default([]);
const withAmount = z.object({ amount });

const refersTo = (row: Row, current: Transaction) =>
  row['id'] === undefined ? row['import_id'] === current.import_id : row['id'] === current.id;

const summarize = (
  { date, amount, payee_id, payee_name }: Transaction,
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
  const list = unwrap(schema.shape[field]);
  if (!(list instanceof z.ZodArray) || !Array.isArray(value)) return [];
  const { element } = list;
  return element instanceof z.ZodObject ? value.map((row) => [element, row]) : [];
}

/** These fields are typed by users, so their values are quoted. */
const typedByUsers = new Set(['name', 'note', 'memo', 'payee_name', 'import_id']);

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
    if (unwrap(schema.shape[field]) === milliunits) return money(Number(value));
    return typedByUsers.has(field)
      ? quote(String(value))
      : (nameOf(field, value, names) ?? word(String(value)));
  };
  const formatField = (field: string, value: unknown) =>
    (field === 'payee_id'
      ? transferTo(names.get(String(value)), row['amount'] ?? currentAmount)
      : undefined) ?? joinWords(field.replace(/_id$/, '').replaceAll('_', ' '), formatValue(field, value));
  const parts = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => formatField(field, value));
  const legs = rowsOf(schema, 'subtransactions', subtransactions).map(([legSchema, leg]) =>
    rowLine(legSchema, leg, context),
  );
  return joinParts(...parts) + indentLines(legs);
}

const unwrap = (schema: z.core.$ZodType | undefined): z.core.$ZodType | undefined =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodNullable ? unwrap(schema.unwrap()) : schema;
