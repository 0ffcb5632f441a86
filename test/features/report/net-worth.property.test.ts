import fc from 'fast-check';
import { expect, it } from 'vitest';
import { netWorth } from '../../../src/features/report/net-worth.ts';
import { periodsOf } from '../../../src/features/report/periods.ts';
import { fuzzRuns } from '../../fuzz.helper.ts';
import { bookAfter, bookChanges } from '../../model/sums/random-book.helper.ts';

const total = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + amount, 0);

it('at the end of each period, every account of any book has the sum of its transactions until then', async () => {
  await fc.assert(
    fc.asyncProperty(bookChanges, fc.nat(), fc.nat(), async (changed, one, other) => {
      const { replica } = await bookAfter(changed);
      // The range begins and ends on days with transactions.
      const days = replica.transactions.list({}).map(({ date }) => date);
      const [since = '', until = ''] = [
        days[one % days.length] ?? '',
        days[other % days.length] ?? '',
      ].sort();
      const periods = periodsOf({ since, until });
      const accounts = replica.accounts.list().map(({ id }) => id);
      const sumUntil = (account: string, isCounted: (date: string) => boolean) =>
        total(
          replica.transactions
            .list({})
            .filter(({ account_id, date }) => account_id === account && isCounted(date))
            .map(({ amount }) => amount),
        );
      const balances = accounts.map((id) => ({
        id,
        balances: periods.map(({ until }) => sumUntil(id, (date) => date <= until)),
      }));
      const worth = netWorth(replica, periods);
      const found = new Map(worth.accounts.map((row) => [row.id, row.balances]));
      for (const { id, balances: expected } of balances)
        expect(found.get(id) ?? expected.map(() => 0)).toEqual(expected);

      const parts = (amounts: readonly number[]) => ({
        owned: total(amounts.filter((amount) => amount > 0)),
        owed: total(amounts.filter((amount) => amount < 0).map((amount) => -amount)),
      });
      expect(worth.periods).toEqual(
        periods.map((_, column) => parts(balances.map((row) => row.balances[column] ?? 0))),
      );
      expect(worth.before).toEqual(
        parts(accounts.map((id) => sumUntil(id, (date) => date < (periods[0]?.since ?? '')))),
      );
      expect(worth.isExact).toBe(true);
    }),
    { numRuns: fuzzRuns(30) },
  );
});

it('today, the net worth of any book is the sum of the balances that the service shows', async () => {
  await fc.assert(
    fc.asyncProperty(bookChanges, async (changed) => {
      const { replica, periods } = await bookAfter(changed);
      const last = netWorth(replica, periods).periods.at(-1);
      expect((last?.owned ?? 0) - (last?.owed ?? 0)).toBe(
        total(replica.accounts.list().map(({ balance }) => balance)),
      );
    }),
    { numRuns: fuzzRuns(20) },
  );
});

it('the net worths of the single accounts of any book add up to that of all', async () => {
  await fc.assert(
    fc.asyncProperty(bookChanges, async (changed) => {
      const { replica, periods } = await bookAfter(changed);
      const single = replica.accounts.list().map(({ id }) => netWorth(replica, periods, [id]));
      const whole = netWorth(replica, periods);
      for (const field of ['owned', 'owed'] as const) {
        expect(total(single.map(({ before }) => before[field]))).toBe(whole.before[field]);
        for (const [column, period] of whole.periods.entries())
          expect(total(single.map((each) => each.periods[column]?.[field] ?? 0))).toBe(period[field]);
      }
    }),
    { numRuns: fuzzRuns(20) },
  );
});
