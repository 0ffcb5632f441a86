import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createCategory, updateCategory } from '../../../src/service/ledger/categories.ts';
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

describe('PATCH categories/{id}', () => {
  const patch = (name: string, category: unknown) =>
    budget.send('PATCH', `/categories/${budget.category(name)}`, { category });
  const refused = (name: string, category: unknown) =>
    budget.refusal('PATCH', `/categories/${budget.category(name)}`, { category });

  test('PATCH categories/{id} changes name, note, group and target, and returns 200 with category and server_knowledge', async () => {
    const { knowledge } = budget.ledger;
    const before = budget.ledger.category(budget.category('Bills 1'));
    const change = { name: 'Rent', note: 'due on the 1st', goal_target: 75_000 };
    const { status, body } = await patch('Bills 1', { ...change, category_group_id: budget.group('Fun') });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      data: {
        category: { ...change, id: before?.id, category_group_name: 'Fun', goal_overall_left: 75_000 },
        server_knowledge: knowledge + 1,
      },
    });
    expect(Object.keys(Object(Object(body).data))).toEqual(['category', 'server_knowledge']);
  });

  test('PATCH categories/{id} refuses a goal_target that is negative or no integer', async () => {
    expect(await refused('Bills 1', { goal_target: -1 })).toBe('400 goal_target must not be negative');
    expect(await refused('Bills 1', { goal_target: 1.5 })).toBe(
      '400 goal_target must be an integer in milliunits',
    );
  });

  test('PATCH categories/{id} ignores null for name, and removes note and goal', async () => {
    await patch('Bills 1', { note: 'x' });
    const { body } = await patch('Bills 1', { name: null, goal_target: null, note: null });
    const removed = { goal_type: null, goal_target: null, goal_under_funded: null };
    expect(body).toMatchObject({ data: { category: { name: 'Bills 1', note: null, ...removed } } });
    expect((await patch('Fun 1', { goal_target: null })).status).toBe(200);
  });

  describe('goal_frequency', () => {
    const once = { goal_target: 60_000, goal_target_date: '2026-06-01', goal_needs_whole_amount: false };

    test.each([
      ['monthly', 1],
      ['weekly', 2],
      ['yearly', 13],
    ])(
      'goal_frequency %s makes a repeating goal of type NEED, also of one of another type',
      async (goal_frequency, goal_cadence) => {
        for (const name of ['Fun 1', 'Bills 1']) {
          const { body } = await patch(name, { goal_target: 100_000, goal_frequency });
          const goal = { goal_type: 'NEED', goal_cadence, goal_cadence_frequency: 1, goal_target: 100_000 };
          expect(body).toMatchObject({ data: { category: { ...goal, goal_target_date: null } } });
        }
      },
    );

    test('a goal that is due once repeats with a frequency, and keeps how it is filled', async () => {
      await patch('Fun 1', once);
      const { body } = await patch('Fun 1', { goal_target: 50_000, goal_frequency: 'weekly' });
      const goal = { goal_cadence: 2, goal_target_date: null, goal_needs_whole_amount: false };
      expect(body).toMatchObject({ data: { category: goal } });
    });

    test('without it, and with null, a goal keeps its rhythm', async () => {
      await patch('Fun 1', { goal_target: 100_000, goal_frequency: 'yearly' });
      for (const goal_frequency of [undefined, null]) {
        const { body } = await patch('Fun 1', { goal_target: 120_000, goal_frequency });
        expect(body).toMatchObject({ data: { category: { goal_target: 120_000, goal_cadence: 13 } } });
      }
    });

    test.each<[string, object, string]>([
      ['Fun 1', { goal_frequency: 'weekly' }, 'goal_frequency needs goal_target'],
      ['Bills 1', { goal_frequency: 'weekly', goal_target: null }, 'goal_frequency needs goal_target'],
      ['Fun 1', { ...once, goal_frequency: 'weekly' }, 'goal_frequency cannot be set with goal_target_date'],
      [
        'Card',
        { goal_target: 1, goal_frequency: 'monthly' },
        'goal_frequency cannot be set for a credit card payment category',
      ],
      [
        'Fun 1',
        { goal_target: 1, goal_frequency: 'daily' },
        'goal_frequency must be one of monthly, weekly, yearly',
      ],
      [
        'Uncategorized',
        { goal_target: 1, goal_frequency: 'weekly' },
        'goal_target cannot be set in an internal category',
      ],
    ])('the category %s with %o is refused: %s', async (name, change, problem) => {
      expect(await refused(name, change)).toBe(`400 ${problem}`);
    });
  });

  test('PATCH categories/{id} ignores budgeted', async () => {
    const { status, body } = await patch('Fun 1', { budgeted: 5_000 });
    expect([status, body]).toMatchObject([200, { data: { category: { budgeted: 0 } } }]);
  });

  test('PATCH categories/{id} renames only the user’s own categories, but changes the note of any category', async () => {
    for (const name of ['Card', 'Inflow: Ready to Assign', 'Uncategorized']) {
      expect(await refused(name, { name: 'x' })).toBe('400 name of this category cannot be changed');
      expect(await refused(name, { category_group_id: budget.group('Fun') })).toBe(
        '400 category_group_id of this category cannot be changed',
      );
      const { body } = await patch(name, { note: 'mine' });
      expect(body).toMatchObject({ data: { category: { name, note: 'mine' } } });
    }
  });

  test('PATCH categories/{id} accepts only the user’s own groups', async () => {
    for (const group of ['Internal Master Category', 'Credit Card Payments', 'Hidden Categories']) {
      expect(await refused('Fun 1', { category_group_id: budget.group(group) })).toBe(
        '400 category_group_id is an internal group',
      );
    }
    expect(await refused('Fun 1', { category_group_id: UNKNOWN })).toBe(
      '400 category_group_id does not exist',
    );
    expect(await refused('Fun 1', { category_group_id: 'x' })).toBe(
      '400 category_group must be formatted as a uuid (universally unique identifier)',
    );
  });

  test('PATCH categories/{id} accepts a category as it was read, hidden and internal ones too', async () => {
    budget.ledger.commit((state) => updateCategory(state, budget.category('Fun 2'), { hidden: true }));
    for (const name of ['Bills 1', 'Fun 2', 'Card', 'Uncategorized']) {
      const before = budget.ledger.category(budget.category(name));
      expect((await patch(name, before)).body).toMatchObject({ data: { category: before } });
    }
  });

  test('PATCH categories/{id} returns 400 with a blank name or without a category, and 404.2 for an unknown id', async () => {
    expect(await refused('Fun 1', { name: '' })).toBe('400 name must not be blank');
    expect(await refused('Fun 1', undefined)).toBe('400 category is required');
    expect(await budget.refusal('PATCH', `/categories/${UNKNOWN}`, { category: {} })).toBe(
      '404.2 The category does not exist.',
    );
  });
});

