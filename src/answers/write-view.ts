/** What the view of a write draws: each thing with its fields before and after the write, and the balances. */

import { isJsonObject, type JsonObject } from '../base/json.ts';
import { refersTo } from '../model/bookkeeping/entry-key.ts';
import type { Operation } from '../operations/operation.ts';
import type { Simulation } from '../operations/simulation.ts';
import type { BudgetCall } from '../session/budget-call.ts';
import type { CallResult } from '../session/call-result.ts';
import { previewNotices } from './dry-run.ts';
import { present, quote, type TextPart } from './text.ts';
import { moneyFormatter } from './units.ts';
import type { WriteContent, WriteField, WriteValue } from './view-data/write-content.ts';
import { shownName } from './view-texts.ts';
import { ignoredLine, newBalances, noticesOf, unreadLine } from './write-result.ts';

type Change = WriteContent['changes'][number];

/** The name of a thing, by its id. */
export type NameOf = (id: string) => string | undefined;

export function namesIn({ cachedReplica }: BudgetCall): NameOf {
  const { accounts, categories, groups, payees } = cachedReplica ?? {};
  return (id) => [accounts, categories, groups, payees].find((table) => table?.has(id))?.get(id).name;
}

const MAX_CHANGES = 40;
const MAX_BALANCES = 40;
const MAX_NOTES = 20;
const MAX_NOTE = 500;

/** A person knows things by their names. */
const contextFor = ({ budget }: BudgetCall, nameOf: NameOf) => ({
  money: moneyFormatter(budget?.currency_format ?? null),
  reference: (id: string) => quote(nameOf(id) ?? id),
});

/** What a single operation would change. `notes` are about it. */
export function previewContent(
  call: BudgetCall,
  operation: Operation,
  input: JsonObject,
  simulation: Simulation,
  notes: readonly TextPart[],
): WriteContent {
  const { current, balanceChanges, unpredictable, problems, ignored = [], names } = simulation;
  const nameOf: NameOf = (id) => names.get(id)?.name;
  const changes = changesOf(operation, input, current, nameOf);
  return writeContent({
    title: titleOf(operation.title, changes, input['month']),
    state: problems.length > 0 ? 'refused' : 'preview',
    changes,
    balances: balanceChanges.map(({ kind, name, balanceBefore, balanceAfter }) => ({
      kind,
      name,
      before: balanceBefore,
      after: balanceAfter,
    })),
    unpredictable,
    notes: [
      ...problems,
      ignoredLine('The service would ignore', ignored),
      ...previewNotices(operation, input, simulation, contextFor(call, nameOf)),
      ...notes,
    ],
  });
}

export function writtenContent(
  call: BudgetCall,
  operation: Operation,
  input: JsonObject,
  result: CallResult<JsonObject>,
  notes: readonly TextPart[],
): WriteContent {
  const nameOf = namesIn(call);
  const { ignored, isNothing, notices } = noticesOf(operation, input, result, contextFor(call, nameOf));
  const { data, changed, earlier_call, overtaken, outcome } = result;
  const { accounts, categories } = changed ? newBalances(changed) : { accounts: [], categories: [] };
  const changes = changesOf(operation, input, operation.kind === 'delete' ? data : {}, nameOf, data);
  return writeContent({
    title: titleOf(operation.title, changes, input['month']),
    state: isNothing ? 'unchanged' : 'written',
    changes: isNothing ? [] : changes,
    balances: [
      ...accounts.map(({ name, balance }) => ({ kind: 'account' as const, name, after: balance })),
      ...categories.map(({ name, balance }) => ({ kind: 'category' as const, name, after: balance })),
    ],
    notes: [
      earlier_call !== undefined && 'An equal call has written this before. Nothing was sent now.',
      overtaken !== undefined && overtaken,
      outcome === 'confirmed_afterwards' &&
        'The service did not confirm it, but the budget shows the change.',
      ignoredLine('The service ignored', ignored),
      ...notices,
      !changed && unreadLine(operation, result),
      ...notes,
    ],
  });
}

const TRANSACTIONS = /transactions$/;

/** The title of the tool with what changes, or with how many things do. */
export function titleOf(title: string, changes: readonly Change[], month?: unknown): WriteValue[] {
  const [change] = changes;
  if (!change) return [title];
  const count = changes.length;
  if (count > 1)
    return [
      TRANSACTIONS.test(title)
        ? title.replace(TRANSACTIONS, `${count} transactions`)
        : `${title}: ${count} changes`,
    ];
  const { what, date, amount, fields } = change;
  const shownIn = (label: string) => {
    const field = fields.find((each) => each.label === label);
    return field?.after ?? field?.before;
  };
  const [field] = fields;
  const facts = [
    [what || shownIn('Payee') || shownIn('Name')],
    [amount === undefined ? shownIn('Amount') : { amount }],
    [date ?? shownIn('Date')],
    // Of several fields, the table says which they are.
    what !== '' && fields.length === 1 ? [`${field?.label.toLowerCase()} `, field?.after] : [],
    [typeof month === 'string' ? { month: month.slice(0, 7) } : undefined],
  ].map((parts) => parts.filter((part) => part !== undefined));
  const shown = facts.filter((parts) => parts.length > 0);
  return [
    title.replace(TRANSACTIONS, 'transaction'),
    ...shown.flatMap((parts, index) => [index === 0 ? ': ' : ', ', ...parts]),
  ];
}

