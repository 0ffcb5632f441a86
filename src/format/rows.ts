/**
 * What a model reads: one line per row, in the fewest tokens that still say everything one would act on.
 */
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

const accountLine = rowFormat(account, (it, prose) =>
  joinParts(
    quote(it.name),
    word(it.type),
    joinWords(
      `balance ${prose.money(it.balance)}`,
      it.uncleared_balance !== 0 &&
        `(cleared ${prose.money(it.cleared_balance)}, uncleared ${prose.money(it.uncleared_balance)})`,
    ),
    !it.on_budget && 'tracking',
    it.closed && 'closed',
    it.deleted && 'deleted',
    it.direct_import_in_error && 'bank import failing',
    it.note && `note ${quote(it.note)}`,
    it.transfer_payee_id && `transfer_payee_id ${prose.reference(it.transfer_payee_id)}`,
    word(it.id),
  ),
);

const goals: ReadonlyMap<string, string> = new Map([
  ['TB', 'target balance'],
  ['TBD', 'target balance by date'],
  ['MF', 'monthly funding'],
  ['NEED', 'plan your spending'],
  ['DEBT', 'debt payment'],
]);

const categoryOf = (it: z.output<typeof category>, { money }: TextContext, group?: string) =>
  joinParts(
    quote(it.name),
    group && `group ${group}`,
    `left ${money(it.balance)}`,
    `budgeted ${money(it.budgeted)}`,
    `activity ${money(it.activity)}`,
    it.goal_type &&
      joinWords(
        `goal: ${goals.get(it.goal_type) ?? word(it.goal_type)}`,
        it.goal_target !== null && money(it.goal_target),
        it.goal_target_month && `by ${word(it.goal_target_month)}`,
        it.goal_percentage_complete !== null && `${it.goal_percentage_complete}%`,
        !!it.goal_under_funded && `underfunded ${money(it.goal_under_funded)}`,
        it.goal_snoozed_at && 'snoozed',
      ),
    it.hidden && 'hidden',
    it.deleted && 'deleted',
    it.note && `note ${quote(it.note)}`,
    word(it.id),
  );

/** A category away from its group. */
const categoryLine = rowFormat(category, (it, prose) =>
  categoryOf(
    it,
    prose,
    it.category_group_name === null ? prose.reference(it.category_group_id) : quote(it.category_group_name),
  ),
);

const groupHead = (it: z.output<typeof categoryGroup>) =>
  joinParts(quote(it.name), it.hidden && 'hidden', it.deleted && 'deleted', `group ${word(it.id)}`);

const groupLine = rowFormat(
  listCategories.output.shape.category_groups.element,
  (it, prose) => groupHead(it) + indentLines(it.categories.map((each) => categoryOf(each, prose))),
);

const payeeLine = rowFormat(payee, (it, prose) =>
  joinParts(
    quote(it.name),
    it.transfer_account_id && `transfers to account ${prose.reference(it.transfer_account_id)}`,
    it.deleted && 'deleted',
    word(it.id),
  ),
);

const payeeLocationLine = rowFormat(payeeLocation, (it, prose) =>
  joinParts(
    `${word(it.latitude)}, ${word(it.longitude)}`,
    `payee ${prose.reference(it.payee_id)}`,
    it.deleted && 'deleted',
    word(it.id),
  ),
);

const monthLine = rowFormat(listMonths.output.shape.months.element, (it, { money }) =>
  joinParts(
    word(it.month.slice(0, 7)),
    `income ${money(it.income)}`,
    `budgeted ${money(it.budgeted)}`,
    `activity ${money(it.activity)}`,
    `to be budgeted ${money(it.to_be_budgeted)}`,
    it.age_of_money !== null && `age of money ${it.age_of_money} days`,
    it.note && `note ${quote(it.note)}`,
  ),
);

const monthDetailLine = rowFormat(
  getMonth.output.shape.month,
  (it, prose) => monthLine(it, prose) + indentLines(it.categories.map((each) => categoryLine(each, prose))),
);

const settingsLine = rowFormat(
  getBudgetSettings.output.shape.settings,
  (it) =>
    joinParts(
      it.date_format && `dates as ${word(it.date_format.format)}`,
      it.currency_format &&
        `${word(it.currency_format.iso_code)}, amounts as ${word(it.currency_format.example_format)}`,
    ) || 'no formats set',
);

const budgetLine = rowFormat(listBudgets.output.shape.budgets.element, (it) => {
  const own = new TextContext(moneyFormatter(it.currency_format));
  const head = joinParts(
    quote(it.name),
    it.currency_format && word(it.currency_format.iso_code),
    joinWords(
      it.first_month && `from ${word(it.first_month.slice(0, 7))}`,
      it.last_month && `to ${word(it.last_month.slice(0, 7))}`,
    ),
    it.last_modified_on && `changed ${word(it.last_modified_on)}`,
    word(it.id),
  );
  return head + indentLines((it.accounts ?? []).map((each) => accountLine(each, own)));
});

/** By the property of `data`, or of an export, that holds the row or rows. */
export const rowFormats: Readonly<Record<string, FormatRow>> = {
  user: rowFormat(getUser.output.shape.user, ({ id }) => `user ${word(id)}`),
  budgets: budgetLine,
  settings: settingsLine,
  account: accountLine,
  accounts: accountLine,
  category: categoryLine,
  categories: categoryLine,
  category_groups: (value, prose) =>
    typeof value === 'object' && value !== null && 'categories' in value
      ? groupLine(value, prose)
      : rowFormat(categoryGroup, groupHead)(value, prose),
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
