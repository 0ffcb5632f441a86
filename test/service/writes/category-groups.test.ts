import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import * as wire from '../wire.helper.ts';
import { Budget, startWritingService, UNKNOWN, type WritingService } from './writing.helper.ts';

let service: WritingService;
let budget: Budget;
beforeAll(async () => {
  service = await startWritingService();
});
afterAll(() => service.close());
beforeEach(() => {
  budget = new Budget(service);
});

const Answer = z.strictObject({
  data: z.strictObject({ category: wire.Category, server_knowledge: z.int() }),
});

describe('POST categories', () => {
  const fields = (changes: object = {}) => ({
    category: { name: 'Garden', category_group_id: budget.group('Fun'), ...changes },
  });
  const create = async (changes: object = {}) => {
    const { status, body } = await budget.send('POST', '/categories', fields(changes));
    expect([status, body]).toEqual([201, expect.anything()]);
    return Answer.parse(body).data;
  };
  const refused = (changes: object) => budget.refusal('POST', '/categories', fields(changes));

  test('POST categories returns 201 with category and server_knowledge, and the deltas contain the category', async () => {
    const { knowledge } = budget.ledger;
    const { category, server_knowledge } = await create({ note: 'roses 🌹' });
    expect(server_knowledge).toBe(knowledge + 1);
    expect(category).toMatchObject({
      name: 'Garden',
      note: 'roses 🌹',
      category_group_name: 'Fun',
      hidden: false,
      internal: false,
      balance: 0,
      goal_type: null,
    });
    const { id } = category;
    expect(budget.ledger.categoryGroups(knowledge)).toMatchObject([{ name: 'Fun', categories: [{ id }] }]);
    const { categories, months, category_groups } = budget.ledger.detail(knowledge);
    expect(categories).toMatchObject([{ id }]);
    expect(months.at(-1)?.categories).toMatchObject([{ id }]);
    expect(category_groups).toEqual([]);
    expect(await budget.create({ category_id: id })).toMatchObject({ category_name: 'Garden' });
    budget.expectBalanced();
  });

  test('POST categories with goal_target creates a monthly goal of type NEED that sets aside another amount', async () => {
    const { category } = await create({ goal_target: 50_000 });
    expect(category).toMatchObject({
      goal_type: 'NEED',
      goal_cadence: 1,
      goal_target: 50_000,
      goal_target_date: null,
      goal_needs_whole_amount: true,
      goal_creation_month: '2026-01-01',
      goal_under_funded: 50_000,
    });
  });

  test('POST categories with goal_frequency creates a goal of that rhythm', async () => {
    const { category } = await create({ goal_target: 50_000, goal_frequency: 'weekly' });
    expect(category).toMatchObject({ goal_type: 'NEED', goal_cadence: 2, goal_under_funded: 200_000 });
  });

  test('POST categories with goal_target_date creates a goal that is due once, by that date', async () => {
    const goal = { goal_target: 60_000, goal_target_date: '2026-03-15', goal_needs_whole_amount: false };
    expect((await create(goal)).category).toMatchObject({
      ...goal,
      goal_type: 'NEED',
      goal_cadence: 0,
      goal_target_month: '2026-03-01',
      goal_months_to_budget: 3,
      goal_under_funded: 20_000,
    });
  });

  test.each<[object, string]>([
    [{ name: undefined }, 'name is required'],
    [{ name: ' ' }, 'name must not be blank'],
    [{ name: null }, 'name must be text'],
    [{ category_group_id: undefined }, 'category_group_id is required'],
    [{ category_group_id: UNKNOWN }, 'category_group_id does not exist'],
    [
      { category_group_id: 'x' },
      'category_group must be formatted as a uuid (universally unique identifier)',
    ],
    [{ goal_target: -1 }, 'goal_target must not be negative'],
    [{ goal_target_date: '2026-03-15' }, 'goal_target_date cannot be set, because the category has no goal'],
    [
      { goal_needs_whole_amount: true },
      'goal_needs_whole_amount cannot be set, because the category has no goal',
    ],
    [
      { goal_target: 1, goal_target_date: '15.03.2026' },
      'goal_target_date must be a date in the form YYYY-MM-DD',
    ],
  ])('POST categories returns 400 with %o: %s', async (changes, problem) => {
    expect(await refused(changes)).toBe(`400 ${problem}`);
  });

  test('POST categories returns 400 for an internal group', async () => {
    for (const name of ['Internal Master Category', 'Credit Card Payments', 'Hidden Categories']) {
      expect(await refused({ category_group_id: budget.group(name) })).toBe(
        '400 category_group_id is an internal group',
      );
    }
  });
});