interface ContentToCut
  extends Pick<WriteContent, 'title' | 'state' | 'changes'>,
    Partial<Pick<WriteContent, 'balances'>> {
  readonly unpredictable?: readonly string[];
  readonly notes: readonly TextPart[];
}

/** Cuts what is too long for a view. */
export function writeContent({
  title,
  changes,
  balances = [],
  unpredictable = [],
  notes,
  ...rest
}: ContentToCut): WriteContent {
  return {
    kind: 'write',
    ...rest,
    title: title.map((part) => (typeof part === 'string' ? shownName(part) : part)),
    changes: changes.slice(0, MAX_CHANGES).map((each) => ({ ...each, what: shownName(each.what) })),
    omitted: Math.max(0, changes.length - MAX_CHANGES),
    balances: balances.slice(0, MAX_BALANCES).map((each) => ({ ...each, name: shownName(each.name) })),
    unpredictable: unpredictable.slice(0, MAX_NOTES).map((each) => shownName(each)),
    notes: present(notes)
      .slice(0, MAX_NOTES)
      .map((each) => shownName(each, MAX_NOTE)),
  };
}

function changesOf(
  { batch = '', kind, route }: Operation,
  { [batch]: list, ...input }: JsonObject,
  current: JsonObject,
  nameOf: NameOf,
  written: JsonObject = {},
): Change[] {
  const target = Object.values(current).find(isJsonObject);
  const label = target ?? (kind === 'update' ? Object.values(written).find(isJsonObject) : undefined);
  if (kind === 'delete')
    return target ? [changeOf(target, pick(target, deletedFields), undefined, nameOf)] : [];
  if (Array.isArray(list)) {
    const rows = Object.values(current).flatMap((each) =>
      Array.isArray(each) ? each.filter(isJsonObject) : [],
    );
    return list.filter(isJsonObject).map((sent) => {
      const { id: _, ...row } = sent;
      const before = rows.find((each) => refersTo(sent, each));
      return changeOf(before, before && pick(before, Object.keys(row)), row, nameOf);
    });
  }
  const own = Object.entries(input).filter(([name]) => name !== 'budget_id' && !route.includes(`{${name}}`));
  if (own.length === 0) return [];
  const after = Object.fromEntries(own);
  return [changeOf(label, target && pick(target, Object.keys(after)), after, nameOf)];
}

/** What a person recognises a deleted transaction by. */
const deletedFields = ['date', 'date_next', 'amount', 'payee_name', 'category_name', 'account_name', 'memo'];

const pick = (row: JsonObject, fields: readonly string[]): JsonObject =>
  Object.fromEntries(fields.filter((field) => field in row).map((field) => [field, row[field] ?? null]));

/** A thing with its fields before and after. Missing before is new, missing after is deleted. */
export function changeOf(
  label: JsonObject | undefined,
  before: JsonObject | undefined,
  after: JsonObject | undefined,
  nameOf: NameOf = () => undefined,
): Change {
  const { name, payee_name, date, date_next, amount } = label ?? {};
  const what = name ?? payee_name;
  const day = date ?? date_next;
  return {
    what: typeof what === 'string' ? what : '',
    ...(typeof day === 'string' && { date: day }),
    ...(label && after && typeof amount === 'number' && { amount }),
    fields: Object.keys(after ?? before ?? {})
      .toSorted((a, b) => placeOf(a) - placeOf(b))
      .flatMap((field) => fieldOf(field, before, after, nameOf)),
  };
}

/** The name of a field for a person. A thing has the same one by its id and by its name. */
function labelOf(field: string): string {
  const words = field.replace(/_(id|name)$/, '').replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Where a person looks for a field. Other fields follow in the order in which they were given. */
const firstLabels = ['Date', 'Payee', 'Amount', 'Category', 'Account', 'Memo'];
const placeOf = (field: string) => {
  const place = firstLabels.indexOf(labelOf(field));
  return place === -1 ? firstLabels.length : place;
};

/** Empty if it stays as it is. */
function fieldOf(
  field: string,
  before: JsonObject | undefined,
  after: JsonObject | undefined,
  nameOf: NameOf,
): WriteField[] {
  const value = (state: JsonObject | undefined) =>
    state && field in state ? shownValue(field, state[field], nameOf) : undefined;
  const [old, now] = [value(before), value(after)];
  if (JSON.stringify(old) === JSON.stringify(now)) return [];
  const label = labelOf(field);
  return [{ label, ...(old !== undefined && { before: old }), ...(now !== undefined && { after: now }) }];
}

const amountFields: ReadonlySet<string> = new Set(['amount', 'budgeted', 'goal_target', 'balance']);

function shownValue(field: string, value: unknown, nameOf: NameOf): WriteValue {
  if (value === null || value === undefined || value === '') return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return amountFields.has(field) ? { amount: value } : String(value);
  if (Array.isArray(value)) return value.length === 0 ? 'none' : `${value.length} parts`;
  const text = String(value);
  return shownName(field.endsWith('_id') ? (nameOf(text) ?? text) : text);
}
