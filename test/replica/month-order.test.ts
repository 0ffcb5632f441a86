import { expect, it } from 'vitest';
import { BudgetReplica } from '../../src/replica/budget-replica.ts';
import { estimateBytes } from '../../src/replica/memory-estimate.ts';
import { MonthTable } from '../../src/replica/month-table.ts';
import { smallLedger } from '../service/ledger/random-changes.ts';
import { asked } from './asked.ts';

it.each([
  ['oldest first', false],
  ['newest first', true],
])(
  'an earlier month that a delta brings takes its place among months that come %s',
  async (_, isNewestFirst) => {
    const { budget, server_knowledge } = await asked(smallLedger()).export();
    const [month = expect.unreachable()] = budget.months;
    const later = { ...month, month: '2099-12-01' };
    const months = isNewestFirst ? [later, month] : [month, later];
    const replica = BudgetReplica.load({ server_knowledge, budget: { ...budget, months } }, '2026-01-20');
    const [first = expect.unreachable()] = budget.months;
    const earlier = { ...first, month: '1999-12-01', categories: [] };
    replica.apply({ server_knowledge, budget: { ...budget, months: [earlier] } }, '2026-01-20');
    const listed = replica.months.list().map((each) => each.month);
    const sorted = listed.toSorted();
    expect(listed).toEqual(isNewestFirst ? sorted.toReversed() : sorted);
    expect(listed).toContain('1999-12-01');
    expect(replica.export().months.map((each) => each.month)).toEqual(listed);
  },
);

it('months come oldest first where the export had only one of them', async () => {
  const { budget, server_knowledge } = await asked(smallLedger()).export();
  const [month = expect.unreachable()] = budget.months;
  const replica = BudgetReplica.load(
    { server_knowledge, budget: { ...budget, months: [month] } },
    '2026-01-20',
  );
  const others = ['1999-12-01', '2099-12-01'].map((each) => ({ ...month, month: each, categories: [] }));
  replica.apply({ server_knowledge, budget: { ...budget, months: others } }, '2026-01-20');
  expect(replica.months.list().map((each) => each.month)).toEqual(['1999-12-01', month.month, '2099-12-01']);
});

it('a month that a delta deletes is there no more', async () => {
  const { budget, server_knowledge } = await asked(smallLedger()).export();
  const [first = expect.unreachable(), ...others] = budget.months;
  const replica = BudgetReplica.load({ server_knowledge, budget }, '2026-01-20');
  replica.apply(
    { server_knowledge, budget: { ...budget, months: [{ ...first, deleted: true }] } },
    '2026-01-20',
  );
  expect(replica.months.list().map((each) => each.month)).toEqual(others.map((each) => each.month));
});

it('a category is known to be in a month where only one month has it', async () => {
  const { budget } = await asked(smallLedger()).export();
  const [month = expect.unreachable()] = budget.months;
  const [category = expect.unreachable()] = month.categories;
  const months = new MonthTable({ has: () => true });
  months.merge([
    { ...month, categories: [category] },
    { ...month, month: '2099-12-01', categories: [] },
  ]);
  expect([months.hasCategory(category.id), months.hasCategory('nothing')]).toEqual([true, false]);
});

it('months take as much memory as they and their categories', async () => {
  const { budget } = await asked(smallLedger()).export();
  const months = new MonthTable({ has: () => true });
  months.merge(budget.months);
  const all = budget.months.flatMap(({ categories, ...summary }) => [summary, ...categories]);
  expect(months.bytes).toBe(all.reduce((sum, row) => sum + estimateBytes(row), 0));
});
