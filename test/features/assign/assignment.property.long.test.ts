import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addMonths } from '../../../src/base/calendar.ts';
import { giveInOrder, supplyOf } from '../../../src/features/assign/assignment.ts';
import { assignmentRules, needsByRule } from '../../../src/features/assign/category-needs.ts';
import { isInternalCategory, isPaymentCategory } from '../../../src/model/bookkeeping/own-categories.ts';
import { BudgetReplica } from '../../../src/model/replica/budget-replica.ts';
import { setBudgeted } from '../../../src/service/ledger/categories.ts';
import type { LedgerState } from '../../../src/service/ledger/ledger-state.ts';
import type { Ledger } from '../../../src/service/ledger.ts';
import { directReader } from '../../model/replica/service-reader.helper.ts';
import { budgetChanges, currencies, earn } from '../../model/sums/random-budgets.helper.ts';
import { apply, smallLedger } from '../../service/ledger/random-changes.helper.ts';

const replicaOf = async (ledger: Ledger) =>
  BudgetReplica.load(await directReader(ledger).export(), ledger.state.today);

/** Budgets in the next month nearly all that is left there. */
function planAhead(state: LedgerState, ready: readonly number[]): void {
  const [envelope] = [...state.categories.values()].filter(({ role }) => role.kind === 'envelope');
  const least = Math.min(...ready);
  if (envelope && least > 20_000)
    setBudgeted(state, envelope.id, addMonths(state.currentMonth, 1), least - 20_000);
}

const scopes = fc.record({
  rule: fc.constantFrom(...assignmentRules, 'cover_overspent' as const),
  monthAt: fc.nat(20),
  months: fc.integer({ min: 1, max: 4 }),
  limit: fc.option(
    fc.integer({ min: 0, max: 900 }).map((euros) => euros * 1_000),
    { nil: undefined },
  ),
  /** Money comes from one of the categories, or from Ready to Assign. */
  fromAt: fc.option(fc.nat(20), { nil: undefined, freq: 1 }),
  income: fc.constantFrom(0, 500_000, 5_000_000, 5_000_000),
  isTight: fc.boolean(),
});

test('a rule gives no more than there is in any month, in order, and conserves the money of the month', async () => {
  const seen = { given: 0, cut: 0, later: 0, byCard: 0 };
  await fc.assert(
    fc.asyncProperty(
      budgetChanges,
      fc.constantFrom(...currencies),
      scopes,
      async (changed, format, picked) => {
        const unit = 10 ** (3 - format.decimal_digits);
        const ledger = smallLedger(format);
        for (const change of changed) apply(ledger, change);
        ledger.commit((state) => earn(state, picked.income));
        if (picked.isTight)
          ledger.commit((state) =>
            planAhead(
              state,
              ledger.months().map(({ to_be_budgeted }) => to_be_budgeted),
            ),
          );
        const before = await replicaOf(ledger);
        const allMonths = before.months.list().map((each) => each.month);
        const month = allMonths.toSorted()[picked.monthAt % allMonths.length] ?? expect.unreachable();
        const own = before.categories.list().filter((each) => !isInternalCategory(each));
        const from = picked.fromAt === undefined ? undefined : own[picked.fromAt % own.length]?.id;
        const { rule, months, limit } = picked;
        const scope = { rule, month, today: ledger.state.today, months, from, unit };
        const needs = needsByRule(before, scope);
        const supply = supplyOf(before, month, from);
        const given = giveInOrder(needs, supply, { limit, unit });

        const total = given.reduce((sum, each) => sum + each.given, 0);
        ledger.commit((state) => {
          for (const { need, given: amount } of given)
            setBudgeted(state, need.category.id, month, need.category.budgeted + amount);
          if (from !== undefined)
            setBudgeted(state, from, month, before.months.category(month, from).budgeted - total);
        });
        const after = await replicaOf(ledger);

        // The order: each in full, then one in part, then nothing.
        const cutAt = given.findIndex((each) => each.given < each.need.amount);
        if (cutAt >= 0) expect(given.slice(cutAt + 1).every((each) => each.given === 0)).toBe(true);
        expect(given.every((each) => each.given >= 0 && each.given <= each.need.amount)).toBe(true);
        expect(total).toBeLessThanOrEqual(limit ?? Number.POSITIVE_INFINITY);
        // The money of the month.
        const sumIn = (replica: BudgetReplica) => {
          const { budgeted, to_be_budgeted } = replica.months.summary(month);
          return budgeted + to_be_budgeted;
        };
        expect(sumIn(after)).toBe(sumIn(before));
        // The bounds: what gives does not fall below zero, and not further below it.
        for (const each of allMonths.filter((each) => each >= month)) {
          const ready = [before, after].map((replica) => replica.months.summary(each).to_be_budgeted);
          expect(ready[1]).toBeGreaterThanOrEqual(Math.min(0, ready[0] ?? 0));
          if (from === undefined) continue;
          const left = [before, after].map((replica) => replica.months.category(each, from).balance);
          expect(left[1]).toBeGreaterThanOrEqual(Math.min(0, left[0] ?? 0));
        }
        // What was given in full needs nothing more, and nothing was lowered but `from`.
        const stillNeeded = needsByRule(after, scope);
        for (const { need, given: amount } of given) {
          const rest = stillNeeded.find(({ category }) => category.id === need.category.id)?.amount ?? 0;
          if (rule !== 'fund_goals') expect(rest).toBe(need.amount - amount);
          const group = after.categories.get(need.category.id).category_group_name;
          if (rule === 'cover_overspent') expect(isPaymentCategory(need.category, group)).toBe(false);
        }
        if (total > 0) seen.given += 1;
        if (cutAt >= 0) seen.cut += 1;
        if (total > 0 && supply.later < Math.min(supply.now, total)) seen.later += 1;
        if (rule === 'cover_overspent' && supply.notPaidLater > 0 && total > 0) seen.byCard += 1;
      },
    ),
    { numRuns: 400, seed: 20_261_123, endOnFailure: true },
  );
  expect(Math.min(...Object.values(seen)), JSON.stringify(seen)).toBeGreaterThan(4);
}, 300_000);
