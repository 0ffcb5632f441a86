/**
 * Why the service would refuse a new or changed transaction or scheduled transaction (docs/interface.md, Transaction).
 * A field that repeats the current value is not checked again. Days in the future, or in the past of a scheduled one,
 * are refused before. Each problem begins with the name of its field. Pure.
 */
import { addMonths, dayOfMonth, onDay } from '../../base/calendar.ts';
import { quote, word } from '../../base/quote.ts';
import {
  type ChartOfAccounts,
  type Entry,
  type EntryChange,
  type Leg,
  type NewEntry,
  payeeOf,
  type SentFields,
} from './entries.ts';
import { ownNameProblem } from './payee-names.ts';
import type { SimulatedRegister } from './simulated-register.ts';

const MAX_YEARS = 5;

/** The state and the day for which the decision of the service is predicted. */
export interface EntryRules {
  readonly chart: ChartOfAccounts;
  /** The day of the write in UTC. */
  readonly today: string;
}

export const notFoundProblem = (field: string, id: unknown) =>
  `${field}: there is no ${field.replace(/_id$/, '').replaceAll('_', ' ')} ${word(String(id))}`;

export function* newEntryProblems(rules: EntryRules, row: NewEntry): Generator<string> {
  yield* partyProblems(rules, row.account_id, row);
  yield* dateProblems(rules, row.date);
  yield* splitProblems(rules, row, row);
}

/** `register` contains `before`, the other sides of its transfers, and the imports of the account that it moves to. */
export function* changeProblems(
  rules: EntryRules,
  register: SimulatedRegister,
  before: Entry,
  sent: EntryChange,
): Generator<string> {
  const change = withoutRepeatedPayee(register.effective(before, sent), before);
  const { account_id = before.account_id, amount = before.amount, date = before.date } = change;
  yield* partyProblems(rules, account_id, change, before);
  if (date !== before.date) yield* dateProblems(rules, date);
  yield* splitProblems(rules, { account_id, amount }, change);
  const { import_id } = before;
  if (account_id !== before.account_id && import_id !== null)
    if (register.importedAs(import_id).some((each) => each.account_id === account_id))
      yield `account_id: the account has the import_id ${quote(import_id)} already`;
}

/** `before` is the scheduled transaction to change, without which `account_id` is sent. A split keeps its category. */
export function* scheduledProblems(
  rules: EntryRules,
  { account_id, date, category_id, ...sent }: EntryChange,
  before?: Parties & { readonly date_next: string },
): Generator<string> {
  const line = before?.subtransactions.length ? sent : { ...sent, category_id };
  const account = account_id ?? before?.account_id ?? '';
  yield* partyProblems(rules, account, withoutRepeatedPayee(line, before), before);
  if (date !== undefined && date !== before?.date_next && date > yearsFrom(rules, MAX_YEARS))
    yield `date: ${date} is more than ${MAX_YEARS} years ahead`;
}

/** The accounts between which money moves. */
interface Parties {
  readonly account_id: string;
  readonly payee_id: string | null;
  readonly subtransactions: readonly Pick<Leg, 'payee_id'>[];
}

function withoutRepeatedPayee(
  { payee_id, payee_name, ...change }: EntryChange,
  before?: Pick<Parties, 'payee_id'>,
): EntryChange {
  const isRepeated = typeof payee_id === 'string' && payee_id === before?.payee_id;
  return isRepeated ? change : { payee_id, payee_name, ...change };
}

/** The account, the payee and the category. `change` does not contain what is ignored. */
function* partyProblems(
  { chart }: EntryRules,
  account_id: string,
  change: EntryChange,
  before?: Parties,
): Generator<string> {
  if (account_id !== before?.account_id) yield* accountProblems(chart, account_id);
  yield* lineProblems(chart, account_id, change);
  if (!before) return;
  const isReplaced = payeeOf(change) !== undefined || Boolean(change.subtransactions?.length);
  const kept = isReplaced ? before.subtransactions : [before, ...before.subtransactions];
  if (kept.some((line) => chart.targetOf(line)?.id === account_id))
    yield 'account_id: the transaction transfers to this account';
}

function* accountProblems(chart: ChartOfAccounts, id: string): Generator<string> {
  const account = chart.account(id);
  if (!account) yield notFoundProblem('account_id', id);
  else if (account.closed) yield `account_id: the account ${quote(account.name)} is closed`;
}

function* lineProblems(
  chart: ChartOfAccounts,
  account_id: string,
  { payee_id = null, payee_name, category_id = null }: SentFields,
): Generator<string> {
  const target = chart.targetOf({ payee_id });
  if (payee_id !== null && !chart.hasPayee(payee_id)) yield notFoundProblem('payee_id', payee_id);
  if (target?.id === account_id) yield 'payee_id: a transfer needs two accounts, and this is the same one';
  else if (target?.closed) yield `payee_id: the account ${quote(target.name)} is closed`;
  const ownName = payee_id === null && payee_name && ownNameProblem('payee_name', payee_name);
  if (ownName) yield ownName;
  if (category_id !== null && !chart.hasCategory(category_id))
    yield notFoundProblem('category_id', category_id);
}

function* dateProblems(rules: EntryRules, date: string): Generator<string> {
  if (date < yearsFrom(rules, -MAX_YEARS)) yield `date: ${date} is more than ${MAX_YEARS} years ago`;
}

function* splitProblems(
  { chart }: EntryRules,
  { account_id, amount }: Pick<NewEntry, 'account_id' | 'amount'>,
  { payee_id = null, subtransactions: legs = [] }: EntryChange,
): Generator<string> {
  if (legs.length === 0) return;
  if (legs.reduce((sum, leg) => sum + leg.amount, 0) !== amount)
    yield 'subtransactions: their amounts must add up to the amount';
  if (chart.targetOf({ payee_id }))
    yield 'payee_id: a split is no transfer, but its subtransactions can be transfers';
  for (const [index, leg] of legs.entries())
    for (const problem of lineProblems(chart, account_id, leg)) yield `subtransactions.${index}.${problem}`;
}

const yearsFrom = ({ today }: EntryRules, years: number) =>
  onDay(addMonths(today, years * 12), dayOfMonth(today));
