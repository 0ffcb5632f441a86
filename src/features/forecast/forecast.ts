/**
 * Balances of accounts, or what is left of categories, on days to come: what is certain because it is scheduled, and what is
 * likely. Computed from the cached budget.
 */
import { z } from 'zod';
import { namesOf, ofUnknownType, unknownRhythms } from '../../answers/left-out.ts';
import { present, quote } from '../../answers/text.ts';
import { defineTool, type ToolAnswer } from '../../answers/tool.ts';
import { smallestUnit } from '../../answers/units.ts';
import type { LeftOut } from '../../answers/view-data/left-out.ts';
import { shownName } from '../../answers/view-texts.ts';
import { readWholeBudget } from '../../answers/whole-budget.ts';
import {
  addDays,
  addMonths,
  type Days,
  dayOfMonth,
  firstOfMonth,
  isOver,
  lastOfMonth,
  onDay,
} from '../../base/calendar.ts';
import { invalidInput } from '../../base/errors.ts';
import {
  accountId,
  budgetId,
  categoryId,
  date,
  flag,
  milliunits,
  rangeEnd,
  text,
} from '../../base/schema/fields.ts';
import type { BudgetReplica } from '../../model/replica/budget-replica.ts';
import type { Account } from '../../model/replica/entities.ts';
import { type BalanceForecast, balanceForecast, lowestDay } from '../../model/sums/balance-forecast.ts';
import { isTypeKnown } from '../../model/sums/budget-accounts.ts';
import { categoriesOf } from '../../model/sums/categories-of-month.ts';
import { categoryForecast } from '../../model/sums/category-forecast.ts';
import { categoryKinds } from '../../model/sums/category-kinds.ts';
import { monthIn } from '../../model/sums/month-to-come.ts';
import { isRhythmKnown } from '../../model/sums/occurrences.ts';
import { forecastText } from './forecast-answer.ts';
import { type Balances, type Forecast, type ForecastContent, forecastSchema } from './forecast-schema.ts';

const MAX_MONTHS = 24;
const MAX_CHANGES = 50;

const change = z.strictObject({
  amount: milliunits,
  date,
  monthly: flag.optional(),
  account: accountId.optional(),
  name: text.optional(),
});

const input = z.strictObject({
  budget_id: budgetId,
  account: z.array(accountId).min(1).optional(),
  category: z.array(categoryId).min(1).optional(),
  until: rangeEnd.optional().meta({ description: 'YYYY-MM-DD or YYYY-MM' }),
  changes: z.array(change).max(MAX_CHANGES).meta({ description: 'what if' }).optional(),
  spending: flag.optional().meta({ description: 'false: without the usual spending' }),
});

type Input = z.output<typeof input>;

export const forecast = defineTool({
  name: 'forecast',
  title: 'Forecast',
  description:
    'How much will be in checking at the end of next month, until payday? Can we afford the trip in May? Balances to come (default: all checking, savings, cash) or what categories will have left: certain, and likely with a range.',
  kind: 'read',
  toolset: 'reports',
  input,
  output: forecastSchema,
  example: { account: ['Checking'], until: '2026-12' },
  check: problemsOf,
  async run(call, wanted) {
    const { replica, freshness } = await readWholeBudget(call);
    const { today } = call;
    const { until: end = lastOfMonth(addMonths(today, 1)) } = wanted;
    const until = end < today ? today : end;
    const query = { replica, wanted, today, until };
    return { freshness, ...(wanted.category ? ofCategories(query) : ofAccounts(query)) };
  },
  text: ({ data }, context) => forecastText(data, context),
  view: 'forecast',
});

function problemsOf({ account, category, until, changes = [], spending }: Input, days: Days): string[] {
  const { today } = days;
  const latest = onDay(addMonths(today, MAX_MONTHS), dayOfMonth(today));
  const end = until ?? lastOfMonth(addMonths(today, 1));
  return present([
    account !== undefined && category !== undefined && 'ask for accounts or for categories, not for both',
    category !== undefined && spending === false && 'spending: false is of accounts: leave it out',
    until !== undefined && isOver(until, days) && `until is in the past: today is ${today}`,
    end > lastOfMonth(latest) && `until is more than ${MAX_MONTHS} months ahead`,
    ...changes.map((each, at) => {
      // The zone of the machine may not be that of the person. What is earlier counts today.
      if (isOver(addDays(each.date, 1), days)) return `changes[${at}].date is in the past: today is ${today}`;
      if (each.date > end) return `changes[${at}].date is after until (${end}): choose a later until`;
      if (each.account !== undefined && category !== undefined)
        return `changes[${at}].account: with category, changes are of the category`;
      return false;
    }),
    changes.length > 0 &&
      (category?.length ?? 1) > 1 &&
      'changes go with one category: ask for each category alone',
  ]);
}

interface Query {
  readonly replica: BudgetReplica;
  readonly wanted: Input;
  readonly today: string;
  readonly until: string;
}

const CASH = new Set(['checking', 'savings', 'cash']);
const isOpen = ({ on_budget, closed, deleted }: Account) => on_budget && !closed && !deleted;

