/** Answers what was spent or earned, and what is owned and owed, over any range of days. Computed from the cached budget. */
import { z } from 'zod';
import { BudgetError } from '../errors.ts';
import { quote } from '../format/text.ts';
import { addDays } from '../platform/calendar.ts';
import type { BudgetReplica } from '../replica/budget-replica.ts';
import { countedCategories } from '../reports/counted-categories.ts';
import { periodsOf, rangeOf } from '../reports/periods.ts';
import {
  accountId,
  budgetId,
  categoryOrGroupId,
  flag,
  payeeId,
  rangeEnd,
  rangeStart,
} from '../schema/fields.ts';
import { groupings, type Report, reportKinds, reportSchema, reportText } from './report-answer.ts';
import { figuresOf, largestRows } from './report-figures.ts';
import { reportContent } from './report-view.ts';
import type { ReadTool, ToolAnswer } from './tool.ts';
import { readWholeBudget } from './whole-budget.ts';

const MAX_TOP = 1_000;

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
    'Spending (less refunds), income (with starting balances) or net worth: this month or, monthly, the last twelve. Transfers within the budget and card payments do not count, those to tracking accounts do.',
  kind: 'read',
  toolset: 'reports',
  input,
  output: reportSchema,
  example: { of: 'spending', by: 'category', monthly: true, since: '2026-06' },
  check: (args, today) => problemsOf(input.parse(args), today),
  async run(call, args) {
    const wanted = input.parse(args);
    const { replica, freshness } = await readWholeBudget(call);
    const { by = 'none', monthly = false, top } = wanted;
    const data = reportOf(replica, wanted, call.today);
    const view = () => reportContent({ report: data, replica, query: { ...wanted, by }, monthly });
    return { data, freshness, top, view };
  },
  text(answer, context) {
    const data = { ...answer.data, ...largestRows(answer.data, answer.top, context) };
    return { data, ...reportText(data, context) };
  },
  view: 'report',
};

/** What the arguments ask for that cannot be answered together. */
function problemsOf({ of, by = 'none', since, until, category, payee }: Input, today: string): string[] {
  const problems: (string | false)[] = [
    since !== undefined && until !== undefined && until < since && 'until is before since',
    // The day of the user may be one after that of the service.
    since !== undefined && since > addDays(today, 1) && `since is in the future: today is ${today}`,
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
  const { of, by = 'none', monthly } = wanted;
  const only = limitsOf(replica, wanted);
  const { range, ...cut } = rangeIn(replica, wanted, today);
  const periods = monthly ? periodsOf(range) : [{ ...range, name: range.until }];
  const { rows, ...figures } = figuresOf(replica, periods, { ...wanted, by });
  return { of, by, ...range, only, ...figures, rows: [...rows], ...cut };
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
  return { range, ...(isCut && { first_transaction: first }) };
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