describe('the goal in PATCH categories/{id}', () => {
  const path = (name: string) => `/categories/${budget.category(name)}`;
  const patch = async (name: string, category: object) => {
    const { status, body } = await budget.send('PATCH', path(name), { category });
    expect([status, body]).toEqual([200, expect.anything()]);
    return Answer.parse(body).data.category;
  };
  const refused = (name: string, category: object) => budget.refusal('PATCH', path(name), { category });

  test('goal_target creates a monthly goal where there is none: NEED, or MF for a payment category', async () => {
    expect(await patch('Fun 1', { goal_target: 5_000, goal_needs_whole_amount: false })).toMatchObject({
      goal_type: 'NEED',
      goal_cadence: 1,
      goal_target: 5_000,
      goal_needs_whole_amount: false,
    });
    expect(await patch('Card', { goal_target: 7_000 })).toMatchObject({
      goal_type: 'MF',
      goal_cadence: 1,
      goal_target: 7_000,
      goal_needs_whole_amount: null,
    });
  });

  test('goal_target_date and goal_needs_whole_amount change a goal of type NEED', async () => {
    await patch('Fun 1', { goal_target: 5_000 });
    const change = { goal_target_date: '2026-05-31', goal_needs_whole_amount: false };
    expect(await patch('Fun 1', change)).toMatchObject({ ...change, goal_target: 5_000 });
    const unchanged = { goal_target_date: null, goal_needs_whole_amount: null };
    expect(await patch('Fun 1', unchanged)).toMatchObject({ ...change, goal_target: 5_000 });
  });

  test('goals of other types refuse a date and goal_needs_whole_amount', async () => {
    expect(await refused('Bills 1', { goal_target_date: '2026-05-01', goal_needs_whole_amount: true })).toBe(
      '400 goal_target_date cannot be set for a goal of type TB, ' +
        'goal_needs_whole_amount cannot be set for a goal of type TB',
    );
    expect(await refused('Card', { goal_target: 1, goal_needs_whole_amount: true })).toBe(
      '400 goal_needs_whole_amount cannot be set for a goal of type MF',
    );
    expect(await refused('Fun 1', { goal_needs_whole_amount: 'yes' })).toBe(
      '400 goal_needs_whole_amount must be true or false',
    );
  });

  test('an internal category cannot have a goal', async () => {
    for (const name of ['Inflow: Ready to Assign', 'Uncategorized']) {
      expect(await refused(name, { goal_target: 1 })).toBe(
        '400 goal_target cannot be set in an internal category',
      );
    }
  });
});

describe('category groups', () => {
  const Group = z.strictObject({
    data: z.strictObject({ category_group: wire.CategoryGroup, server_knowledge: z.int() }),
  });
  const send = async (method: string, path: string, name: string) => {
    const { status, body } = await budget.send(method, path, { category_group: { name } });
    return { status, ...Group.parse(body).data };
  };

  test('POST category_groups returns 201 with category_group and server_knowledge, and the deltas contain the group', async () => {
    const { knowledge } = budget.ledger;
    const name = '🌳'.repeat(50);
    const answer = await send('POST', '/category_groups', name);
    const category_group = { id: budget.group(name), name, hidden: false, internal: false, deleted: false };
    expect(answer).toEqual({ status: 201, category_group, server_knowledge: knowledge + 1 });
    expect(budget.ledger.categoryGroups(knowledge)).toEqual([{ ...category_group, categories: [] }]);
    expect(budget.ledger.detail(knowledge)).toMatchObject({
      category_groups: [category_group],
      categories: [],
    });
  });

  test('PATCH category_groups/{id} returns 200 with the group, and its categories show the new name', async () => {
    const { knowledge } = budget.ledger;
    const answer = await send('PATCH', `/category_groups/${budget.group('Fun')}`, 'Joy');
    expect(answer).toMatchObject({
      status: 200,
      category_group: { id: budget.group('Joy'), name: 'Joy' },
      server_knowledge: knowledge + 1,
    });
    expect(budget.ledger.category(budget.category('Fun 1'))).toMatchObject({ category_group_name: 'Joy' });
  });

  test.each([
    [{}, 'name is required'],
    [{ name: 'x'.repeat(51) }, 'name is too long (maximum is 50 characters)'],
    [{ name: '' }, 'name must not be blank'],
    [{ name: null }, 'name must be text'],
    [undefined, 'category_group is required'],
  ])('a category group returns 400 with %o: %s', async (category_group, problem) => {
    const body = { category_group };
    expect(await budget.refusal('POST', '/category_groups', body)).toBe(`400 ${problem}`);
    const path = `/category_groups/${budget.group('Fun')}`;
    expect(await budget.refusal('PATCH', path, body)).toBe(`400 ${problem}`);
  });

  test('PATCH category_groups/{id} does not rename groups of the service, and returns 404.2 for an unknown id', async () => {
    for (const name of ['Internal Master Category', 'Credit Card Payments', 'Hidden Categories']) {
      const path = `/category_groups/${budget.group(name)}`;
      expect(await budget.refusal('PATCH', path, { category_group: { name: 'x' } })).toBe(
        '400 name of this category group cannot be changed',
      );
      expect((await send('PATCH', path, name)).category_group).toMatchObject({ name, internal: true });
    }
    const unknown = `/category_groups/${UNKNOWN}`;
    expect(await budget.refusal('PATCH', unknown, { category_group: { name: 'x' } })).toBe(
      '404.2 The category group does not exist.',
    );
  });
});
