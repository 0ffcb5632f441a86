import { expect, it } from 'vitest';
import { atOnce } from '../../../src/base/turns.ts';
import { BudgetReplica } from '../../../src/model/replica/budget-replica.ts';
import { estimateBytes, estimateWithoutTexts } from '../../../src/model/replica/entity-table.ts';
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
  const category = month.categories.find(({ internal }) => !internal) ?? expect.unreachable();
  const months = new MonthTable({ find: () => category });
  const merged = [
    { ...month, categories: [category] },
    { ...month, month: '2099-12-01', categories: [] },
  ];
  atOnce(months.merge(merged));
  expect([months.hasCategory(category.id), months.hasCategory('nothing')]).toEqual([true, false]);
});

it('a month has its own texts of a category where they differ from those of the budget', async () => {
  const { budget } = await directReader(smallLedger()).export();
  const [month = expect.unreachable()] = budget.months;
  const category = month.categories.find(({ internal }) => !internal) ?? expect.unreachable();
  const texts = {
    category_group_id: 'group',
    category_group_name: 'Group',
    name: 'Name',
    original_category_group_id: 'original',
    note: 'Note',
    goal_type: 'TB',
    goal_creation_month: '2026-01-01',
    goal_target_month: '2026-02-01',
    goal_target_date: '2026-02-02',
    goal_snoozed_at: '2026-01-03T00:00:00Z',
  };
  const known = { ...category, ...texts };
  const rows = [
    category,
    { ...category, ...Object.fromEntries(Object.keys(texts).map((field) => [field, `own ${field}`])) },
    { ...known },
  ];
  for (const row of rows) {
    const months = new MonthTable({ find: () => known });
    atOnce(months.merge([{ ...month, categories: [row] }]));
    expect(months.category(month.month, category.id)).toEqual(row);
  }
});

it('the estimated memory of months is that of their summaries and their categories', async () => {
  const { budget } = await directReader(smallLedger()).export();
  const months = new MonthTable({ find: (id) => budget.categories.find((each) => each.id === id) });
  atOnce(months.merge(budget.months));
  const summaries = budget.months.map(({ categories, ...summary }) => estimateBytes(summary));
  // Their texts are those of the categories of the budget.
  const categories = budget.months.flatMap(({ categories }) => categories.map(estimateWithoutTexts));
  expect(months.bytes).toBe([...summaries, ...categories].reduce((sum, bytes) => sum + bytes, 0));
});
