import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addMonths } from '../../../src/base/calendar.ts';
import { assignmentRules } from '../../../src/features/assign/category-needs.ts';
import { isInternalCategory } from '../../../src/model/bookkeeping/own-categories.ts';
import { setBudgeted } from '../../../src/service/ledger/categories.ts';
import type { Ledger } from '../../../src/service/ledger.ts';
import { budgetChanges, currencies, earn } from '../../model/sums/random-budgets.helper.ts';
import { apply, smallLedger } from '../../service/ledger/random-changes.helper.ts';
import { MONTH, startMoving } from '../moving.helper.ts';

const someCategory = fc.nat(30);
const whole = fc.integer({ min: -300, max: 300 });
const wanted = fc.oneof(
  { weight: 2, arbitrary: fc.record({ rule: fc.constantFrom(...assignmentRules) }) },
  fc.record({
    rule: fc.constantFrom(...assignmentRules),
    limit: fc.integer({ min: 1, max: 500 }),
    named: fc.array(someCategory, { minLength: 1, maxLength: 4 }),
  }),
  fc.record({
    amounts: fc.array(fc.record({ at: someCategory, amount: whole }), { minLength: 1, maxLength: 5 }),
  }),
);

/** What is budgeted in each month from `first` on, and what is to be budgeted there. */
const stateOf = (ledger: Ledger) =>
  ledger
    .months()
    .map(({ month }) => ledger.month(month) ?? expect.unreachable())
    .map(({ month, categories, to_be_budgeted }) => ({
      month,
      to_be_budgeted,
      budgeted: categories.map(({ id, budgeted }) => [id, budgeted]),
    }));

test('a dry run says what the run does, and undo restores each budgeted amount, also in months to come', async () => {
  const { call, pass, service, sent } = await startMoving({}, { confirm: 'none' });
  const seen = { written: 0, made: 0, goalsUnknown: 0, nothing: 0 };
  let budgets = 0;
  await fc.assert(
    fc.asyncProperty(
      budgetChanges,
      fc.constantFrom(...currencies),
      wanted,
      fc.integer({ min: -1, max: 4 }),
      fc.constantFrom(undefined, undefined, undefined, 1, 5),
      fc.constantFrom(100_000, 9_000_000, 9_000_000),
      async (changed, format, picked, ahead, giver, income) => {
        budgets += 1;
        const ledger = smallLedger(format, budgets * 1_000);
        ledger.advanceTo(service.clock.now());
        for (const change of changed) if (change.kind !== 'advance') apply(ledger, change);
        service.user.ledgers.push(ledger);
        // The list of budgets is read again.
        await pass(11_000);
        const own = ledger.month(MONTH)?.categories.filter((each) => !isInternalCategory(each)) ?? [];
        ledger.commit((state) => {
          earn(state, income);
          for (const [at, { id }] of own.entries()) setBudgeted(state, id, addMonths(MONTH, -1), at * 10_000);
        });
        const idAt = (at: number) => own[at % own.length]?.id ?? expect.unreachable();
        const from = giver === undefined ? undefined : idAt(giver);
        const month = addMonths(MONTH, ahead);
        const isMade = ledger.month(month) === undefined;
        const { amounts, named, ...rest } = { amounts: undefined, named: undefined, ...picked };
        const unique = new Map(amounts?.map(({ at, amount }) => [idAt(at), amount]));
        if (from !== undefined) unique.delete(from);
        const assignment = {
          budget_id: ledger.id,
          month: month.slice(0, 7),
          ...(from !== undefined && { from }),
          ...rest,
          ...(named && { categories: [...new Set(named.map(idAt))] }),
          ...(amounts && { amounts: [...unique].map(([category, amount]) => ({ category, amount })) }),
        };
        const before = stateOf(ledger);
        const dry = await call('assign_money', { ...assignment, dry_run: true });
        const run = await call('assign_money', assignment);
        if (isMade && 'rule' in picked && picked.rule === 'fund_goals') {
          seen.goalsUnknown += 1;
          expect([dry.isError, run.text]).toEqual([true, dry.text]);
          expect(stateOf(ledger)).toEqual(before);
          return;
        }
        expect(dry.isError, dry.text).toBe(false);
        expect(run.isError, run.text).toBe(false);
        const { freshness: _, outcome, notes: __, ...done } = Object(run.structured);
        expect(Object(dry.structured)).toMatchObject({
          ...done,
          // What becomes of cards is known afterwards only.
          changes: done.changes.map(({ left_after: _, ...change }: { left_after: number }) => change),
          cards_below_zero: expect.anything(),
        });
        if (outcome === 'nothing_to_do') {
          seen.nothing += 1;
          expect(stateOf(ledger)).toEqual(before);
          return;
        }
        expect(stateOf(ledger)).not.toEqual(before);
        seen.written += 1;
        if (isMade) seen.made += 1;
        const undone = await call('undo', { budget_id: ledger.id });
        expect(undone.isError, undone.text).toBe(false);
        const known = new Set(before.map((each) => each.month));
        const after = stateOf(ledger);
        expect(after.filter((each) => known.has(each.month))).toEqual(before);
        // A month that was made stays, with nothing budgeted.
        for (const { month, budgeted } of after)
          if (!known.has(month)) expect(budgeted.every(([, amount]) => amount === 0)).toBe(true);
      },
    ),
    { numRuns: 80, seed: 20_261_123, endOnFailure: true },
  );
  expect([Math.min(...Object.values(seen)) > 3, sent() > 150], JSON.stringify([seen, sent()])).toEqual([
    true,
    true,
  ]);
}, 300_000);