function ofAccounts({ replica, wanted, today, until }: Query): Omit<ToolAnswer<Forecast>, 'freshness'> {
  const accounts = wanted.account
    ? [...new Set(wanted.account)].map((id) => replica.accounts.get(id))
    : replica.accounts.list().filter((each) => isOpen(each) && CASH.has(each.type));
  if (accounts.length === 0) throw invalidInput('The budget has no open checking, savings or cash account.');
  const changes = wanted.changes ?? [];
  for (const { account } of changes)
    if (account !== undefined && accounts.every(({ id }) => id !== account))
      throw invalidInput(
        `A change is of the account ${quote(replica.accounts.get(account).name)}, which the forecast leaves out. Name it in account too.`,
      );
  const only = accounts.length === 1 ? accounts[0] : undefined;
  const scheduled = replica.scheduledTransactions.list();
  const { total, each } = balanceForecast({
    accounts,
    transactions: replica.transactions.list({}),
    scheduled,
    changes: changes.map((one) => ({ ...one, account: one.account ?? only?.id })),
    today,
    until,
    smallestUnit: unitOf(replica),
    spending: wanted.spending ?? true,
  });
  const { usual } = total;
  const unknown = wanted.account
    ? []
    : replica.accounts.list().filter((each) => isOpen(each) && !isTypeKnown(each));
  const data: Forecast = {
    today,
    until,
    total: describe(total, only, today),
    ...(each.length > 0 && { accounts: each.map((found, at) => describe(found, accounts[at], today)) }),
    ...supposedIn(changes),
    ...(usual && {
      history: { months: usual.months, transactions: usual.transactions, recurring: usual.recurring },
    }),
    ...ofScheduled(replica, until, unknown.map(ofUnknownType)),
  };
  return { data, view: () => contentOf(data, total) };
}

function describe(
  { balance, certain, likely }: BalanceForecast,
  account: Account | undefined,
  today: string,
): NonNullable<Forecast['total']> {
  return {
    account_id: account?.id ?? null,
    name: account?.name ?? null,
    balance,
    certain: { balance: certain.at(-1) ?? balance, lowest: lowestDay(certain, balance, today) },
    likely: likely
      ? {
          middle: likely.middle.at(-1) ?? balance,
          low: likely.range?.low.at(-1) ?? null,
          high: likely.range?.high.at(-1) ?? null,
          lowest: lowestDay(likely.middle, balance, today),
        }
      : null,
  };
}

function ofCategories({ replica, wanted, today, until }: Query): Omit<ToolAnswer<Forecast>, 'freshness'> {
  const changes = wanted.changes ?? [];
  const { isInternal } = categoryKinds(replica);
  const inMonth = categoriesOf(monthIn(replica, firstOfMonth(today)));
  const found = [...new Set(wanted.category)].map((id) => {
    const category = inMonth(replica.categories.get(id));
    if (isInternal(category))
      throw invalidInput(
        `${quote(category.name)} is a category of the service itself, which has no forecast: check_month says what is left to assign.`,
      );
    return {
      category,
      ...categoryForecast({ replica, category, changes, today, until, smallestUnit: unitOf(replica) }),
    };
  });
  const below = (rows: (typeof found)[number]['rows'], part: 'certain' | 'likely') =>
    rows.find((row) => row[part] < 0)?.month ?? null;
  const data: Forecast = {
    today,
    until,
    categories: found.map(({ category: { id, name, balance }, rows }) => ({
      category_id: id,
      name,
      left: balance,
      months: rows.map(({ begins: _, ...row }) => row),
      below_zero: { certain: below(rows, 'certain'), likely: below(rows, 'likely') },
    })),
    ...supposedIn(changes),
    history: {
      months: Math.max(0, ...found.map(({ months }) => months)),
      transactions: found.reduce((sum, { transactions }) => sum + transactions, 0),
      recurring: 0,
    },
    ...ofScheduled(replica, until),
  };
  return { data, view: () => contentOf(data) };
}

/** How many are scheduled, and what is left out until that day. */
function ofScheduled(replica: BudgetReplica, until: string, accounts: readonly LeftOut[] = []) {
  const scheduled = replica.scheduledTransactions.list();
  const left_out = [...accounts, ...unknownRhythms(scheduled, until)];
  return {
    scheduled: scheduled.filter(isRhythmKnown).length,
    ...(left_out.length > 0 && { left_out }),
  };
}

const unitOf = ({ head }: BudgetReplica) => smallestUnit(head.currency_format?.decimal_digits ?? 2);

function supposedIn(changes: readonly { readonly amount: number }[]): Pick<Forecast, 'supposed'> {
  if (changes.length === 0) return {};
  return {
    supposed: { changes: changes.length, amount: changes.reduce((sum, { amount }) => sum + amount, 0) },
  };
}

function contentOf(
  { today, until, total, accounts = [], categories = [], left_out = [] }: Forecast,
  forecast?: BalanceForecast,
): ForecastContent {
  const shown = (row: Balances) => ({ ...row, name: row.name && shownName(row.name) });
  const { middle, range } = forecast?.likely ?? {};
  return {
    kind: 'forecast',
    leftOut: namesOf(left_out),
    today,
    until,
    ...(total && { total: shown(total) }),
    accounts: accounts.map(shown),
    ...(forecast && { days: { certain: forecast.certain, middle, ...range } }),
    categories: categories.map((row) => ({ ...row, name: shownName(row.name) })),
  };
}
