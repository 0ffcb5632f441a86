/** Answers what was spent or earned, and what is owned and owed, over any range of days. Computed from the cached budget. */
import { z } from 'zod';
import { BudgetError } from '../errors.ts';
import { quote, type TextContext } from '../format/text.ts';
import type { BudgetReplica } from '../replica/budget-replica.ts';
import { cashFlow, type FlowQuery } from '../reports/cash-flow.ts';
import { countedCategories, type Flow } from '../reports/counted-categories.ts';
import { netWorth, type Worth } from '../reports/net-worth.ts';
import { dayAfter, type Period, periodsOf, rangeOf } from '../reports/periods.ts';
import {
  accountId,
  budgetId,
  categoryOrGroupId,
  flag,
  payeeId,
  rangeEnd,
  rangeStart,
} from '../schema/fields.ts';
import {
  groupings,
  type Report,
  type ReportRow,
  reportKinds,
  reportSchema,
  reportText,
  rowLine,
  type Totals,
} from './report-answer.ts';
import type { ReadTool, ToolAnswer } from './tool.ts';
import { readWholeBudget } from './whole-budget.ts';

const MAX_TOP = 1_000;
const [DEFAULT_TOP, DEFAULT_TOP_WITH_COLUMNS] = [25, 10];

const input = z.strictObject({
  budget_id: budgetId,
  of: reportKinds,
  by: groupings.optional(),
  monthly: flag.optional(),
  since: rangeStart.optional(),
  until: rangeEnd.optional(),
  category: categoryOrGroupId.optional(),
  payee: payeeId.optional(),
  account: accountId.optional(),
  top: z.int().min(1).max(MAX_TOP).optional(),
});

type Input = z.output<typeof input>;

interface ReportAnswer extends ToolAnswer {
  /** With all rows. */
  readonly data: Report;
  readonly top: number | undefined;
}

export const report: ReadTool<ReportAnswer> = {
  name: 'report',
  title: 'Report',
  description:
    'Totals of spending (less refunds), income (with starting balances) or net worth: of this month or, with monthly, the last twelve. Transfers within the budget and card payments do not count.',
  kind: 'read',
  toolset: 'reports',
  input,
  output: reportSchema,
  example: { of: 'spending', by: 'category', monthly: true, since: '2026-06' },
  check: (args, today) => problemsOf(input.parse(args), today),
  async run(call, args) {
    const wanted = input.parse(args);
    const { replica, freshness } = await readWholeBudget(call);
    return { data: reportOf(replica, wanted, call.today), freshness, top: wanted.top };
  },
  text(answer, context) {
    const data = cut(answer, context);
    return { data, ...reportText(data, context) };
  },
};

/** What the arguments ask for that cannot be answered together. */
function problemsOf({ of, by = 'none', since, until, category, payee }: Input, today: string): string[] {
  const problems: (string | false)[] = [
    since !== undefined && until !== undefined && until < since && 'until is before since',
    // The day of the user may be one after that of the service.
    since !== undefined && since > dayAfter(today) && `since is in the future: today is ${today}`,
    of !== 'spending' && category !== undefined && 'category goes with of: spending only',
    of === 'income' &&
      (by === 'category' || by === 'group') &&
      'income has one category only: use by: payee, account or none',
    of === 'both' && by !== 'none' && 'of: both takes no by: ask for spending or income instead',
    of === 'net_worth' &&
      !(by === 'account' || by === 'none') &&
      'net_worth is of accounts: use by: account or none',
    of === 'net_worth' && payee !== undefined && 'net_worth is of accounts: leave out payee',
  ];
  return problems.filter((problem) => problem !== false);
}

function reportOf(replica: BudgetReplica, wanted: Input, today: string): Report {
  const { of, by = 'none' } = wanted;
  const only = limitsOf(replica, wanted);
  const { range, first_transaction } = rangeIn(replica, wanted, today);
  const periods = wanted.monthly ? periodsOf(range) : [{ ...range, name: range.until }];
  const { rows, ...sums } =
    of === 'net_worth' ? worthOf(replica, wanted, periods) : flowOf(replica, wanted, periods);
  return { of, by, ...range, only, ...sums, rows: [...rows], ...first_transaction };
}

/** The range within the days on which there are transactions. Throws `invalid_input` if it is before them. */
function rangeIn(replica: BudgetReplica, wanted: Input, today: string) {
  const transactions = replica.transactions.list({});
  const first = transactions.at(-1)?.date;
  const newest = transactions[0]?.date ?? today;
  const last = newest > today ? newest : today;
  const range = rangeOf({ ...wanted, monthly: wanted.monthly ?? false }, first ?? today, last);
  if (range.since > range.until)
    throw invalid(`There are no transactions before ${first ?? today}: choose a later range.`);
  const isCut = wanted.since !== undefined && wanted.since < range.since && first !== undefined;
  return { range, ...(isCut && { first_transaction: { first_transaction: first } }) };
}

const invalid = (message: string) => new BudgetError('invalid_input', message);

