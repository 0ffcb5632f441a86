import { expect, it } from 'vitest';
import { z } from 'zod';
import { createCategory, createCategoryGroup, setBudgeted } from '../../../src/service/ledger/categories.ts';
import { contentOf, hostWithViews } from '../with-view.helper.ts';

const month = z.object({
  month: z.object({
    categories: z.array(
      z.object({
        id: z.string(),
        category_group_name: z.string().nullable(),
        // Those of the service itself have no amounts.
        budgeted: z.number().optional(),
        activity: z.number().optional(),
        balance: z.number().optional(),
      }),
    ),
  }),
});
const units = (milliunits: number) => milliunits / 1_000;

it('the view has the categories of the month by group, without the own categories of the service', async () => {
  const { call, read } = await hostWithViews();
  const { categories, months, month: shown } = contentOf(await call('check_month', {}), 'month');
  expect(months).toContain(shown);
  const all = new Map(
    month.parse(await read('get_month', { month: shown })).month.categories.map((each) => [each.id, each]),
  );
  const groups = categories?.groups ?? [];
  expect(groups.length).toBeGreaterThan(3);
  expect(categories?.omitted).toBe(0);
  for (const group of groups)
    for (const { id, budgeted, activity, left } of group.categories)
      expect({
        id,
        category_group_name: group.name,
        budgeted: units(budgeted),
        activity: units(activity),
        balance: units(left),
      }).toMatchObject({ ...all.get(id), category_group_name: group.name });
  expect(groups.map(({ name }) => name)).not.toContain('Credit Card Payments');
  expect(groups.map(({ name }) => name)).not.toContain('Internal Master Category');
  const overspent = groups.flatMap((group) => group.categories).filter(({ left }) => left < 0);
  expect(overspent).toHaveLength(categories?.overspent.total ?? -1);
});

it('a month that the budget does not have yet has payments to come, and no categories', async () => {
  const { call } = await hostWithViews();
  const { categories, scheduled } = contentOf(await call('check_month', { month: '2027-03' }), 'month');
  expect(categories).toBeUndefined();
  expect(scheduled.rows.length).toBeGreaterThan(0);
  for (const { first, last, times } of scheduled.rows)
    expect([first <= last, times > 0]).toEqual([true, true]);
});

it('two groups with the same name stay apart', async () => {
  const { ledger, call } = await hostWithViews();
  ledger.commit((state) => {
    for (const name of ['First', 'Second']) {
      const { id } = createCategoryGroup(state, 'Same name');
      createCategory(state, { group_id: id, name });
    }
  });
  const { categories } = contentOf(await call('check_month', {}), 'month');
  const groups = (categories?.groups ?? []).filter(({ name }) => name === 'Same name');
  expect(groups.map((each) => each.categories.map(({ name }) => name))).toEqual([['First'], ['Second']]);
});

it('a payment category below zero is in the list as that of a card, and other payment categories are not', async () => {
  const { ledger, call } = await hostWithViews();
  const payment = ledger.commit((state) => {
    const [first] = [...state.categories.values()].filter(({ role }) => role.kind === 'payment');
    setBudgeted(state, first?.id ?? '', '2026-11-01', -9_000_000);
    return first;
  });
  const { categories } = contentOf(await call('check_month', {}), 'month');
  const all = (categories?.groups ?? []).flatMap((group) => group.categories);
  expect(all.filter(({ left, isCard }) => left < 0 && !isCard)).toHaveLength(
    categories?.overspent.total ?? -1,
  );
  const group = categories?.groups.find(({ name }) => name === 'Credit Card Payments');
  expect(group?.categories.map(({ id }) => id)).toEqual([payment?.id]);
});
