/**
 * Schemas of every resource of version 1.85, written independently of the service, on those of 1.77. The objects are
 * strict. Names with `Exported` are those of the whole-budget export, which has amounts in milliunits only.
 */
import { z } from 'zod';
import * as older from './wire-1-77.helper.ts';
import { date, milliunits, month, orNull, timestamp, uuid, uuidOrNull, yes } from './wire-1-77.helper.ts';

export {
  BudgetSettings,
  BudgetSummary,
  Payee,
  PayeeLocation,
  User,
} from './wire-1-77.helper.ts';

/** The amount as a text, for a currency of any format, and as a number of units. */
const formatted = z.string().regex(/^-?[^\d\s-]*\d[\d.,\s]*\D*$/);
const currency = z.number();
const formattedOrNull = formatted.nullable();
const currencyOrNull = currency.nullable();

const amount = { amount_formatted: formatted, amount_currency: currency };

export const Account = older.Account.extend({
  balance_formatted: formatted,
  balance_currency: currency,
  cleared_balance_formatted: formatted,
  cleared_balance_currency: currency,
  uncleared_balance_formatted: formatted,
  uncleared_balance_currency: currency,
});

export const CategoryGroup = older.CategoryGroup.extend({ internal: yes });

export const ExportedCategory = older.Category.extend({
  internal: yes,
  goal_target_month: month.nullable(),
  goal_target_date: date.nullable(),
});

export const Category = ExportedCategory.extend({
  balance_formatted: formatted,
  balance_currency: currency,
  activity_formatted: formatted,
  activity_currency: currency,
  budgeted_formatted: formatted,
  budgeted_currency: currency,
  goal_target_formatted: formattedOrNull,
  goal_target_currency: currencyOrNull,
  goal_under_funded_formatted: formattedOrNull,
  goal_under_funded_currency: currencyOrNull,
  goal_overall_funded_formatted: formattedOrNull,
  goal_overall_funded_currency: currencyOrNull,
  goal_overall_left_formatted: formattedOrNull,
  goal_overall_left_currency: currencyOrNull,
});

export const CategoryGroupWithCategories = CategoryGroup.extend({ categories: z.array(Category) });

export const MoneyMovement = z.strictObject({
  id: uuid,
  month: month.nullable(),
  moved_at: timestamp.nullable(),
  note: orNull,
  money_movement_group_id: uuidOrNull,
  performed_by_user_id: uuidOrNull,
  from_category_id: uuidOrNull,
  to_category_id: uuidOrNull,
  amount: milliunits.positive(),
  ...amount,
});

export const MoneyMovementGroup = z.strictObject({
  id: uuid,
  group_created_at: timestamp,
  month,
  note: orNull,
  performed_by_user_id: uuidOrNull,
});

export const MonthSummary = older.MonthSummary.extend({
  income_formatted: formatted,
  income_currency: currency,
  budgeted_formatted: formatted,
  budgeted_currency: currency,
  activity_formatted: formatted,
  activity_currency: currency,
  to_be_budgeted_formatted: formatted,
  to_be_budgeted_currency: currency,
});

export const MonthDetail = MonthSummary.extend({ categories: z.array(Category) });

export const TransactionDetail = older.TransactionDetail.extend({
  ...amount,
  subtransactions: z.array(older.SubTransaction.extend(amount)),
});

export const HybridTransaction = older.HybridTransaction.extend(amount);

export const ScheduledTransactionDetail = older.ScheduledTransactionDetail.extend({
  ...amount,
  subtransactions: z.array(older.ScheduledSubTransaction.extend(amount)),
});

export const BudgetDetail = older.BudgetDetail.extend({
  category_groups: z.array(CategoryGroup),
  categories: z.array(ExportedCategory),
  months: z.array(older.MonthSummary.extend({ categories: z.array(ExportedCategory) })),
});
