import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assignmentRules } from '../../../src/features/assign/category-needs.ts';
import { startMoving } from '../moving.helper.ts';

const names = ['Groceries', 'Hobbies', 'Pets', 'Old Gym', 'Blue Card', 'Holiday', 'Gifts', 'Streaming'];
const euros = fc.integer({ min: -300, max: 300 });
const wanted = fc.oneof(
  fc.record(
    {
      rule: fc.constantFrom(...assignmentRules),
      limit: fc.integer({ min: 1, max: 500 }),
      categories: fc.uniqueArray(fc.constantFrom(...names), { minLength: 1 }),
    },
    { requiredKeys: ['rule'] },
  ),
  fc.record({
    amounts: fc.uniqueArray(fc.record({ category: fc.constantFrom(...names), amount: euros }), {
      selector: ({ category }) => category,
      maxLength: 5,
    }),
  }),
);

test('a dry run says what the run does, and undo restores each budgeted amount', async () => {
  const { call, pass, ledger, setElsewhere, sent } = await startMoving({}, { confirm: 'none' });
  const state = () =>
    ledger
      .months()
      .map(({ month }) => ledger.month(month) ?? expect.unreachable())
      .map(({ month, categories, to_be_budgeted }) => ({
        month,
        to_be_budgeted,
        budgeted: categories.map(({ id, budgeted }) => [id, budgeted]),
      }));
  let written = 0;
  await fc.assert(
    fc.asyncProperty(
      wanted,
      fc.constantFrom('2026-10', '2026-11', '2026-12'),
      fc.option(fc.constantFrom('Emergency Fund', 'Car Insurance'), { nil: undefined }),
      fc.array(fc.tuple(fc.constantFrom(...names), euros, fc.constantFrom('2026-10-01', '2026-12-01')), {
        maxLength: 3,
      }),
      async (args, month, from, elsewhere) => {
        for (const [name, amount, at] of elsewhere) setElsewhere(name, amount * 1_000, at);
        // Earlier calls are forgotten, and the cached budget is no longer fresh.
        await pass(700_000);
        if (!ledger.month(`${month}-01`)) return;
        const before = state();
        const assignment = { ...args, month, ...(from !== undefined && { from }) };
        const dry = await call('assign_money', { ...assignment, dry_run: true });
        expect(dry.isError, dry.text).toBe(false);
        const run = await call('assign_money', assignment);
        expect(run.isError, run.text).toBe(false);
        const { freshness: _, outcome, notes: __, ...done } = Object(run.structured);
        expect(Object(dry.structured)).toMatchObject({
          ...done,
          // What becomes of cards is known afterwards only.
          changes: done.changes.map(({ left_after: _, ...change }: { left_after: number }) => change),
          cards_below_zero: expect.anything(),
        });
        if (outcome === 'nothing_to_do') {
          expect(state()).toEqual(before);
          return;
        }
        expect(state()).not.toEqual(before);
        written += 1;
        const undone = await call('undo');
        expect(undone.isError, undone.text).toBe(false);
        expect(state()).toEqual(before);
      },
    ),
    { numRuns: 40, seed: 20_261_123, endOnFailure: true },
  );
  expect([written > 15, sent() > 60]).toEqual([true, true]);
}, 300_000);
