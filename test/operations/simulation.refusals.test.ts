/** What a dry run says about writes that the service refuses, and about those just beside them, which it accepts. */
import { expect, it } from 'vitest';
import { updateCategory, updateMonthCategory } from '../../src/operations/categories.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { createScheduledTransaction } from '../../src/operations/scheduled-transactions.ts';
import { createTransactions } from '../../src/operations/transaction-writes.ts';
import { idIn, type Started, spending, start, transferTo } from './simulating.helper.ts';

type Input = Readonly<Record<string, unknown>>;
type Case = readonly [
  what: string,
  operation: Operation,
  input: Input | ((started: Started) => Input),
  problems: readonly string[],
];

/** Changes a category of this name. */
const changed =
  (name: string, change: Input) =>
  ({ books }: Started): Input => ({ category_id: idIn(books.categories, name), ...change });
/** Moves a category of the first name into the group of the second one. */
const moved =
  (name: string, other: string) =>
  ({ books }: Started): Input => ({
    category_id: idIn(books.categories, name),
    category_group_id: books.categories.get(idIn(books.categories, other))?.['category_group_id'],
  });
const entered = (fields: Input) => (started: Started) => ({ transactions: [spending(started, fields)] });
const planned =
  (date: string) =>
  ({ books }: Started): Input => ({ account_id: idIn(books.accounts, 'Checking'), date, amount: -1_000 });
const READY = 'Inflow: Ready to Assign';

const cases: readonly Case[] = [
  [
    'the name of a card',
    updateCategory,
    changed('Blue Card', { name: 'Card' }),
    ['name: the service itself names this category'],
  ],
  ['the name that a card has', updateCategory, changed('Blue Card', { name: 'Blue Card' }), []],
  ['the name of an own category', updateCategory, changed('Groceries', { name: 'Food' }), []],
  [
    'the group of a card',
    updateCategory,
    moved('Blue Card', 'Groceries'),
    ['category_group_id: a category of the service itself keeps its group'],
  ],
  ['the group that a card has', updateCategory, moved('Blue Card', 'Travel Card'), []],
  ['the group of an own category', updateCategory, moved('Groceries', 'Fuel'), []],
  [
    'a goal of Ready to Assign',
    updateCategory,
    changed(READY, { goal_target: 1_000 }),
    ['goal_target: a category of the service itself has no goal'],
  ],
  ['a new goal of a card', updateCategory, changed('Blue Card', { goal_target: 1_000 }), []],
  [
    'a negative goal',
    updateCategory,
    changed('Groceries', { goal_target: -1 }),
    ['goal_target: must not be negative'],
  ],
  ['a goal of nothing', updateCategory, changed('Groceries', { goal_target: 0 }), []],
  [
    'a day without a goal',
    updateCategory,
    changed('Clothing', { goal_target_date: '2027-05-01' }),
    ['goal_target_date: the category has no goal'],
  ],
  [
    'a day of a balance',
    updateCategory,
    changed('Car Repairs', { goal_target_date: '2027-05-01' }),
    ['goal_target_date: a goal of type TB has no day'],
  ],
  ['a day of a balance by a day', updateCategory, changed('Holiday', { goal_target_date: '2027-05-01' }), []],
  [
    'a day of a new goal',
    updateCategory,
    changed('Clothing', { goal_target: 1_000, goal_target_date: '2027-05-01' }),
    [],
  ],
  [
    'a day of a new goal of a card',
    updateCategory,
    changed('Blue Card', { goal_target: 1_000, goal_target_date: '2027-05-01' }),
    ['goal_target_date: a goal of type MF has no day'],
  ],
  [
    'the whole amount of a monthly goal',
    updateCategory,
    changed('Gifts', { goal_needs_whole_amount: true }),
    ['goal_needs_whole_amount: only a goal of type NEED has it'],
  ],
  [
    'the whole amount of what is needed',
    updateCategory,
    changed('Groceries', { goal_needs_whole_amount: true }),
    [],
  ],
  [
    'money for Ready to Assign',
    updateMonthCategory,
    changed(READY, { month: '2026-11-01', budgeted: 1 }),
    ['category_id: nothing can be budgeted in a category of the service itself'],
  ],
  ['money in a year', updateMonthCategory, changed('Groceries', { month: '2027-11-01', budgeted: 1 }), []],
  [
    'money in a year and a month',
    updateMonthCategory,
    changed('Groceries', { month: '2027-12-01', budgeted: 1 }),
    ['month: 2027-12 is more than 12 months ahead'],
  ],
  [
    'money in the current month',
    updateMonthCategory,
    changed('Groceries', { month: 'current', budgeted: 1 }),
    [],
  ],
  ['a plan in five years', createScheduledTransaction, planned('2031-11-21'), []],
  [
    'a plan in five years and a day',
    createScheduledTransaction,
    planned('2031-11-22'),
    ['date: 2031-11-22 is more than 5 years ahead'],
  ],
  ['a purchase five years ago', createTransactions, entered({ date: '2021-11-21' }), []],
  [
    'a purchase five years and a day ago',
    createTransactions,
    entered({ date: '2021-11-20' }),
    ['transactions.0.date: 2021-11-20 is more than 5 years ago'],
  ],
  [
    'a purchase from a closed account',
    createTransactions,
    (started) => entered({ account_id: idIn(started.books.accounts, 'Old Savings') })(started),
    ['transactions.0.account_id: the account "Old Savings" is closed'],
  ],
  [
    'a transfer to a closed account',
    createTransactions,
    (started) => entered({ category_id: undefined, payee_id: transferTo(started, 'Old Savings') })(started),
    ['transactions.0.payee_id: the account "Old Savings" is closed'],
  ],
  [
    'a transfer to the same account',
    createTransactions,
    (started) => entered({ category_id: undefined, payee_id: transferTo(started, 'Checking') })(started),
    ['transactions.0.payee_id: a transfer needs two accounts, and this is the same one'],
  ],
];

it.each(cases)('a dry run says whether the service refuses %s', async (_, operation, input, problems) => {
  const started = await start();
  const found = await started.simulate(operation, typeof input === 'function' ? input(started) : input);
  expect(found.problems).toEqual(problems);
});
