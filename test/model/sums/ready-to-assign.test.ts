import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addMonths } from '../../../src/base/calendar.ts';
import { BudgetReplica } from '../../../src/model/replica/budget-replica.ts';
import { readyAfter } from '../../../src/model/sums/ready-to-assign.ts';
import { setBudgeted } from '../../../src/service/ledger/categories.ts';
import type { Ledger } from '../../../src/service/ledger.ts';
import { apply, smallLedger } from '../../service/ledger/random-changes.helper.ts';
import { directReader } from '../replica/service-reader.helper.ts';
import { budgetChanges, earn } from './random-budgets.helper.ts';

const replicaOf = async (ledger: Ledger) =>
  BudgetReplica.load(await directReader(ledger).export(), ledger.state.today);

const amounts = fc.array(
  fc.record({
    monthAt: fc.integer({ min: -2, max: 2 }),
    categoryAt: fc.nat(20),
    budgeted: fc.integer({ min: -300, max: 900 }).map((euros) => euros * 1_000),
  }),
  { minLength: 1, maxLength: 4 },
);

test('what is left to assign in each month after something is budgeted is as the service has it then', async () => {
  const seen = { later: 0, covered: 0 };
  await fc.assert(
    fc.asyncProperty(budgetChanges, amounts, async (changes, picked) => {
      const ledger = smallLedger();
      for (const change of changes) apply(ledger, change);
      ledger.commit((state) => earn(state, 500_000));
      const { currentMonth, categories } = ledger.state;
      const own = [...categories.values()].filter(({ role }) => role.kind === 'envelope');
      const first = ledger
        .months()
        .reduce((least, { month }) => (month < least ? month : least), currentMonth);
      const budgeted = picked.flatMap(({ monthAt, categoryAt, budgeted }) => {
        const month = addMonths(currentMonth, monthAt);
        const category_id = own[categoryAt % own.length]?.id ?? expect.unreachable();
        return month < first ? [] : [{ month, category_id, budgeted }];
      });
      const before = await replicaOf(ledger);
      const predicted = budgeted.length === 0 ? [] : readyAfter(before, budgeted);
      ledger.commit((state) => {
        for (const each of budgeted) setBudgeted(state, each.category_id, each.month, each.budgeted);
      });
      const { months } = await replicaOf(ledger);
      const known = months.list().map(({ month }) => month);
      for (const { month, after } of predicted)
        if (known.includes(month)) expect(after, month).toBe(months.summary(month).to_be_budgeted);
      const shifts = new Set(predicted.map(({ before, after }) => after - before));
      if (predicted.length > 1) seen.later += 1;
      if (shifts.size > 1) seen.covered += 1;
    }),
    { numRuns: 150, seed: 20_261_129, endOnFailure: true },
  );
  expect(Math.min(...Object.values(seen)), JSON.stringify(seen)).toBeGreaterThan(4);
});
