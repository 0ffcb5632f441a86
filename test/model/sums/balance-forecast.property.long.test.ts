import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addDays, daysBetween } from '../../../src/base/calendar.ts';
import { BudgetReplica } from '../../../src/model/replica/budget-replica.ts';
import { balanceForecast } from '../../../src/model/sums/balance-forecast.ts';
import { addScheduled } from '../../../src/service/ledger/scheduled-transactions.ts';
import { fuzzRuns } from '../../fuzz.helper.ts';
import { apply, changes, smallLedger } from '../../service/ledger/random-changes.helper.ts';
import { directReader } from '../replica/service-reader.helper.ts';

const frequencies = [
  'never',
  'daily',
  'weekly',
  'everyOtherWeek',
  'twiceAMonth',
  'every4Weeks',
  'monthly',
  'everyOtherMonth',
  'every3Months',
  'every4Months',
  'twiceAYear',
  'yearly',
  'everyOtherYear',
] as const;

const cents = fc.integer({ min: -30_000, max: 30_000 }).map((amount) => amount * 10);
const schedules = fc.array(
  fc.record({
    frequency: fc.constantFrom(...frequencies),
    inDays: fc.integer({ min: 1, max: 70 }),
    amount: cents,
    account: fc.nat(),
    payee: fc.nat(),
    legs: fc.array(fc.tuple(cents, fc.nat()), { maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 8 },
);

it('the certain part is what the service has by the end of each day after it has entered what is scheduled', async () => {
  const budgets = fc.record({
    changed: changes(12),
    schedules,
    late: fc.constantFrom(0, 0, 1, 17, 45),
    ahead: fc.constantFrom(1, 40, 100, 400),
  });
  await fc.assert(
    fc.asyncProperty(budgets, async ({ changed, schedules, late, ahead }) => {
      const ledger = smallLedger();
      for (const change of changed) apply(ledger, change);
      ledger.commit((state) => {
        for (const { frequency, inDays, amount, account, payee, legs } of schedules) {
          const ids = [...state.accounts.keys()];
          const account_id = ids[account % ids.length] ?? '';
          const payees = [undefined, ...state.payees.values()];
          const payeeOf = (pick: number) => {
            const found = payees[pick % payees.length];
            return found?.transfer_account_id === account_id ? null : (found?.id ?? null);
          };
          const parts = legs.map(([each, pick]) => ({ amount: each, payee_id: payeeOf(pick) }));
          const isSplit = parts.length > 1;
          const total = isSplit ? parts.reduce((sum, part) => sum + part.amount, 0) : amount;
          addScheduled(state, {
            account_id,
            date: addDays(state.today, inDays),
            frequency,
            amount: total,
            payee_id: isSplit ? null : payeeOf(payee),
            ...(isSplit && { legs: parts }),
          });
        }
      });
      const readAt = ledger.state.today;
      const replica = BudgetReplica.load(await directReader(ledger).export(), readAt);
      // The server may have read the budget some days ago: what was due since then is overdue.
      const today = addDays(readAt, late);
      const until = addDays(today, ahead);
      const accounts = replica.accounts.list();
      const { each, total } = balanceForecast({
        accounts,
        transactions: replica.transactions.list({}),
        scheduled: replica.scheduledTransactions.list(),
        changes: [],
        today,
        until,
        smallestUnit: 10,
        spending: false,
      });
      for (let date = today; date <= until; date = addDays(date, 1)) {
        ledger.advanceTo(Date.parse(`${date}T12:00:00Z`));
        const day = daysBetween(today, date);
        const balances = accounts.map(
          ({ id }) => ledger.accounts().find((account) => account.id === id)?.balance,
        );
        expect(each.map(({ certain }) => certain[day])).toEqual(balances);
        expect(total.certain[day]).toBe(balances.reduce<number>((sum, balance) => sum + (balance ?? 0), 0));
      }
    }),
    { numRuns: fuzzRuns(500) },
  );
});
