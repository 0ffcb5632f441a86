import { expect, test } from 'vitest';
import { updateCategory } from '../../../src/service/ledger/categories.ts';
import { addTransaction } from '../../../src/service/ledger/transactions.ts';
import { MONTH, startMoving } from '../moving.helper.ts';

test('one call covers an overspent category from another one, and says what both have before and after it', async () => {
  const { move, category, ready, sent } = await startMoving();
  const before = [category('Groceries'), category('Hobbies'), ready()];
  expect(category('Hobbies').balance).toBe(-68_830);
  const { text, structured, isError } = await move({ from: 'groceries', to: 'hobbies' });
  expect(isError, text).toBe(false);
  expect(text.split('\n').slice(0, 5)).toEqual([
    'Budget "Household" (EUR)',
    'Written.',
    'Moved 68.83 from "Groceries" to "Hobbies" in 2026-11.',
    '"Groceries": 82.01 left before, 13.18 now.',
    '"Hobbies": -68.83 left before, 0.00 now.',
  ]);
  expect(structured).toMatchObject({
    outcome: 'written',
    month: MONTH,
    amount: 68.83,
    from: { left_before: 82.01, left_after: 13.18, budgeted_before: 680, budgeted_after: 611.17 },
    to: { left_before: -68.83, left_after: 0, budgeted_before: 47, budgeted_after: 115.83, lacking_after: 0 },
  });
  expect(structured).not.toHaveProperty('may_have_replaced');
  expect([category('Groceries').balance, category('Hobbies').balance, ready()]).toEqual([
    13_180,
    0,
    before[2],
  ]);
  expect(sent()).toBe(2);
});

test('without an amount, a category that is not overspent gets what its goal still needs', async () => {
  const { move, category } = await startMoving();
  expect(category('Eating Out').goal_under_funded).toBe(35_220);
  const { structured } = await move({ from: 'Groceries', to: 'Eating Out' });
  expect(structured).toMatchObject({ amount: 35.22, to: { left_after: 35.22, lacking_after: 0 } });
});

test('a category is brought to what it is to have left, also after it was spent from elsewhere', async () => {
  const { move, category, ledger } = await startMoving();
  const { id, balance } = category('Pets');
  const args = { from: 'Groceries', to: 'Pets', left: balance / 1_000 + 10 };
  expect((await move({ ...args, dry_run: true })).structured).toMatchObject({ amount: 10 });
  const [account] = ledger.accounts();
  ledger.commit((state) =>
    addTransaction(state, {
      account_id: account?.id ?? '',
      date: `${MONTH}-20`,
      amount: -4_000,
      category_id: id,
    }),
  );
  expect((await move(args)).structured).toMatchObject({ amount: 14, to: { left_after: args.left } });
  expect(category('Pets').balance).toBe(balance + 10_000);
});

test('Ready to Assign gives to a category and takes from one with a single write', async () => {
  const { move, ready, budgeted, sent, category } = await startMoving();
  const given = await move({ from: 'Ready to Assign', to: 'Hobbies', amount: 20 });
  expect(given.text).toContain('Ready to Assign in 2026-11: 30.66 now.');
  expect(given.text).toContain('"Hobbies" still lacks 48.83.');
  expect([ready(), budgeted('Hobbies'), sent()]).toEqual([30_660, 67_000, 1]);
  const taken = await move({ from: 'Groceries', to: category('Inflow: Ready to Assign').id, amount: 10 });
  expect(taken.text).toContain('Moved 10.00 from "Groceries" to Ready to Assign in 2026-11.');
  expect(taken.structured).toMatchObject({ to: { name: 'Ready to Assign', left_after: 40.66 } });
  expect([ready(), budgeted('Groceries'), sent()]).toEqual([40_660, 670_000, 2]);
});

test('a category of the same name as Ready to Assign is never taken for it', async () => {
  const { move, category, ledger, sent, pass } = await startMoving();
  const { id } = category('Pets');
  ledger.commit((state) => updateCategory(state, id, { name: 'Ready to Assign' }));
  await pass(60_000);
  const { text, isError } = await move({ from: 'Ready to Assign', to: 'Hobbies', amount: 1 });
  expect([isError, text, sent()]).toEqual([true, expect.stringContaining('may mean several'), 0]);
});

