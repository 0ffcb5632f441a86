/**
 * What a month needs: categories that are overspent or lack money for their goal, what is left, what is still to be paid,
 * and transactions that are not finished.
 */
import { z } from 'zod';
import { leftOutLine, ofUnknownGoal, unknownRhythms } from '../../answers/left-out.ts';
import {
  firstOf,
  joinParts,
  joinWords,
  present,
  type TextContext,
  type TextPart,
  word,
} from '../../answers/text.ts';
import { defineTool } from '../../answers/tool.ts';
import { readWholeBudget } from '../../answers/whole-budget.ts';
import { firstOfMonth, lastOfMonth } from '../../base/calendar.ts';
import { budgetId, month } from '../../base/schema/fields.ts';
import { budgetAccountsOf } from '../../model/sums/budget-accounts.ts';
import { categoryKinds } from '../../model/sums/category-kinds.ts';
import type { FirstRows } from '../../model/sums/first-rows.ts';
import { isGoalKnown } from '../../model/sums/goals.ts';
import { duePayments } from '../../model/sums/scheduled-payments.ts';
import { countOpen } from '../../model/sums/uncategorized.ts';
import { checkCategories, uncoveredCards } from './month-categories.ts';
import {
  type CategoryAmount,
  type MonthCategories,
  type MonthCheck,
  monthCheck,
  type UnderfundedCategory,
} from './month-schema.ts';
import { monthContent } from './month-view.ts';

/** The largest number of rows of each list. The list of what is left is the longest one, and the first ones are enough there. */
const MAX_ROWS = 20;
const MAX_ROWS_LEFT = 12;
const MAX_DATES = 5;

const input = z.strictObject({ budget_id: budgetId, month: month.optional() });

type Due = MonthCheck['scheduled']['payments']['rows'][number];

export const checkMonth = defineTool({
  name: 'check_month',
  title: 'Check a month',
  description:
    'Budget overview: how are we doing, are we on track, what to do with a paycheck, how much do goals need? Money left to assign (without a job), categories that went over (over budget, overspent, in the red), goals that are underfunded or behind, what is left, bills to come till the end, new transactions without category or approval.',
  kind: 'read',
  toolset: 'reports',
  input,
  output: monthCheck,
  example: { month: '2026-11' },
  async run(call, { month = firstOfMonth(call.today) }) {
    const { replica, freshness } = await readWholeBudget(call);
    const current = firstOfMonth(call.today);
    const accounts = replica.accounts.list();
    const kinds = categoryKinds(replica);
    const isKnown = replica.months.has(month);
    // A past month that the budget does not have is an error. A month to come may have scheduled payments.
    const detail = isKnown || month < current ? replica.months.detail(month) : undefined;
    const inMonth = replica.transactions.list({ since_date: month, until_date: lastOfMonth(month) });
    const scheduled = month < current ? [] : replica.scheduledTransactions.list();
    const unknownGoals = (detail?.categories ?? []).filter((each) => !each.hidden && !isGoalKnown(each));
    const left_out = [...unknownGoals.map(ofUnknownGoal), ...unknownRhythms(scheduled, lastOfMonth(month))];
    const data = {
      month,
      ...(detail && {
        categories: {
          to_be_assigned: detail.to_be_budgeted,
          ...checkCategories(detail.categories, kinds, { rows: MAX_ROWS, left: MAX_ROWS_LEFT }),
          // What a card owes is known for today only.
          uncovered_cards: month === current ? uncoveredCards(detail.categories, kinds, accounts) : [],
        },
      }),
      scheduled: duePayments(month, scheduled, budgetAccountsOf(accounts), MAX_ROWS),
      open: countOpen(inMonth, replica),
      open_in_all_months: countOpen(replica.transactions.list({}), replica),
      ...(left_out.length > 0 && { left_out }),
    };
    return { data, freshness, view: () => monthContent(data, replica, detail?.categories) };
  },
  text: ({ data }, context) => ({
    heading: [
      word(data.month.slice(0, 7)),
      data.categories && `to be assigned ${context.money(data.categories.to_be_assigned)}`,
    ],
    lines: [
      ...(data.categories
        ? formatCategories(data.categories, context)
        : ['The budget has no amounts for this month yet.']),
      ...formatScheduled(data.scheduled, context),
      leftOutLine(data.left_out ?? [], context),
      formatOpen(data),
      formatCover(data, context),
    ],
  }),
  view: 'month',
});

/** The call that covers what is overspent. */
function formatCover({ month, categories }: MonthCheck, { money }: TextContext): TextPart {
  const { overspent, to_be_assigned = 0 } = categories ?? {};
  if (!overspent || overspent.total === 0) return undefined;
  const call = JSON.stringify({ rule: 'cover_overspent', month: month.slice(0, 7) });
  const lacking = overspent.sum - Math.max(to_be_assigned, 0);
  return `To cover it: assign_money ${call}${lacking > 0 ? `, with from for ${money(lacking)} of it` : ''}.`;
}

/** Such as `"Groceries" 12.00, "Fuel" 3.40, and 2 more with 1.00`. */
function formatAmounts<Row extends CategoryAmount>(
  { total, sum, rows }: FirstRows<Row>,
  context: TextContext,
  note: (row: Row) => string = () => '',
): string {
  const shown = rows.reduce((total, { amount }) => total + amount, 0);
  const texts = rows.map((row) =>
    joinWords(
      context.named('category', row.category_id, row.name),
      context.money(row.amount),
      row.hidden && 'hidden',
      note(row),
    ),
  );
  const rest = total - rows.length;
  return present([...texts, rest > 0 && `and ${rest} more with ${context.money(sum - shown)}`]).join(', ');
}