/** Throws `resource_not_found`, and `invalid_input` for what has no spending or income. */
function limitsOf(replica: BudgetReplica, { of, category, payee, account }: Input): Report['only'] {
  const only: Report['only'] = [];
  if (category !== undefined) {
    const isGroup = replica.groups.has(category);
    const { id, name } = isGroup ? replica.groups.get(category) : replica.categories.get(category);
    const { categories, countsUncategorized } = countedCategories(replica, 'spending', category);
    if (categories.length === 0 && !countsUncategorized && !isEmptyGroup(replica, category))
      throw invalid(`${quote(name)} has no spending of its own. Use of: income, or another category.`);
    only.push({ kind: isGroup ? 'category_group' : 'category', id, name });
  }
  if (payee !== undefined) {
    const { id, name } = replica.payees.get(payee);
    only.push({ kind: 'payee', id, name });
  }
  if (account !== undefined) {
    const { id, name, on_budget } = replica.accounts.get(account);
    if (!on_budget && of !== 'net_worth')
      throw invalid(
        `${quote(name)} is a tracking account, which has no spending and no income. Use of: net_worth.`,
      );
    only.push({ kind: 'account', id, name });
  }
  return only;
}

const isEmptyGroup = ({ categories }: BudgetReplica, group: string) =>
  !categories.has(group) && categories.list().every(({ category_group_id }) => category_group_id !== group);

interface Sums extends Totals {
  readonly change?: number;
  readonly periods: Report['periods'];
  readonly rows: readonly ReportRow[];
}

const TOO_LARGE = 'The amounts are too large to be added exactly. Choose a shorter range.';

function worthOf(replica: BudgetReplica, { by, account }: Input, periods: readonly Period[]): Sums {
  const worth = netWorth(replica, periods, account);
  if (!worth.isExact) throw invalid(TOO_LARGE);
  const totals = ({ owned, owed }: Worth) => ({ total: owned - owed, owned, owed });
  const ends = worth.periods.map(totals);
  const last = ends.at(-1) ?? totals(worth.before);
  return {
    ...last,
    change: last.total - totals(worth.before).total,
    periods: ends.map((end, index) => ({ period: periods[index]?.name ?? '', ...end })),
    rows:
      by === 'account'
        ? worth.accounts.map(({ id, balances }) => ({
            id,
            name: replica.accounts.get(id).name,
            total: balances.at(-1) ?? 0,
            amounts: [...balances],
          }))
        : [],
  };
}

const add = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + amount, 0);

function flowOf(replica: BudgetReplica, wanted: Input, periods: readonly Period[]): Sums {
  const { of, by = 'none', category, payee, account } = wanted;
  const sumsOf = (flow: Flow) => {
    const sums = cashFlow(replica, periods, { flow, by, category, payee, account });
    if (!sums.isExact) throw invalid(TOO_LARGE);
    return sums;
  };
  if (of === 'both') {
    const [income, spending] = [sumsOf('income').periods, sumsOf('spending').periods];
    const both = periods.map(({ name }, index) => {
      const [earned, spent] = [income[index]?.amount ?? 0, spending[index]?.amount ?? 0];
      return { period: name, total: earned - spent, income: earned, spending: spent };
    });
    return {
      total: add(both.map(({ total }) => total)),
      income: add(both.map((each) => each.income)),
      spending: add(both.map((each) => each.spending)),
      periods: both,
      rows: [],
    };
  }
  const sums = sumsOf(of === 'income' ? 'income' : 'spending');
  return {
    total: add(sums.periods.map(({ amount }) => amount)),
    transactions: add(sums.periods.map(({ transactions }) => transactions)),
    periods: sums.periods.map(({ amount, transactions }, index) => ({
      period: periods[index]?.name ?? '',
      total: amount,
      transactions,
    })),
    rows: sums.rows.map(({ id, amount, amounts, transactions }) => ({
      id,
      name: rowName(replica, by, id),
      total: amount,
      transactions,
      amounts: [...amounts],
    })),
  };
}

function rowName(replica: BudgetReplica, by: FlowQuery['by'], id: string | null): string {
  if (id === null) return by === 'payee' ? 'No payee' : 'Uncategorized';
  const { categories, groups, payees, accounts } = replica;
  const table = { category: categories, group: groups, payee: payees, account: accounts, none: undefined }[
    by
  ];
  return table?.get(id).name ?? '';
}

/** The largest rows, and the sums of the others. */
function cut({ data, top }: ReportAnswer, context: TextContext): Report {
  const { rows } = data;
  const isTable = (rows[0]?.amounts.length ?? 0) > 1;
  if (top !== undefined) context.room.extend();
  const largest = rows.slice(0, top ?? (isTable ? DEFAULT_TOP_WITH_COLUMNS : DEFAULT_TOP));
  const left = largest.findIndex((row) => !context.room.take(rowLine(data, row, context), row));
  const count = left === -1 ? largest.length : left;
  const rest = rows.slice(count);
  if (rest.length === 0) return data;
  return {
    ...data,
    rows: largest.slice(0, count),
    more: {
      rows: rest.length,
      total: add(rest.map(({ total }) => total)),
      amounts: (rest[0]?.amounts ?? []).map((_, index) =>
        add(rest.map(({ amounts }) => amounts[index] ?? 0)),
      ),
    },
  };
}