test.each([
  [
    'more than a category has',
    { from: 'Streaming', to: 'Hobbies' },
    '"Streaming" has 1.04 left in 2026-11, less than 68.83',
  ],
  [
    'more than is ready to be assigned',
    { from: 'Ready to Assign', to: 'Hobbies' },
    'Ready to Assign has 50.66 left in 2026-11',
  ],
  [
    'what a category does not lack',
    { from: 'Groceries', to: 'Pets' },
    '"Pets" lacks nothing in 2026-11: give an amount',
  ],
  [
    'what a category has already',
    { from: 'Groceries', to: 'Eating Out', left: 0 },
    '"Eating Out" has 0.00 left in 2026-11 already',
  ],
  [
    'an amount and what is to be left',
    { from: 'Groceries', to: 'Pets', amount: 1, left: 2 },
    'give amount or left, not both',
  ],
  [
    'money of the service itself',
    { from: 'Groceries', to: 'Uncategorized', amount: 1 },
    'a category of the service itself',
  ],
  [
    'money to the same category',
    { from: 'Groceries', to: 'groceries', amount: 1 },
    'from and to are the same',
  ],
  ['nothing', { from: 'Groceries', to: 'Pets', amount: 0 }, 'amount must be more than 0'],
  ['less than nothing', { from: 'Groceries', to: 'Pets', amount: -5 }, 'amount must be more than 0'],
  [
    'money of a month that the budget does not have',
    { from: 'Groceries', to: 'Pets', amount: 5, month: '2027-08' },
    'does not have the month 2027-08',
  ],
  [
    'money of a category that does not exist',
    { from: 'Grocerys', to: 'Pets', amount: 5 },
    'nearest: "Groceries"',
  ],
])('a move of %s is refused and sends nothing', async (_, args, problem) => {
  const { move, changes, sent } = await startMoving();
  for (const options of [{}, { dry_run: true }]) {
    const { text, isError } = await move({ ...args, ...options });
    expect([isError, text]).toEqual([true, expect.stringContaining(problem)]);
    expect(text).toContain('This call changed nothing.');
  }
  expect([changes(), sent()]).toEqual([[0, 0, 0], 0]);
});

test('a move takes no more than is left in any later month', async () => {
  const { move, setElsewhere, ready, pass } = await startMoving();
  // The money of November is used in December.
  setElsewhere('Pets', ready() - 5_000, '2026-12-01');
  await pass(60_000);
  const ofReady = await move({ from: 'Ready to Assign', to: 'Pets', amount: 10 });
  expect(ofReady.text).toContain('left in 2026-12, less than 10.00');
  setElsewhere('Groceries', -80_000, '2026-12-01');
  await pass(60_000);
  const ofCategory = await move({ from: 'Groceries', to: 'Pets', amount: 10 });
  expect(ofCategory.text).toContain('"Groceries" has 2.01 left in 2026-12, less than 10.00');
});

test('overspending can be covered with all that is ready to be assigned, because the next month has paid for it already', async () => {
  const { move, setElsewhere, ledger, ready, pass } = await startMoving();
  // After this the next month exists, and the overspending of this one is taken from it.
  setElsewhere('Pets', 1_000, '2026-12-01');
  setElsewhere('Groceries', 680_000 - (68_830 - ready()));
  await pass(60_000);
  expect(ready()).toBe(68_830);
  const december = () => ledger.month('2026-12-01')?.to_be_budgeted;
  const before = december();
  const { isError, text } = await move({ from: 'Ready to Assign', to: 'Hobbies' });
  expect(isError, text).toBe(false);
  expect(ready()).toBe(0);
  expect(december()).toBe(before);
});

test('a dry run shows both categories after the move and sends nothing', async () => {
  const { move, changes, sent } = await startMoving();
  const { text, structured } = await move({ from: 'Groceries', to: 'Hobbies', amount: 50, dry_run: true });
  expect(text).toContain('Dry run: this call wrote nothing.');
  expect(text).toContain('"Groceries": 82.01 left now, 32.01 afterwards.');
  expect(text).toContain('"Hobbies" would still lack 18.83.');
  expect(structured).toMatchObject({ outcome: 'dry_run', to: { left_after: -18.83 } });
  expect([changes(), sent()]).toEqual([[0, 0, 0], 0]);
});

test('with confirmation of every write, the question has both categories, and the amount that it shows is moved', async () => {
  const { call, changes, sent } = await startMoving({}, { confirm: 'writes' });
  const args = { from: 'Groceries', to: 'Hobbies' };
  const asked = await call('move_budgeted', args);
  expect(asked.isError).toBe(true);
  expect(asked.text).toContain('It would move 68,83');
  expect(asked.text).toContain('"Groceries": 82,01');
  expect(sent()).toBe(0);
  const { isError, text } = await call('move_budgeted', { ...args, confirm: true });
  expect(isError, text).toBe(false);
  expect(changes()).toEqual([-68_830, 68_830, 0]);
});

test('a read-only server does not have the tool', async () => {
  const { host } = await startMoving({ readOnly: true });
  const { tools } = await host.listTools();
  expect(tools.map(({ name }) => name)).not.toContain('move_budgeted');
});

test('a move starts from the budget as it is now, not from the cached one', async () => {
  const { move, setElsewhere, category, ledger, coffee, changes } = await startMoving();
  setElsewhere('Groceries', 690_000);
  ledger.commit((state) =>
    addTransaction(state, {
      ...coffee,
      payee_id: null,
      category_id: category('Hobbies').id,
      cleared: 'cleared',
      approved: true,
      memo: null,
      flag_color: null,
      import_id: null,
    }),
  );
  const { structured } = await move({ from: 'Groceries', to: 'Hobbies' });
  expect(structured).toMatchObject({
    amount: 73.33,
    from: { left_before: 92.01, budgeted_before: 690 },
  });
  expect(changes()).toEqual([10_000 - 73_330, 73_330, -10_000]);
});
