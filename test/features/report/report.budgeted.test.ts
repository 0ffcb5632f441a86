import { expect, it } from 'vitest';
import { z } from 'zod';
import { getMonthCategory } from '../../../src/operations/categories.ts';
import { getMonth } from '../../../src/operations/months.ts';
import { createCategory, createCategoryGroup, setBudgeted } from '../../../src/service/ledger/categories.ts';
import { addTransaction } from '../../../src/service/ledger/transactions.ts';
import { hostOf } from '../../mcp/connected.helper.ts';
import { startHolding } from '../../session/holding.helper.ts';

const amount = z.number().optional();
const answer = z.object({
  total: z.number(),
  budgeted: amount,
  left: amount,
  balance: amount,
  periods: z.array(z.object({ period: z.string(), total: z.number(), budgeted: amount, left: amount })),
  rows: z.array(
    z.object({
      id: z.string().nullable(),
      name: z.string(),
      total: z.number(),
      before: amount,
      budgeted: amount,
      left: amount,
    }),
  ),
});

/** The household of the embedded service on 2026-11-21, with more than two years of transactions. */
async function started() {
  const service = await startHolding({}, { transactions: 2_000 });
  const host = await hostOf(service);
  await host.listTools();
  async function report(args: object) {
    const { content, structuredContent } = await host.callTool({
      name: 'report',
      arguments: { of: 'spending', ...args },
    });
    const text = content.map((each) => (each.type === 'text' ? each.text : '')).join('\n');
    return { text, data: answer.parse(structuredContent) };
  }
  const direct = service.direct(service.ledger.id);
  const monthCategory = async (month: string, name: string) => {
    const { categories } = (await direct.data(getMonth, { month: `${month}-01` })).month;
    const category_id = categories.find((each) => each.name === name)?.id ?? '';
    return (await direct.data(getMonthCategory, { month: `${month}-01`, category_id })).category;
  };
  return { ...service, report, direct, monthCategory };
}

const units = (milliunits: number) => milliunits / 1_000;

it('months of a category have what the service shows as budgeted, spent and left in them, the month that goes on included', async () => {
  const { report, monthCategory } = await started();
  const { text, data } = await report({ category: 'Groceries', monthly: true, since: '2026-06' });
  expect(data.periods.map(({ period }) => period)).toEqual(
    [6, 7, 8, 9, 10, 11].map((each) => `2026-${String(each).padStart(2, '0')}`),
  );
  for (const { period, total, budgeted, left } of data.periods) {
    const { activity, balance, ...category } = await monthCategory(period, 'Groceries');
    expect({ period, total, budgeted, left }).toEqual({
      period,
      total: units(-activity),
      budgeted: units(category.budgeted),
      left: units(balance),
    });
    expect(text).toMatch(
      new RegExp(`\n${period} ${total.toFixed(2)} \\(\\d+\\) ${budgeted?.toFixed(2)} ${left?.toFixed(2)}\n`),
    );
  }
  expect(data.budgeted).toBeCloseTo(
    data.periods.reduce((sum, { budgeted = 0 }) => sum + budgeted, 0),
    3,
  );
  expect(data.left).toBe(data.periods.at(-1)?.left);
  expect(text).toContain('\nmonth amount (transactions) budgeted left\n');
  const byCategory = await report({ category: 'Groceries', by: 'category', monthly: true, since: '2026-06' });
  expect(byCategory.text.split('\n').slice(1)).toEqual(text.split('\n').slice(1));
});

it('several categories have a row each, also without spending, and their sums', async () => {
  const { report, monthCategory } = await started();
  const names = ['Groceries', 'Emergency Fund', 'Eating Out'];
  const { text, data } = await report({ by: 'category', category: names, since: '2026-11' });
  const expected = await Promise.all(names.map((name) => monthCategory('2026-11', name)));
  expect(expected.find(({ name }) => name === 'Emergency Fund')).toMatchObject({ activity: 0 });
  expect(data.rows).toHaveLength(3);
  for (const { id, name, activity, budgeted, balance } of expected) {
    expect(data.rows).toContainEqual({
      id,
      name,
      total: units(-activity) + 0,
      budgeted: units(budgeted),
      left: units(balance),
    });
    expect(text).toContain(`) ${units(budgeted).toFixed(2)} ${units(balance).toFixed(2)}\n`);
  }
  const left = expected.reduce((sum, { balance }) => sum + balance, 0);
  expect(text).toContain(`, left on 2026-11-21 ${units(left).toFixed(2)}\n`);
});

