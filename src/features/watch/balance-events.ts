/** Events about what is left in categories and accounts. Amounts are in milliunits. */
import { z } from 'zod';
import { quoteStart } from '../../answers/text.ts';
import { addDays } from '../../base/calendar.ts';
import { accountId, balanceAmount, categoryId, milliunits } from '../../base/schema/fields.ts';
import { balanceForecast, lowestDay } from '../../model/sums/balance-forecast.ts';
import { categoryKinds } from '../../model/sums/category-kinds.ts';
import { type WatchScope, watchEvent } from './watch-event.ts';

/** Of a name in a message. */
export const MAX_NAME = 80;
const MAX_DAYS = 92;

export const categoryOverspent = watchEvent({
  name: 'category_overspent',
  description:
    'A category goes below zero: one category, or any if none is named. At most once a day for each category.',
  input: { category: categoryId.optional() },
  repeats: 'daily',
  observe(scope, { category }) {
    return ownCategories(scope)
      .filter(({ id, balance }) => balance < 0 && (category === undefined || id === category))
      .map((each) => observed(each, `is overspent: ${scope.money(each.balance)} is left.`));
  },
});

export const categoryBelow = watchEvent({
  name: 'category_below',
  description: 'What is left in a category goes below an amount. At most once a day.',
  input: { category: categoryId, amount: milliunits },
  repeats: 'daily',
  observe(scope, { category, amount }) {
    return ownCategories(scope)
      .filter(({ id, balance }) => id === category && balance < amount)
      .map((each) =>
        observed(each, `is below ${scope.money(amount)}: ${scope.money(each.balance)} is left.`),
      );
  },
});

export const balanceBelow = watchEvent({
  name: 'balance_below',
  description:
    'The balance of an account goes below an amount: today or, with within_days, by what is scheduled in so many days. At most once a day.',
  input: { account: accountId, amount: balanceAmount, within_days: z.int().min(1).max(MAX_DAYS).optional() },
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
});

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
const ownCategories = ({ replica }: WatchScope) =>
  replica.categories.list().filter(categoryKinds(replica.groups.list()).isOwn);

const observed = (
  { id, name, balance }: { readonly id: string; readonly name: string; readonly balance: number },
  what: string,
) => ({
  key: id,
  amount: balance,
  message: `Category ${quoteStart(name, MAX_NAME)} ${what}`,
  next: { tool: 'get_category', arguments: { category_id: id } },
});
