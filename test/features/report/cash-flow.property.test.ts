import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cashFlow, type FlowQuery } from '../../../src/features/report/cash-flow.ts';
import { groupings } from '../../../src/features/report/groupings.ts';
import { categoryKinds } from '../../../src/model/sums/category-kinds.ts';
import { fuzzRuns } from '../../fuzz.helper.ts';
import { bookAfter, bookChanges } from '../../model/sums/random-book.helper.ts';

/** A report can be limited to a row of these. */
const limits = ['category', 'group', 'payee', 'account'] as const;
const total = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + amount, 0);
const totalsOf = ({ periods }: ReturnType<typeof cashFlow>) => periods.map(({ amount }) => amount);

describe('the cash flow of any book', () => {
  it('the spending of a category in a month is minus the activity that the service shows', async () => {
    await fc.assert(
      fc.asyncProperty(bookChanges, async (changed) => {
        const { replica, months, periods } = await bookAfter(changed);
        const { rows } = cashFlow(replica, periods, { flow: 'spending', by: 'category' });
        const cells = months.flatMap(({ month }, column) =>
          rows.map(({ id, amounts }) => [`${month} ${id ?? 'none'}`, amounts[column]] as const),
        );
        const { isUncategorized, isOwn } = categoryKinds(replica);
        const activities = months.flatMap(({ month, categories }) =>
          categories
            .filter((each) => isUncategorized(each) || isOwn(each))
            .map(
              (each) => [`${month} ${isUncategorized(each) ? 'none' : each.id}`, 0 - each.activity] as const,
            ),
        );
        const withoutZeros = (entries: readonly (readonly [string, number | undefined])[]) =>
          Object.fromEntries(entries.filter(([, amount]) => amount !== 0));
        expect(withoutZeros(cells)).toEqual(withoutZeros(activities));
      }),
      { numRuns: fuzzRuns(30) },
    );
  });

  it('the income of a month is the one that the service shows', async () => {
    await fc.assert(
      fc.asyncProperty(bookChanges, async (changed) => {
        const { replica, months, periods } = await bookAfter(changed);
        const flow = cashFlow(replica, periods, { flow: 'income', by: 'none' });
        expect(totalsOf(flow)).toEqual(months.map(({ income }) => income));
      }),
      { numRuns: fuzzRuns(30) },
    );
  });

  it('rows of every kind add up to the same totals, and their columns to the totals of the periods', async () => {
    await fc.assert(
      fc.asyncProperty(bookChanges, async (changed) => {
        const { replica, periods } = await bookAfter(changed);
        for (const flow of ['spending', 'income'] as const) {
          const whole = cashFlow(replica, periods, { flow, by: 'none' });
          for (const by of groupings.options) {
            if (by === 'none') continue;
            const { rows, ...flowBy } = cashFlow(replica, periods, { flow, by });
            expect({ ...flowBy, rows: [] }).toEqual(whole);
            expect(
              periods.map((_, column) => total(rows.map(({ amounts }) => amounts[column] ?? 0))),
            ).toEqual(totalsOf(whole));
            for (const { amount, amounts } of rows) expect(total(amounts)).toBe(amount);
            if (by !== 'weekday') expect(rows).toEqual(rows.toSorted((a, b) => b.amount - a.amount));
          }
        }
      }),
      { numRuns: fuzzRuns(20) },
    );
  });

  it('a report that is limited to one row has the amounts and the number of transactions of that row', async () => {
    await fc.assert(
      fc.asyncProperty(bookChanges, fc.constantFrom(...limits), async (changed, by) => {
        const { replica, periods } = await bookAfter(changed);
        for (const { id, amounts, transactions } of cashFlow(replica, periods, { flow: 'spending', by })
          .rows) {
          if (id === null) continue;
          const limit: Partial<FlowQuery> = by === 'group' ? { category: [id] } : { [by]: [id] };
          const limited = cashFlow(replica, periods, { flow: 'spending', by: 'none', ...limit });
          expect(totalsOf(limited)).toEqual(amounts);
          expect(total(limited.periods.map((period) => period.transactions))).toBe(transactions);
        }
      }),
      { numRuns: fuzzRuns(20) },
    );
  });

  it('the number of transactions is that of the different transactions with a line that counts', async () => {
    await fc.assert(
      fc.asyncProperty(bookChanges, async (changed) => {
        const { replica, periods } = await bookAfter(changed);
        const { accounts, transactions } = replica;
        const onBudget = (id: string | null) => id !== null && accounts.get(id).on_budget;
        const { isReadyToAssign } = categoryKinds(replica);
        const isIncome = (id: string | null) => id !== null && isReadyToAssign({ id });
        const counting = transactions
          .list({})
          .filter(({ account_id, subtransactions, ...row }) =>
            (subtransactions.length > 0 ? subtransactions : [row]).some(
              ({ transfer_account_id, category_id }) =>
                onBudget(account_id) && !onBudget(transfer_account_id) && !isIncome(category_id),
            ),
          );
        const flow = cashFlow(replica, periods, { flow: 'spending', by: 'none' });
        expect(total(flow.periods.map((period) => period.transactions))).toBe(counting.length);
      }),
      { numRuns: fuzzRuns(20) },
    );
  });
});
