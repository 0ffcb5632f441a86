/**
 * What there is to tell of a write before it is carried out: to the model that asked for a dry run, and to the person
 * whose consent it needs.
 */
import { z } from 'zod';
import type { Effect, Preview } from '../client/preview.ts';
import type { BudgetSummary } from '../operations/budgets.ts';
import { milliunits } from '../operations/fields.ts';
import type { Operation } from '../operations/operation.ts';
import { lines } from './lines.ts';
import type { Row } from './paging.ts';
import { indent, join, Prose, phrase, quote } from './prose.ts';
import { type Money, moneyIn, toUnits } from './units.ts';
import { balanceInUnits, cutLines, type Told } from './writes.ts';

/** What a dry run found out. The text leaves out what would be sent: whoever reads it has just said it. */
export function tellPreview(operation: Operation, input: Row, found: Preview, { money }: Prose): Told {
  const { current, effects, problems } = found;
  const then = (kind: Effect['kind']) =>
    effects
      .filter((each) => each.kind === kind)
      .map(({ id, name, balance_then }) => balanceInUnits({ id, name, balance: balance_then }));
  const isThere = Object.keys(current).length > 0;
  return {
    fields: {
      outcome: 'dry_run',
      balances: { accounts: then('account'), categories: then('category') },
      would_send: { route: operation.route, input: toUnits(operation.input, input) },
      ...(problems.length > 0 && { problems }),
    },
    said: [
      `Dry run: nothing was written.${isThere ? ' As it stands now:' : ''}`,
      problems.length > 0
        ? `It would be refused: ${problems.join('; ')}.`
        : 'Accounts, categories and dates were checked: nothing against it was found.',
      ...effectLines(effects, money),
    ],
  };
}

const effectLines = (effects: readonly Effect[], money: Money) =>
  cutLines(
    effects.map(
      ({ kind, name, balance_now, balance_then }) =>
        `${kind === 'account' ? 'Account' : 'Category'} ${quote(name)}: ${money(balance_now)} now, ${money(balance_then)} then.`,
    ),
    'balances',
  );

/**
 * The question to a person, in as few words as will do: what would be done, to what, and where it would leave the
 * balances. `input` is in milliunits.
 */
export function consentQuestion(
  operation: Operation,
  input: Row,
  { current, effects, freshness }: Preview,
  budget: BudgetSummary | undefined,
): string {
  const money = moneyIn(budget?.currency_format ?? null);
  const prose = new Prose(money);
  const now = Object.entries(current).flatMap(([kind, row]) => lines[kind]?.(withoutIds(row), prose) ?? []);
  const names = new Map([...Object.values(current), ...effects].flatMap(namesIn));
  const shown = new Set(['budget_id', ...Object.keys(current).map((kind) => `${kind}_id`)]);
  const rest = Object.fromEntries(Object.entries(input).filter(([name]) => !shown.has(name)));
  const sent = operation.effect === 'delete' ? [] : sentLines(operation, rest, names, money);
  return [
    `${phrase(operation.title, budget && `in ${quote(budget.name)}`)}?`,
    ...now,
    ...cutLines(now.length > 0 ? sent.map((text) => `Change: ${text}`) : sent, 'rows'),
    ...effectLines(effects, money),
    ...(freshness.overdue === undefined ? [] : [`As of ${freshness.as_of}. ${freshness.overdue}`]),
  ].join('\n');
}

/** A person knows a thing by its name. */
function withoutIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIds);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]) => [
    name,
    name === 'id' ? '' : withoutIds(inner),
  ]);
  return Object.fromEntries(entries);
}

type Names = ReadonlyMap<string, string>;

/** The things that something shown tells by id and name, its own among them. */
function namesIn(shown: unknown): [id: string, name: string][] {
  const fields = new Map(Object.entries(Object(shown)));
  return [...fields].flatMap(([key, id]): [string, string][] => {
    const name = /(^|_)id$/.test(key) ? fields.get(key.replace(/id$/, 'name')) : undefined;
    return typeof id === 'string' && typeof name === 'string' ? [[id, quote(name)]] : [];
  });
}

/** What would be sent, one line for each row. */
function sentLines({ input: schema }: Operation, input: Row, names: Names, money: Money): string[] {
  const { transactions, ...fields } = input;
  const one = rowLine(schema, fields, names, money);
  const rows = listOf(schema.shape['transactions'], transactions, names, money);
  return [one, ...rows].filter(Boolean);
}

const listOf = (
  schema: z.core.$ZodType | undefined,
  value: unknown,
  names: Names,
  money: Money,
): string[] => {
  const list = within(schema);
  if (!(list instanceof z.ZodArray) || !Array.isArray(value)) return [];
  const { element } = list;
  return element instanceof z.ZodObject ? value.map((row) => rowLine(element, row, names, money)) : [];
};

/** Names and memos are quoted, as everywhere. */
const typedByUsers = new Set(['name', 'note', 'memo', 'payee_name', 'import_id']);

function rowLine(schema: z.ZodObject, row: Row, names: Names, money: Money): string {
  const said = (name: string, value: unknown): string => {
    if (value === null) return 'none';
    if (typeof value === 'boolean') return value ? 'yes' : 'no';
    if (within(schema.shape[name]) === milliunits) return money(Number(value));
    return typedByUsers.has(name) ? quote(String(value)) : (names.get(String(value)) ?? String(value));
  };
  const { subtransactions, ...fields } = row;
  const legs = listOf(schema.shape['subtransactions'], subtransactions, names, money);
  const parts = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => phrase(name.replace(/_id$/, '').replaceAll('_', ' '), said(name, value)));
  return join(...parts) + indent(legs);
}

const within = (schema: z.core.$ZodType | undefined): z.core.$ZodType | undefined =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodNullable ? within(schema.unwrap()) : schema;
