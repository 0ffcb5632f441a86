/**
 * The events that can be watched, in the order in which they are listed. Amounts are in milliunits. Transactions with an older
 * date than a month are left out, so that the state of a watch stays small.
 */
import { z } from 'zod';
import { counted, joinWords, quoteStart } from '../../answers/text.ts';
import { smallestUnit } from '../../answers/units.ts';
import { addDays, addMonths, firstOfMonth } from '../../base/calendar.ts';
import {
  accountId,
  amountSize,
  balanceAmount,
  categoryId,
  milliunits,
  payeeId,
} from '../../base/schema/fields.ts';
import type { Category, Transaction } from '../../model/replica/entities.ts';
import { review } from '../../model/review/review.ts';
import { balanceForecast, lowestDay } from '../../model/sums/balance-forecast.ts';
import { categoriesOf } from '../../model/sums/categories-of-month.ts';
import { categoryKinds, incomeIds, withReadyToAssign } from '../../model/sums/category-kinds.ts';
import { linesOf } from '../../model/sums/lines.ts';
import { monthIn } from '../../model/sums/month-to-come.ts';
import { recurringIn } from '../../model/sums/recurring-charges.ts';
import { sumOf } from '../../model/sums/sum.ts';
import { uncategorizedLinesIn } from '../../model/sums/uncategorized.ts';
import { type Observation, type WatchEvent, type WatchScope, watchEvent } from './watch-event.ts';

/** Of a name in a message. */
const MAX_NAME = 80;
const MAX_DAYS = 92;
const NEW_DAYS = 30;
/** Two yearly charges are within this time. */
const SERIES_MONTHS = 25;

export const watchEvents: readonly WatchEvent[] = [
  watchEvent({
    name: 'category_overspent',
    description:
      'A category goes below zero: one category, or any if none is named. At most once a day for each category.',
    input: { category: categoryId.optional() },
    repeats: 'daily',
    observe: (scope, { category }) =>
      ownCategories(scope)
        .filter(({ id, balance }) => balance < 0 && (category === undefined || id === category))
        .map((each) => observedCategory(each, `is overspent: ${scope.money(each.balance)} is left.`)),
  }),
  watchEvent({
    name: 'category_below',
    description: 'What is left in a category goes below an amount. At most once a day.',
    input: { category: categoryId, amount: milliunits },
    repeats: 'daily',
    observe: (scope, { category, amount }) =>
      [...ownCategories(scope), ...readyToAssign(scope)]
        .filter(({ id, balance }) => id === category && balance < amount)
        .map((each) =>
          observedCategory(each, `is below ${scope.money(amount)}: ${scope.money(each.balance)} is left.`),
        ),
  }),
  watchEvent({
    name: 'balance_below',
    description:
      'The balance of an account goes below an amount: today or, with within_days, by what is scheduled in so many days. At most once a day.',
    input: {
      account: accountId,
      amount: balanceAmount,
      within_days: z.int().min(1).max(MAX_DAYS).optional(),
    },
    repeats: 'daily',
    observe({ replica, today, money }, { account, amount, within_days = 0 }) {
      const found = replica.accounts.list().filter(({ id }) => id === account);
      return found.flatMap(({ id, name, balance }) => {
        const until = addDays(today, within_days);
        const lowest =
          within_days === 0
            ? { date: today, balance }
            : lowestDay(certainLine({ replica, today }, id, until), balance, today);
        if (lowest.balance >= amount) return [];
        const isToday = lowest.date === today;
        return {
          key: id,
          amount: lowest.balance,
          message: `Account ${quoteStart(name, MAX_NAME)} ${isToday ? 'is' : `will be on ${lowest.date}, by what is scheduled,`} below ${money(amount)}: ${money(lowest.balance)}.`,
          next: isToday
            ? { tool: 'get_account', arguments: { account_id: id } }
            : { tool: 'forecast', arguments: { account: [id], until } },
        };
      });
    },
  }),
  watchEvent({
    name: 'large_transaction',
    description:
      'A transaction of at least this amount comes in, in or out, on one account or on any. Transfers between own accounts do not count.',
    input: { amount: amountSize, account: accountId.optional() },
    repeats: 'once',
    observe: (scope, { amount, account }) =>
      newRows(scope)
        .filter(
          (row) => row.transfer_account_id === null && (account === undefined || row.account_id === account),
        )
        .filter((row) => Math.abs(row.amount) >= Math.abs(amount))
        .map((row) => observedTransaction(row, scope)),
  }),
  watchEvent({
    name: 'unusual_transaction',
    description:
      'A charge comes in that is much larger than what its payee had before, or that is probably there twice.',
    input: {},
    repeats: 'once',
    observe: (scope) =>
      review(scope.replica, firstDay(scope)).findings.flatMap(({ kind, row, other, usual }) => {
        if (row.date < firstDay(scope)) return [];
        if (kind === 'likely_duplicate') {
          // Which of the two is the duplicate depends on which is approved.
          const key = [row.id, other?.id].toSorted().join(' ');
          return { ...observedTransaction(row, scope, 'It is probably there twice.'), key };
        }
        if (kind !== 'unusual_amount') return [];
        return observedTransaction(row, scope, `The usual amount is ${scope.money(Number(usual))}.`);
      }),
  }),
  watchEvent({
    name: 'recurring_price_changed',
    description: 'A regular bill or subscription is charged with another price than before.',
    input: { payee: payeeId.optional() },
    repeats: 'once',
    observe(scope, { payee }) {
      const { replica, today, money } = scope;
      const since = addMonths(today, -SERIES_MONTHS);
      const unit = smallestUnit(replica.head.currency_format?.decimal_digits ?? 2);
      const charges = recurringIn(replica, { today, since, payee, smallestUnit: unit });
      return charges.flatMap(({ payee_id, name, rhythm, amount, changed }) => {
        if (!changed || changed.date < firstDay(scope)) return [];
        return {
          // Not the date, which may be corrected.
          key: `${payee_id} ${changed.from} ${amount}`,
          amount,
          message: `${quoteStart(name, MAX_NAME)} (${rhythm}) costs ${money(amount)} since ${changed.date}, before ${money(changed.from)}.`,
          next: { tool: 'list_recurring', arguments: { payee: payee_id } },
        };
      });
    },
  }),
  watchEvent({
    name: 'needs_attention',
    description: 'New transactions came in that have no category or are not approved. At most once a day.',
    input: {},
    repeats: 'daily',
    observe(scope) {
      const uncategorizedLines = uncategorizedLinesIn(scope.replica);
      return newRows(scope)
        .filter((row) => !row.approved || uncategorizedLines(row).length > 0)
        .map((row) => observedTransaction(row, scope));
    },
    combine: (rows, { money }) => {
      const amount = sumOf(rows, (row) => row.amount);
      return {
        key: 'all',
        amount,
        message: `${counted(rows.length, 'new transaction')} without category or approval, in sum ${money(amount)}.`,
        next: { tool: 'review_transactions', arguments: {} },
      };
    },
  }),
  watchEvent({
    name: 'income_arrived',
    description: 'Money arrives that is ready to be assigned, such as a salary.',
    input: { account: accountId.optional() },
    repeats: 'once',
    observe(scope, { account }) {
      const income = incomeIds(scope.replica);
      const isIncome = (id: string | null) => id !== null && income.has(id);
      return newRows(scope).flatMap((row) => {
        if (account !== undefined && row.account_id !== account) return [];
        const amount = sumOf(linesOf(row), (line) => (isIncome(line.category_id) ? line.amount : 0));
        return amount > 0 ? observedTransaction({ ...row, amount }, scope) : [];
      });
    },
  }),
];

