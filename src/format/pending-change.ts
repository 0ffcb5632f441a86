/**
 * What a write would send, as a person reads it: the fields in words, each thing by the name that the budget has for it,
 * a transaction by what a person knows of it.
 */
import { z } from 'zod';
import type { Operation } from '../operations/operation.ts';
import { milliunits } from '../schema/fields.ts';
import { transaction } from '../schema/transaction.ts';
import type { NamedEntity } from '../writes/references.ts';
import type { Simulation } from '../writes/simulation.ts';
import type { Row } from './paging.ts';
import { indentLines, joinParts, joinWords, quote, word } from './text.ts';
import type { Money } from './units.ts';

export interface PendingChangeContext extends Pick<Simulation, 'current' | 'names'> {
  readonly money: Money;
}

type Names = Simulation['names'];

/** A thing as it stands, without its own ids. */
export function withoutIds(thing: unknown): unknown {
  if (Array.isArray(thing)) return thing.map(withoutIds);
  if (typeof thing !== 'object' || thing === null) return thing;
  const entries = Object.entries(thing).map(([field, value]) => [
    field,
    field === 'id' ? '' : withoutIds(value),
  ]);
  return Object.fromEntries(entries);
}

function nameOf(field: string, id: unknown, names: Names): string | undefined {
  const thing = field.endsWith('_id') && typeof id === 'string' ? names.get(id) : undefined;
  return thing && quote(thing.name);
}

/** One line for each row; the legs of a row are indented. `input` is in milliunits. */
export function formatPendingChange(
  { input: schema, batch = '' }: Operation,
  { [batch]: list, ...fields }: Row,
  words: PendingChangeContext,
): string[] {
  const standing = transactionsIn.parse(words.current[batch]);
  const [only] = Object.values(words.current).flatMap((each) => withAmount.safeParse(each).data ?? []);
  return [
    rowLine(schema, fields, words, only?.amount),
    ...rowsOf(schema, batch, list).map(([element, row]) => {
      const about = standing.find((each) => isAbout(row, each));
      if (!about) return rowLine(element, row, words);
      const { id: _, import_id: __, ...change } = row;
      return `${briefly(about, words)}: ${rowLine(element, change, words, about.amount)}`;
    }),
  ].filter(Boolean);
}

const { date, amount, payee_id, payee_name, id, import_id } = transaction.shape;
const standingRow = z.object({ date, amount, payee_id, payee_name, id, import_id });
type StandingRow = z.output<typeof standingRow>;

const transactionsIn = z.array(standingRow).default([]);
const withAmount = z.object({ amount });

const isAbout = (row: Row, standing: StandingRow) =>
  row['id'] === undefined ? row['import_id'] === standing.import_id : row['id'] === standing.id;

const briefly = (
  { date, amount, payee_id, payee_name }: StandingRow,
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
  const list = within(schema.shape[field]);
  if (!(list instanceof z.ZodArray) || !Array.isArray(value)) return [];
  const { element } = list;
  return element instanceof z.ZodObject ? value.map((row) => [element, row]) : [];
}

/** Names and memos are quoted, as everywhere. */
const typedByUsers = new Set(['name', 'note', 'memo', 'payee_name', 'import_id']);

/** `standing` is the amount where the row itself says none. */
function rowLine(schema: z.ZodObject, row: Row, words: PendingChangeContext, standing?: number): string {
  const { money, names } = words;
  const { subtransactions, ...fields } = row;
  const said = (field: string, value: unknown): string => {
    if (value === null) return 'none';
    if (typeof value === 'boolean') return value ? 'yes' : 'no';
    if (within(schema.shape[field]) === milliunits) return money(Number(value));
    return typedByUsers.has(field)
      ? quote(String(value))
      : (nameOf(field, value, names) ?? word(String(value)));
  };
  const part = (field: string, value: unknown) =>
    (field === 'payee_id' ? transferTo(names.get(String(value)), row['amount'] ?? standing) : undefined) ??
    joinWords(field.replace(/_id$/, '').replaceAll('_', ' '), said(field, value));
  const parts = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => part(field, value));
  const legs = rowsOf(schema, 'subtransactions', subtransactions).map(([leg, each]) =>
    rowLine(leg, each, words),
  );
  return joinParts(...parts) + indentLines(legs);
}

const within = (schema: z.core.$ZodType | undefined): z.core.$ZodType | undefined =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodNullable ? within(schema.unwrap()) : schema;
