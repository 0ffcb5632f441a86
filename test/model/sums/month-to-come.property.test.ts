import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addMonths } from '../../../src/base/calendar.ts';
import { BudgetReplica } from '../../../src/model/replica/budget-replica.ts';
import { type BudgetMonths, uncategorizedLeft, withMonth } from '../../../src/model/sums/month-to-come.ts';
import { setBudgeted } from '../../../src/service/ledger/categories.ts';
import type { Ledger } from '../../../src/service/ledger.ts';
import { apply, changes, smallLedger } from '../../service/ledger/random-changes.helper.ts';
import { directReader } from '../replica/service-reader.helper.ts';

const replicaOf = async (ledger: Ledger) =>
  BudgetReplica.load(await directReader(ledger).export(), ledger.state.today);

/** Of the months after `last`. */
const amountsOf = ({ months }: Pick<BudgetMonths, 'months'>, last: string) =>
  months
    .details()
    .filter(({ month }) => month > last)
    .toSorted((a, b) => (a.month < b.month ? -1 : 1))
    .map(({ month, income, budgeted, activity, to_be_budgeted, categories }) => ({
      month,
      totals: [income, budgeted, activity, to_be_budgeted],
      categories: categories.map((each) => [each.id, each.budgeted, each.activity, each.balance]),
    }));

test('a month to come has the amounts that it has when the service has made it', async () => {
  const seen = { overspent: 0, overspentByCard: 0 };
  await fc.assert(
    fc.asyncProperty(changes(40), fc.integer({ min: 1, max: 12 }), async (changed, ahead) => {
      const ledger = smallLedger();
      for (const change of changed) apply(ledger, change);
      const { lastMonth, categories } = ledger.state;
      const before = await replicaOf(ledger);
      const month = addMonths(lastMonth, ahead);
      const predicted = withMonth(before, month);
      const [envelope] = [...categories.values()].filter(({ role }) => role.kind === 'envelope');
      ledger.commit((state) => setBudgeted(state, envelope?.id ?? expect.unreachable(), month, 0));
      expect(amountsOf(predicted, lastMonth)).toEqual(amountsOf(await replicaOf(ledger), lastMonth));
      expect(withMonth(before, lastMonth)).toBe(before);

      const { to_be_budgeted, categories: last } = before.months.detail(lastMonth);
      const left = [...last.map(({ balance }) => balance), uncategorizedLeft(before, lastMonth)];
      const overspent = left.reduce((sum, balance) => sum + Math.max(-balance, 0), 0);
      const paid = to_be_budgeted - predicted.months.summary(month).to_be_budgeted;
      if (paid > 0) seen.overspent += 1;
      if (paid < overspent) seen.overspentByCard += 1;
    }),
    { numRuns: 300, seed: 20_261_124, endOnFailure: true },
  );
  expect(Math.min(...Object.values(seen)), JSON.stringify(seen)).toBeGreaterThan(10);
}, 300_000);