export const findEvent = (name: string): WatchEvent | undefined =>
  watchEvents.find((each) => each.name === name);

/** What the account has at the end of each day, by what is scheduled. */
function certainLine({ replica, today }: Pick<WatchScope, 'replica' | 'today'>, id: string, until: string) {
  return balanceForecast({
    accounts: replica.accounts.list().filter((each) => each.id === id),
    transactions: [],
    scheduled: replica.scheduledTransactions.list(),
    changes: [],
    today,
    until,
    smallestUnit: 1,
    spending: false,
  }).total.certain;
}

/** Hidden ones too, but none of the service itself. */
const ownCategories = ({ replica, today }: WatchScope) =>
  replica.categories
    .list()
    .filter(categoryKinds(replica).isOwn)
    .map(categoriesOf(monthIn(replica, firstOfMonth(today))));

/** With what is left to assign this month as its balance. */
const readyToAssign = ({ replica, today }: WatchScope) =>
  replica.categories
    .list()
    .map(withReadyToAssign(replica, firstOfMonth(today)))
    .flatMap((each) =>
      each.to_be_budgeted === undefined ? [] : [{ ...each, balance: each.to_be_budgeted }],
    );

const observedCategory = ({ id, name, balance }: Category, what: string) => ({
  key: id,
  amount: balance,
  message: `Category ${quoteStart(name, MAX_NAME)} ${what}`,
  next: { tool: 'get_category', arguments: { category_id: id } },
});

const firstDay = ({ today }: WatchScope) => addDays(today, -NEW_DAYS);

/** The newest first. */
const newRows = (scope: WatchScope) => scope.replica.transactions.list({ since_date: firstDay(scope) });

function observedTransaction(row: Transaction, { money }: WatchScope, more?: string): Observation {
  const { id, date, amount, payee_name, account_name } = row;
  const [payee, account] = [payee_name ?? 'no payee', account_name].map((name) => quoteStart(name, MAX_NAME));
  return {
    key: id,
    amount,
    message: joinWords(`${money(amount)} on ${date}, ${payee}, account ${account}.`, more),
    next: { tool: 'get_transaction', arguments: { transaction_id: id } },
  };
}