it('a group has the sum of its categories, and only of those that are asked for', async () => {
  const { report, direct, monthCategory } = await started();
  const { categories } = (await direct.data(getMonth, { month: '2026-10-01' })).month;
  const october = { since: '2026-10', until: '2026-10', by: 'group' };
  const group = categories.find(({ name }) => name === 'Groceries')?.category_group_id ?? '';
  const own = categories.filter(({ category_group_id }) => category_group_id === group);
  const [row] = (await report({ ...october, category: [group] })).data.rows;
  expect(own.length).toBeGreaterThan(1);
  expect(row?.left).toBeCloseTo(units(own.reduce((sum, { balance }) => sum + balance, 0)), 3);
  const [part] = (await report({ ...october, category: ['Groceries'] })).data.rows;
  expect(part).toMatchObject({
    id: group,
    left: units((await monthCategory('2026-10', 'Groceries')).balance),
  });
});

it('against the range before, no row has the budget of that range, and only what is named is a row without spending', async () => {
  const { report, ledger } = await started();
  ledger.commit((state) => {
    const { id: group_id } = createCategoryGroup(state, 'Compared');
    const account_id = [...state.accounts.values()].find(({ name }) => name === 'Checking')?.id ?? '';
    const { id: spent } = createCategory(state, { group_id, name: 'Spent in September' });
    const { id: saved } = createCategory(state, { group_id, name: 'Only saved' });
    addTransaction(state, { account_id, date: '2026-09-20', amount: -10_000, category_id: spent });
    setBudgeted(state, spent, '2026-09-01', 10_000);
    setBudgeted(state, saved, '2026-09-01', 20_000);
  });
  const october = { by: 'category', since: '2026-10', until: '2026-10', versus: 'previous' };
  const ofGroup = await report({ ...october, category: 'Compared' });
  expect(ofGroup.data.rows).toEqual([
    expect.objectContaining({ name: 'Spent in September', total: 0, before: 10 }),
  ]);
  expect(ofGroup.data.rows[0]).not.toHaveProperty('budgeted');
  const both = await report({ ...october, category: ['Spent in September', 'Only saved'] });
  expect(both.data.rows.map(({ name, total, before }) => [name, total, before])).toEqual([
    ['Spent in September', 0, 10],
    ['Only saved', 0, 0],
  ]);
});

it.each([
  ['parts of a month', { since: '2026-10-05', until: '2026-10-20' }],
  ['a payee', { since: '2026-10', until: '2026-10', payee: 'Harvest Hall' }],
  ['an account', { since: '2026-10', until: '2026-10', account: 'Checking' }],
  ['words', { since: '2026-10', until: '2026-10', text: 'harvest' }],
])('nothing is budgeted for %s', async (_, args) => {
  const { report } = await started();
  const { text, data } = await report({ category: 'Groceries', ...args });
  expect([data.budgeted, data.left]).toEqual([undefined, undefined]);
  expect(text).not.toMatch(/budgeted|left -?\d+\.\d\d/);
});

it('a report on accounts ends with their balance then, transfers and all categories included', async () => {
  const { report, ledger } = await started();
  const [card, checking] = ['Blue Card', 'Checking'].map((wanted) =>
    [...ledger.accounts()].find(({ name }) => name === wanted),
  );
  const later = ledger
    .transactions(undefined)
    .filter(({ account_id, date }) => account_id === card?.id && date > '2026-10-31');
  const then = (card?.balance ?? 0) - later.reduce((sum, each) => sum + each.amount, 0);
  const october = await report({ account: 'Blue Card', since: '2026-10', until: '2026-10' });
  expect(later.length).toBeGreaterThan(0);
  expect(october.data.balance).toBe(units(then));
  expect(october.text).toContain(` · balance on 2026-10-31 ${units(then).toFixed(2)}\n`);
  const both = await report({ of: 'both', account: ['Blue Card', 'Checking'], monthly: true });
  expect(both.data.balance).toBeCloseTo(units((card?.balance ?? 0) + (checking?.balance ?? 0)), 3);
  expect((await report({})).text).not.toContain('balance');
});