function formatCategories(categories: MonthCategories, context: TextContext): TextPart[] {
  const { overspent, cards_below_zero, underfunded, goals, snoozed, left } = categories;
  const { set_aside_for_cards, uncovered_cards } = categories;
  const { money } = context;
  const lacking = uncovered_cards.map(
    (each) =>
      `${context.named('category', each.category_id, each.name)} owes ${money(each.owed)}, ${money(each.set_aside)} set aside, lacks ${money(each.amount)}`,
  );
  return [
    overspent.total === 0
      ? 'Overspent: none.'
      : `Overspent: ${overspent.total} ${overspent.total === 1 ? 'category lacks' : 'categories lack'} ${money(overspent.sum)}: ${formatAmounts(overspent, context)}`,
    cards_below_zero.total > 0 &&
      `Card payment categories below zero: ${formatAmounts(cards_below_zero, context)}.${overspent.total > 0 ? ' Cover the overspent categories first: that may mend these.' : ''}`,
    underfunded.total === 0
      ? `Underfunded: none of ${goals} goals.`
      : `Underfunded: ${underfunded.total} of ${goals} goals ${underfunded.total === 1 ? 'lacks' : 'lack'} ${money(underfunded.sum)}: ${formatAmounts(underfunded, context, (row) => formatGoal(row, context))}`,
    snoozed.total > 0 && `Snoozed goals, which are not underfunded: ${formatAmounts(snoozed, context)}.`,
    left.total === 0
      ? 'Left: nothing in any category.'
      : `Left: ${money(left.sum)} in ${left.total} ${left.total === 1 ? 'category' : 'categories'}, ${overspent.total > 0 ? 'what is overspent not subtracted' : 'nothing in the others'}: ${formatAmounts(left, context)}`,
    set_aside_for_cards > 0 && `Set aside for card payments: ${money(set_aside_for_cards)}.`,
    lacking.length > 0 && `Cards not covered: ${firstOf(lacking, MAX_ROWS).join('; ')}`,
  ];
}

/** Such as `(85% of 30000.00, no date)`. */
function formatGoal(row: UnderfundedCategory, { money }: TextContext): string {
  const { goal_percentage_complete, goal_target, goal_due, has_date } = row;
  const parts = [
    joinWords(
      goal_percentage_complete !== null && `${goal_percentage_complete}%`,
      goal_target !== null && `of ${money(goal_target)}`,
      goal_due,
    ),
    !has_date && 'no date',
  ].filter(Boolean);
  return parts.length > 0 ? `(${parts.join(', ')})` : '';
}

function formatScheduled(
  { payments, income, transfers }: MonthCheck['scheduled'],
  context: TextContext,
): TextPart[] {
  return [
    payments.total === 0
      ? 'Scheduled payments to come: none.'
      : `Scheduled payments to come: ${context.money(payments.sum)}`,
    ...dueLines(payments, context),
    income.total > 0 && `Scheduled income to come: ${context.money(income.sum)}`,
    ...dueLines(income, context),
    transfers.total > 0 && `Scheduled transfers between accounts of the budget: ${transfers.total}`,
    ...dueLines(transfers, context),
  ];
}

function dueLines({ total, sum, rows }: FirstRows<Due>, context: TextContext): TextPart[] {
  const rest = total - rows.length;
  const shown = rows.reduce((total, { amount }) => total + amount, 0);
  return [
    ...rows.map((row) => formatDue(row, context)),
    rest > 0 && `  and ${rest} more with ${context.money(sum - shown)}`,
  ];
}

/** Such as `2026-12-05, 12, 19, 26 · 4 × -18.00 = -72.00 · "Noodle Lantern" · in "Eating Out" · account "Checking"`. */
function formatDue(row: Due, context: TextContext): string {
  const { money } = context;
  const [first = '', ...others] = row.dates;
  const last = others.at(-1) ?? first;
  const dates =
    others.length < MAX_DATES
      ? [word(first), ...others.map((date) => word(date.slice(8)))].join(', ')
      : `${word(first)} to ${word(last.slice(8))}`;
  return `  ${joinParts(
    dates,
    row.dates.length > 1
      ? `${row.dates.length} × ${money(row.each)} = ${money(row.amount)}`
      : money(row.amount),
    context.named('payee', row.payee_id, row.name),
    row.category_id !== null && `in ${context.named('category', row.category_id, row.category_name)}`,
    row.legs.length > 0 && `in ${legsOf(row, context)}`,
    `account ${context.named('account', row.account_id, row.account_name)}`,
  )}`;
}

const MAX_LEGS = 5;

/** Such as `"Groceries" -12.00, "Fuel" -3.40`. */
const legsOf = ({ legs }: Due, context: TextContext): string =>
  firstOf(
    legs.map(({ category_id, category_name, each }) => {
      const category = category_id !== null && context.named('category', category_id, category_name);
      return `${category || 'no category'} ${context.money(each)}`;
    }),
    MAX_LEGS,
  ).join(', ');

function formatOpen({ open, open_in_all_months: all }: MonthCheck): string {
  const elsewhere =
    all.need_category > open.need_category || all.need_approval > open.need_approval
      ? ` (in all months ${all.need_category} and ${all.need_approval})`
      : '';
  return `Transactions without a category: ${open.need_category}; without approval: ${open.need_approval}${elsewhere}.`;
}
