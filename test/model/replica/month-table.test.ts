import { expect, it } from 'vitest';
import { atOnce } from '../../../src/base/turns.ts';
import { BudgetReplica } from '../../../src/model/replica/budget-replica.ts';
import { estimateBytes } from '../../../src/model/replica/entity-table.ts';
import { MonthTable } from '../../../src/model/replica/month-table.ts';
import { smallLedger } from '../../service/ledger/random-changes.helper.ts';
import { directReader } from './service-reader.helper.ts';

it.each([
  ['oldest first', false],
  ['newest first', true],
])('an earlier month in a delta is sorted among months that come %s', async (_, isNewestFirst) => {
  const { budget, server_knowledge } = await directReader(smallLedger()).export();
  const [month = expect.unreachable()] = budget.months;
  const later = { ...month, month: '2099-12-01' };
  const months = isNewestFirst ? [later, month] : [month, later];
  const replica = BudgetReplica.load({ server_knowledge, budget: { ...budget, months } }, '2026-01-20');
  const [first = expect.unreachable()] = budget.months;
  const earlier = { ...first, month: '1999-12-01', categories: [] };
  replica.apply({ server_knowledge, budget: { ...budget, months: [earlier] } }, '2026-01-20');
  const listed = replica.months.list().map(({ month }) => month);
  const sorted = listed.toSorted();
  expect(listed).toEqual(isNewestFirst ? sorted.toReversed() : sorted);
  expect(listed).toContain('1999-12-01');
  expect(replica.export().months.map(({ month }) => month)).toEqual(listed);
});

it('months come oldest first when the export had only one month', async () => {
  const { budget, server_knowledge } = await directReader(smallLedger()).export();
  const [month = expect.unreachable()] = budget.months;
  const replica = BudgetReplica.load(
    { server_knowledge, budget: { ...budget, months: [month] } },
    '2026-01-20',
  );
  const others = ['1999-12-01', '2099-12-01'].map((date) => ({ ...month, month: date, categories: [] }));
  replica.apply({ server_knowledge, budget: { ...budget, months: others } }, '2026-01-20');
  expect(replica.months.list().map(({ month }) => month)).toEqual(['1999-12-01', month.month, '2099-12-01']);
});

it('a month that a delta deletes is removed', async () => {
  const { budget, server_knowledge } = await directReader(smallLedger()).export();
  const [first = expect.unreachable(), ...others] = budget.months;
  const replica = BudgetReplica.load({ server_knowledge, budget }, '2026-01-20');
  replica.apply(
    { server_knowledge, budget: { ...budget, months: [{ ...first, deleted: true }] } },
    '2026-01-20',
  );
  expect(replica.months.list().map(({ month }) => month)).toEqual(others.map(({ month }) => month));
});

it('a category is found when only one of several months contains it', async () => {
  const { budget } = await directReader(smallLedger()).export();
  const [month = expect.unreachable()] = budget.months;
  const [category = expect.unreachable()] = month.categories;
  const months = new MonthTable({ has: () => true });
  const merged = [
    { ...month, categories: [category] },
    { ...month, month: '2099-12-01', categories: [] },
  ];
  atOnce(months.merge(merged));
  expect([months.hasCategory(category.id), months.hasCategory('nothing')]).toEqual([true, false]);
});

it('the estimated memory of months is that of their summaries and their categories', async () => {
  const { budget } = await directReader(smallLedger()).export();
  const months = new MonthTable({ has: () => true });
  atOnce(months.merge(budget.months));
  const rows = budget.months.flatMap(({ categories, ...summary }) => [summary, ...categories]);
  expect(months.bytes).toBe(rows.reduce((sum, row) => sum + estimateBytes(row), 0));
});
