/** Formats each kind of row as one line, in few tokens, with all fields that a model may act on. */
import type { z } from 'zod';
import type { JsonObject } from '../base/json.ts';
import { account } from '../base/schema/account.ts';
import { budgetSettings, budgetSummary, user } from '../base/schema/budget.ts';
import { category, categoryGroup, categoryGroupWithCategories } from '../base/schema/category.ts';
import type { RowKind } from '../base/schema/meaning.ts';
import { moneyMovement, moneyMovementGroup } from '../base/schema/money-movement.ts';
import { monthDetail, monthSummary } from '../base/schema/month.ts';
import { payee, payeeLocation } from '../base/schema/payee.ts';
import { shapeOf } from '../base/schema/walk.ts';
import { isInternalCategory } from '../model/bookkeeping/own-categories.ts';
import { goalText } from './goal-text.ts';
import {
  type FormatRow,
  indentLines,
  joinParts,
  joinWords,
  quote,
  quoteStart,
  rowFormat,
  TextContext,
  type TextPart,
  word,
} from './text.ts';
import { formatScheduledTransaction, formatTransaction } from './transactions.ts';
import { plainAmounts } from './units.ts';

/** Notes have no limit in the service. A resource has all of a note. */
const MAX_NOTE = 2_000;

const noteOf = ({ note }: { readonly note: string | null }) => note && `note ${quoteStart(note, MAX_NOTE)}`;

const accountLine = rowFormat(account, (it, context) =>
  joinParts(
    quote(it.name),
    word(it.type),
    joinWords(
      `balance ${context.money(it.balance)}`,
      it.uncleared_balance !== 0 &&
        `(cleared ${context.money(it.cleared_balance)}, uncleared ${context.money(it.uncleared_balance)})`,
    ),
    !it.on_budget && 'tracking',
    it.closed && 'closed',
    it.deleted && 'deleted',
    it.direct_import_in_error && 'bank import failing',
    noteOf(it),
    context.idUnlessNamed('account', it.id, it.name),
  ),
);

/** An internal category has no amounts and no goal that mean anything to a user (`shown-category.ts`). */
const amountsOf = (it: z.output<typeof category>, context: TextContext): readonly TextPart[] => {
  const { money } = context;
  if (isInternalCategory(it))
    return [it.to_be_budgeted !== undefined && `to be assigned ${money(it.to_be_budgeted)}`];
  return [
    `left ${money(it.balance)}`,
    `budgeted ${money(it.budgeted)}`,
    `activity ${money(it.activity)}`,
    it.goal_type && `goal: ${goalText(it, context)}`,
  ];
};

const categoryOf = (it: z.output<typeof category>, context: TextContext, group?: string) =>
  joinParts(
    quote(it.name),
    group && `group ${group}`,
    ...amountsOf(it, context),
    it.hidden && 'hidden',
    it.deleted && 'deleted',
    noteOf(it),
    context.idUnlessNamed('category', it.id, it.name),
  );

/** A category that is not listed under its group. */
const categoryLine = rowFormat(category, (it, context) =>
  categoryOf(
    it,
    context,
    it.category_group_name === null
      ? context.reference(it.category_group_id, 'category_group')
      : quote(it.category_group_name),
  ),
);

const groupHead = (it: z.output<typeof categoryGroup>, context: TextContext) =>
  joinParts(
    `group ${quote(it.name)}`,
    it.hidden && 'hidden',
    it.deleted && 'deleted',
    context.idUnlessNamed('category_group', it.id, it.name),
  );

const groupLine = rowFormat(
  categoryGroupWithCategories,
  (it, context) =>
    groupHead(it, context) + indentLines(it.categories.map((each) => categoryOf(each, context))),
);

const payeeLine = rowFormat(payee, (it, context) =>
  joinParts(
    quote(it.name),
    it.transfer_account_id && 'transfer',
    it.deleted && 'deleted',
    context.idUnlessNamed('payee', it.id, it.name),
  ),
);

const payeeLocationLine = rowFormat(payeeLocation, (it, context) =>
  joinParts(
    `${word(it.latitude)}, ${word(it.longitude)}`,
    `payee ${context.reference(it.payee_id, 'payee')}`,
    it.deleted && 'deleted',
    context.id('payee_location', it.id),
  ),
);

const monthLine = rowFormat(monthSummary, (it, { money }) =>
  joinParts(
    word(it.month.slice(0, 7)),
    `income ${money(it.income)}`,
    `budgeted ${money(it.budgeted)}`,
    `activity ${money(it.activity)}`,
    `to be budgeted ${money(it.to_be_budgeted)}`,
    it.age_of_money !== null && `age of money ${it.age_of_money} days`,
    noteOf(it),
  ),
);

const monthDetailLine = rowFormat(
  monthDetail,
  (it, context) =>
    monthLine(it, context) + indentLines(it.categories.map((each) => categoryLine(each, context))),
);

const movementLine = rowFormat(moneyMovement, (it, context) => {
  const category = (id: string | null) =>
    id === null ? 'Ready to Assign' : context.reference(id, 'category');
  return joinParts(
    word((it.moved_at ?? it.month ?? 'no date').slice(0, 10)),
    `${context.money(it.amount)} from ${category(it.from_category_id)} to ${category(it.to_category_id)}`,
    it.moved_at !== null && it.month !== null && `month ${word(it.month.slice(0, 7))}`,
    noteOf(it),
  );
});

const movementGroupLine = rowFormat(moneyMovementGroup, (it) =>
  joinParts(word(it.group_created_at), `month ${word(it.month.slice(0, 7))}`, noteOf(it), word(it.id)),
);

const settingsLine = rowFormat(
  budgetSettings,
  (it) =>
    joinParts(
      it.date_format && `dates as ${word(it.date_format.format)}`,
      it.currency_format &&
        `${word(it.currency_format.iso_code)}, amounts as ${word(it.currency_format.example_format)}`,
    ) || 'no formats set',
);

const budgetLine = rowFormat(budgetSummary, (it) => {
  const own = new TextContext(plainAmounts(it.currency_format));
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

const formats: Readonly<Record<RowKind, FormatRow>> = {
  user: rowFormat(user, ({ id }) => `user ${word(id)}`),
  budget: budgetLine,
  budget_settings: settingsLine,
  account: accountLine,
  category: categoryLine,
  category_group: rowFormat(categoryGroup, groupHead),
  category_group_with_categories: groupLine,
  payee: payeeLine,
  payee_location: payeeLocationLine,
  money_movement: movementLine,
  money_movement_group: movementGroupLine,
  month: monthLine,
  month_with_categories: monthDetailLine,
  transaction: formatTransaction,
  scheduled_transaction: formatScheduledTransaction,
};

/** The lines of a row, or of a list of rows. Empty if its schema is of no kind of row. */
export function formatRows(
  schema: z.core.$ZodType | undefined,
  value: unknown,
  context: TextContext,
): string[] {
  if (!schema || value === null || value === undefined) return [];
  const { values, meaning } = shapeOf(schema);
  if (values && Array.isArray(value)) return value.flatMap((row) => formatRows(values, row, context));
  return meaning.row ? [formats[meaning.row](value, context)] : [];
}

/** The lines of the entities in a response, whose data `output` has parsed. */
export const formatFields = ({ shape }: z.ZodObject, data: JsonObject, context: TextContext): string[] =>
  Object.entries(data).flatMap(([name, value]) => formatRows(shape[name], value, context));
