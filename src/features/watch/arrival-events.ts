/**
 * Events about transactions that came in. Those with an older date than a month are left out, so that the state of a watch
 * stays small. Amounts are in milliunits.
 */
import { counted, joinWords, quoteStart } from '../../answers/text.ts';
import { smallestUnit } from '../../answers/units.ts';
import { addDays, addMonths } from '../../base/calendar.ts';
import { accountId, amountSize, payeeId } from '../../base/schema/fields.ts';
import type { Transaction } from '../../model/replica/entities.ts';
import { review } from '../../model/review/review.ts';
import { budgetAccountsOf } from '../../model/sums/budget-accounts.ts';
import { incomeIds, uncategorizedIds } from '../../model/sums/category-kinds.ts';
import { linesOf } from '../../model/sums/lines.ts';
import { recurringIn } from '../../model/sums/recurring-charges.ts';
import { sumOf } from '../../model/sums/sum.ts';
import { countOpen } from '../../model/sums/uncategorized.ts';
import { MAX_NAME } from './balance-events.ts';
import { type Observation, type WatchScope, watchEvent } from './watch-event.ts';

const NEW_DAYS = 30;
/** Two yearly charges are within this time. */
const SERIES_MONTHS = 25;

export const largeTransaction = watchEvent({
  name: 'large_transaction',
  description:
    'A transaction of at least this amount comes in, in or out, on one account or on any. Transfers between own accounts do not count.',
  input: { amount: amountSize, account: accountId.optional() },
  repeats: 'once',
  observe(scope, { amount, account }) {
    return newRows(scope)
      .filter(
        (row) => row.transfer_account_id === null && (account === undefined || row.account_id === account),
      )
      .filter((row) => Math.abs(row.amount) >= Math.abs(amount))
      .map((row) => observed(row, scope));
  },
});

export const unusualTransaction = watchEvent({
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
        return { ...observed(row, scope, 'It is probably there twice.'), key };
      }
      if (kind !== 'unusual_amount') return [];
      return observed(row, scope, `The usual amount is ${scope.money(Number(usual))}.`);
    }),
});

export const incomeArrived = watchEvent({
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
      return amount > 0 ? observed({ ...row, amount }, scope) : [];
    });
  },
});

export const recurringPriceChanged = watchEvent({
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
});

export const needsAttention = watchEvent({
  name: 'needs_attention',
  description: 'New transactions came in that have no category or are not approved. At most once a day.',
  input: {},
  repeats: 'daily',
  observe(scope) {
    const { replica } = scope;
    const budgetAccounts = budgetAccountsOf(replica.accounts.list());
    const without = uncategorizedIds(replica);
    const isOpen = (row: Transaction) => {
      const { need_category, need_approval } = countOpen([row], budgetAccounts, without);
      return need_category + need_approval > 0;
    };
    return newRows(scope)
      .filter(isOpen)
      .map((row) => observed(row, scope));
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
});

const firstDay = ({ today }: WatchScope) => addDays(today, -NEW_DAYS);

/** The newest first. */
const newRows = (scope: WatchScope) => scope.replica.transactions.list({ since_date: firstDay(scope) });

function observed(row: Transaction, { money }: WatchScope, more?: string): Observation {
  const { id, date, amount, payee_name, account_name } = row;
  const [payee, account] = [payee_name ?? 'no payee', account_name].map((name) => quoteStart(name, MAX_NAME));
  return {
    key: id,
    amount,
    message: joinWords(`${money(amount)} on ${date}, ${payee}, account ${account}.`, more),
    next: { tool: 'get_transaction', arguments: { transaction_id: id } },
  };
}
