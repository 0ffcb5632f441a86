/** Formats rows for a model: one line per row, short but complete. */
import type { z } from 'zod';
import { account } from '../operations/accounts.ts';
import { getBudgetSettings, listBudgets } from '../operations/budgets.ts';
import { category, categoryGroup, listCategories } from '../operations/categories.ts';
import { getMonth, listMonths } from '../operations/months.ts';
import { payeeLocation } from '../operations/payee-locations.ts';
import { payee } from '../operations/payees.ts';
import { getUser } from '../operations/user.ts';
import {
  type FormatRow,
  indentLines,
  joinParts,
  joinWords,
  quote,
  rowFormat,
  TextContext,
  word,
} from './text.ts';
import {
  formatLeg,
  formatScheduledLeg,
  formatScheduledTransaction,
  formatTransaction,
} from './transactions.ts';
import { moneyFormatter } from './units.ts';

const accountLine = rowFormat(account, (row, context) =>
  joinParts(
    quote(row.name),
    word(row.type),
    joinWords(
      `balance ${context.money(row.balance)}`,
      row.uncleared_balance !== 0 &&
        `(cleared ${context.money(row.cleared_balance)}, uncleared ${context.money(row.uncleared_balance)})`,
    ),
    !row.on_budget && 'tracking',
    row.closed && 'closed',
    row.deleted && 'deleted',
    row.direct_import_in_error && 'bank import failing',
    row.note && `note ${quote(row.note)}`,
    row.transfer_payee_id && `transfer_payee_id ${context.reference(row.transfer_payee_id)}`,
    word(row.id),
  ),
);

const goals: ReadonlyMap<string, string> = new Map([
  ['TB', 'target balance'],
  ['TBD', 'target balance by date'],
  ['MF', 'monthly funding'],
  ['NEED', 'plan your spending'],
  ['DEBT', 'debt payment'],
]);

const categoryOf = (row: z.output<typeof category>, { money }: TextContext, group?: string) =>
  joinParts(
    quote(row.name),
    group && `group ${group}`,
    `left ${money(row.balance)}`,
    `budgeted ${money(row.budgeted)}`,
    `activity ${money(row.activity)}`,
    row.goal_type &&
      joinWords(
        `goal: ${goals.get(row.goal_type) ?? word(row.goal_type)}`,
        row.goal_target !== null && money(row.goal_target),
        row.goal_target_month && `by ${word(row.goal_target_month)}`,
        row.goal_percentage_complete !== null && `${row.goal_percentage_complete}%`,
        !!row.goal_under_funded && `underfunded ${money(row.goal_under_funded)}`,
        row.goal_snoozed_at && 'snoozed',
      ),
    row.hidden && 'hidden',
    row.deleted && 'deleted',
    row.note && `note ${quote(row.note)}`,
    word(row.id),
  );

/** A category outside of a list of its group. */
const categoryLine = rowFormat(category, (row, context) =>
  categoryOf(
    row,
    context,
    row.category_group_name === null
      ? context.reference(row.category_group_id)
      : quote(row.category_group_name),
  ),
);

const groupHead = (row: z.output<typeof categoryGroup>) =>
  joinParts(quote(row.name), row.hidden && 'hidden', row.deleted && 'deleted', `group ${word(row.id)}`);

const groupLine = rowFormat(
  listCategories.output.shape.category_groups.element,
  (row, context) => groupHead(row) + indentLines(row.categories.map((nested) => categoryOf(nested, context))),
);

const payeeLine = rowFormat(payee, (row, context) =>
  joinParts(
    quote(row.name),
    row.transfer_account_id && `transfers to account ${context.reference(row.transfer_account_id)}`,
    row.deleted && 'deleted',
    word(row.id),
  ),
);

const payeeLocationLine = rowFormat(payeeLocation, (row, context) =>
  joinParts(
    `${word(row.latitude)}, ${word(row.longitude)}`,
    `payee ${context.reference(row.payee_id)}`,
    row.deleted && 'deleted',
    word(row.id),
  ),
);

const monthLine = rowFormat(listMonths.output.shape.months.element, (row, { money }) =>
  joinParts(
    word(row.month.slice(0, 7)),
    `income ${money(row.income)}`,
    `budgeted ${money(row.budgeted)}`,
    `activity ${money(row.activity)}`,
    `to be budgeted ${money(row.to_be_budgeted)}`,
    row.age_of_money !== null && `age of money ${row.age_of_money} days`,
    row.note && `note ${quote(row.note)}`,
  ),
);

const monthDetailLine = rowFormat(
  getMonth.output.shape.month,
  (row, context) =>
    monthLine(row, context) + indentLines(row.categories.map((nested) => categoryLine(nested, context))),
);

const settingsLine = rowFormat(
  getBudgetSettings.output.shape.settings,
  (row) =>
    joinParts(
      row.date_format && `dates as ${word(row.date_format.format)}`,
      row.currency_format &&
        `${word(row.currency_format.iso_code)}, amounts as ${word(row.currency_format.example_format)}`,
    ) || 'no formats set',
);

const budgetLine = rowFormat(listBudgets.output.shape.budgets.element, (row) => {
  const accountContext = new TextContext(moneyFormatter(row.currency_format));
  const head = joinParts(
    quote(row.name),
    row.currency_format && word(row.currency_format.iso_code),
    joinWords(
      row.first_month && `from ${word(row.first_month.slice(0, 7))}`,
      row.last_month && `to ${word(row.last_month.slice(0, 7))}`,
    ),
    row.last_modified_on && `changed ${word(row.last_modified_on)}`,
    word(row.id),
  );
  return head + indentLines((row.accounts ?? []).map((nested) => accountLine(nested, accountContext)));
});

/** By the property of `data`, or of an export, that contains the row or rows. */
export const rowFormats: Readonly<Record<string, FormatRow>> = {
  user: rowFormat(getUser.output.shape.user, ({ id }) => `user ${word(id)}`),
  budgets: budgetLine,
  settings: settingsLine,
  account: accountLine,
  accounts: accountLine,
  category: categoryLine,
  categories: categoryLine,
  category_groups: (value, context) =>
    typeof value === 'object' && value !== null && 'categories' in value
      ? groupLine(value, context)
      : rowFormat(categoryGroup, groupHead)(value, context),
  payee: payeeLine,
  payees: payeeLine,
  payee_location: payeeLocationLine,
  payee_locations: payeeLocationLine,
  month: monthDetailLine,
  months: monthLine,
  transaction: formatTransaction,
  transactions: formatTransaction,
  subtransactions: formatLeg,
  scheduled_transaction: formatScheduledTransaction,
  scheduled_transactions: formatScheduledTransaction,
  scheduled_subtransactions: formatScheduledLeg,
};