describe('PATCH months/{month}/categories/{id}', () => {
  const path = (month: string, name = 'Fun 1') => `/months/${month}/categories/${budget.category(name)}`;

  test('PATCH months/{month}/categories/{id} returns 200 with category and server_knowledge, and updates the month', async () => {
    const { knowledge } = budget.ledger;
    const { status, body } = await budget.send('PATCH', path('2026-01-01'), {
      category: { budgeted: 40_000, name: 'ignored', note: 7 },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      data: {
        category: { name: 'Fun 1', budgeted: 40_000, balance: 40_000 },
        server_knowledge: knowledge + 1,
      },
    });
    expect(budget.ledger.month('2026-01-01')).toMatchObject({ budgeted: 40_000, to_be_budgeted: 460_000 });
    budget.expectBalanced();
  });

  test('PATCH months/{month}/categories/{id} accepts current and the months of the coming year', async () => {
    const category = { budgeted: 1_000 };
    const categoryOf = async (month: string) =>
      Object((await budget.send('PATCH', path(month), { category })).body).data.category;
    expect(await categoryOf('current')).toMatchObject({ budgeted: 1_000, balance: 1_000 });
    expect(await categoryOf('2027-01-01')).toMatchObject({ budgeted: 1_000, balance: 2_000 });
    expect(budget.ledger.summary().last_month).toBe('2027-01-01');
    budget.expectBalanced();
  });

  test('PATCH months/{month}/categories/{id} budgets a payment category, but no internal one', async () => {
    const category = { budgeted: 1_000 };
    expect((await budget.send('PATCH', path('current', 'Card'), { category })).status).toBe(200);
    for (const name of ['Inflow: Ready to Assign', 'Uncategorized']) {
      expect(await budget.refusal('PATCH', path('current', name), { category })).toBe(
        '400 budgeted cannot be set in an internal category',
      );
    }
  });

  test.each([
    ['2025-12-01', '404.2 The month does not exist.'],
    ['2027-02-01', '404.2 The month does not exist.'],
    ['2026-01-02', '400 month must be the first day of a month (YYYY-MM-01) or current'],
  ])('PATCH months/{month}/categories/{id} with the month %s returns %s', async (month, refusal) => {
    expect(await budget.refusal('PATCH', path(month), { category: { budgeted: 1 } })).toBe(refusal);
  });

  test('PATCH months/{month}/categories/{id} returns 400 without an integer', async () => {
    const refused = (category: unknown) => budget.refusal('PATCH', path('current'), { category });
    expect(await refused({})).toBe('400 budgeted is required');
    expect(await refused({ budgeted: '1' })).toBe('400 budgeted must be an integer in milliunits');
    expect(await refused({ budgeted: null })).toBe('400 budgeted must be an integer in milliunits');
  });

  test('PATCH months/{month}/categories/{id} returns 404.2 for an unknown category', async () => {
    const unknown = `/months/current/categories/${UNKNOWN}`;
    expect(await budget.refusal('PATCH', unknown, { category: { budgeted: 1 } })).toBe(
      '404.2 The category does not exist.',
    );
  });
});

test('a transaction can have a hidden category', async () => {
  const { id } = budget.ledger.commit((state) =>
    createCategory(state, { group_id: budget.group('Fun'), name: 'Secret' }),
  );
  budget.ledger.commit((state) => updateCategory(state, id, { hidden: true }));
  expect(await budget.create({ category_id: id })).toMatchObject({ category_name: 'Secret' });
});
