import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkCategories, uncoveredCards } from '../../../src/features/month/month-categories.ts';
import type { Category } from '../../../src/model/replica/entities.ts';
import { categoryKindsIn } from '../../../src/model/sums/category-kinds.ts';
import { account, category } from '../../answers/samples.helper.ts';

const kindsIn = (groups: Parameters<typeof categoryKindsIn>[0]['groups']) =>
  categoryKindsIn({ groups, categories: [], transactions: () => [] });
const kinds = kindsIn([]);
const LIMITS = { rows: 25, left: 25 };
const check = (categories: readonly Category[], max = LIMITS) => checkCategories(categories, kinds, max);
const namesOf = (list: { readonly rows: readonly { readonly name: string }[] }) =>
  list.rows.map(({ name }) => name);

const payment = (name: string, balance: number) =>
  category({ id: `pay-${name}`, name, balance, category_group_name: 'Credit Card Payments' });

describe('the categories of a month', () => {
  it('a category below zero is overspent by its balance, the largest first, and a hidden one too', () => {
    const { overspent } = check([
      category({ id: 'a', name: 'Fuel', balance: -1_000 }),
      category({ id: 'b', name: 'Old Gym', balance: -3_000, hidden: true }),
      category({ id: 'c', name: 'Rent', balance: 0 }),
      category({ id: 'd', name: 'Gifts', balance: 5_000 }),
    ]);
    expect(overspent).toMatchObject({ total: 2, sum: 4_000 });
    expect(overspent.rows.map(({ name, amount, hidden }) => [name, amount, hidden])).toEqual([
      ['Old Gym', 3_000, true],
      ['Fuel', 1_000, false],
    ]);
  });

  it('a payment category of a card below zero is not overspent, but listed for itself', () => {
    const { overspent, cards_below_zero } = check([
      category({ id: 'a', name: 'Fuel', balance: -1_000 }),
      payment('Blue Card', -57_950),
    ]);
    expect([namesOf(overspent), namesOf(cards_below_zero)]).toEqual([['Fuel'], ['Blue Card']]);
    expect(cards_below_zero).toMatchObject({ total: 1, sum: 57_950 });
  });

  it('internal categories do not count, by their mark or by the name of their group', () => {
    const internal = category({ name: 'Uncategorized', balance: -9_000, internal: true });
    const older = category({
      name: 'Inflow: Ready to Assign',
      balance: 9_000,
      category_group_name: 'Internal Master Category',
    });
    expect(check([internal, older])).toMatchObject({
      overspent: { total: 0 },
      left: { total: 0 },
    });
    expect(
      checkCategories(
        [{ ...older, category_group_name: null }],
        kindsIn([{ id: older.category_group_id, name: 'Internal Master Category' }]),
        LIMITS,
      ).left,
    ).toMatchObject({ total: 0 });
  });

  it('a goal is underfunded by what the service says, unless it is hidden', () => {
    const goal = { goal_type: 'NEED', goal_under_funded: 2_000, goal_target: 10_000 };
    const { goals, underfunded } = check([
      category({ id: 'a', name: 'Rent', ...goal }),
      category({ id: 'b', name: 'Old Gym', ...goal, hidden: true }),
      category({ id: 'c', name: 'Power', ...goal, goal_under_funded: 0 }),
      category({ id: 'd', name: 'Trip', ...goal, goal_type: 'TB', goal_under_funded: 7_000 }),
      category({ id: 'e', name: 'Fuel' }),
    ]);
    expect(goals).toBe(3);
    expect(underfunded).toMatchObject({ total: 2, sum: 9_000 });
    expect(underfunded.rows.map(({ name, has_date }) => [name, has_date])).toEqual([
      ['Trip', false],
      ['Rent', true],
    ]);
  });

  it('what is set aside for cards is not left to spend', () => {
    const { left, set_aside_for_cards } = check([payment('Blue Card', 12_990), category({ balance: 5_000 })]);
    expect(left).toMatchObject({ total: 1, sum: 5_000 });
    expect(set_aside_for_cards).toBe(12_990);
  });

  it('rows are cut, and number and sum are those of all', () => {
    const many = Array.from({ length: 30 }, (_, at) => category({ name: `Category ${at}`, balance: at + 1 }));
    const { left } = check(many, { ...LIMITS, left: 10 });
    expect(left).toMatchObject({ total: 30, sum: 465 });
    expect(namesOf(left)).toHaveLength(10);
    expect(namesOf(left)[0]).toBe('Category 29');
  });

  it('what is left and set aside, less what is overspent, is the sum of all balances', () => {
    const balances = fc.record({
      balance: fc.integer({ min: -10_000_000, max: 10_000_000 }),
      hidden: fc.boolean(),
      group: fc.constantFrom('Everyday', 'Credit Card Payments', 'Hidden Categories'),
    });
    fc.assert(
      fc.property(fc.array(balances), fc.nat({ max: 5 }), (rows, max) => {
        const { left, overspent, cards_below_zero, set_aside_for_cards } = check(
          rows.map(({ group, ...fields }) => category({ ...fields, category_group_name: group })),
          { rows: max, left: max },
        );
        const total = rows.reduce((sum, { balance }) => sum + balance, 0);
        expect(left.sum + set_aside_for_cards - overspent.sum - cards_below_zero.sum).toBe(total);
      }),
    );
  });
});

describe('cards that owe more than is set aside', () => {
  const card = (balance: number, changed = {}) =>
    account({ id: 'card', name: 'Blue Card', type: 'creditCard', balance, ...changed });
  const uncovered = (balance: number, cards: readonly ReturnType<typeof card>[]) =>
    uncoveredCards([payment('Blue Card', balance), category({ name: 'Fuel' })], kinds, cards);

  it('a card is not covered by what its debt is more than its payment category', () => {
    expect(uncovered(40_000, [card(-100_000)])).toMatchObject([
      { name: 'Blue Card', owed: 100_000, set_aside: 40_000, amount: 60_000 },
    ]);
  });

  it('a payment category below zero covers nothing', () => {
    expect(uncovered(-5_000, [card(-100_000)])).toMatchObject([{ set_aside: 0, amount: 100_000 }]);
  });

  it('a card that is covered, or that owes nothing, is left out', () => {
    expect(uncovered(100_000, [card(-100_000)])).toEqual([]);
    expect(uncovered(0, [card(5_000)])).toEqual([]);
  });

  it('without a single account of the name, nothing is said about the card', () => {
    expect(uncovered(0, [])).toEqual([]);
    expect(uncovered(0, [card(-100_000), card(-100_000, { id: 'other' })])).toEqual([]);
  });
});
