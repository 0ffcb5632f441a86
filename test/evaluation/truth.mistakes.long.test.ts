/** A question is hard only if a common mistake leads to another answer. So each mistake is made on purpose here. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { categoryNamed, type Export, linesOf } from './export.ts';
import { startHousehold } from './households.ts';
import type { Task } from './task.ts';
import { task as shopping } from './tasks/figure-01-spring-shopping/task.ts';
import { task as food } from './tasks/figure-02-food-by-weekday/task.ts';
import { task as clothes } from './tasks/figure-03-clothes-brought-back/task.ts';
import { task as memos } from './tasks/figure-05-with-jonas-and-mila/task.ts';
import { task as planned } from './tasks/figure-06-planned-payments/task.ts';
import { task as thinnest } from './tasks/figure-07-thinnest-month/task.ts';
import { task as loans } from './tasks/figure-08-net-worth-and-loans/task.ts';
import { task as grocers } from './tasks/figure-11-grocers-of-2019/task.ts';
import { task as median } from './tasks/figure-12-median-of-groceries/task.ts';
import { task as groups } from './tasks/figure-13-garden-and-kitchen/task.ts';
import { task as cinemas } from './tasks/figure-14-cinemas/task.ts';
import { task as balances } from './tasks/figure-15-balances-of-old/task.ts';
import { task as interest } from './tasks/figure-17-interest-of-the-mortgage/task.ts';
import { task as receipts } from './tasks/figure-20-geteilte-belege/task.ts';
import { task as cash } from './tasks/figure-23-bargeld/task.ts';
import { task as card } from './tasks/figure-24-kreditkarte/task.ts';
import { INCOME } from './truth.ts';

/** `mistake` returns the budget without what the mistake leaves out. */
const mistakes: readonly [name: string, mistake: (budget: Export) => Export, tasks: readonly Task[]][] = [
  [
    'refunds',
    (budget) =>
      without(budget, ({ amount, category_id, transfer_account_id }) => {
        const isIncome = category_id === categoryNamed(budget, INCOME).id;
        return amount > 0 && transfer_account_id === null && !isIncome;
      }),
    [clothes, thinnest, loans, balances, card],
  ],
  [
    'split receipts',
    (budget) => without(budget, (transaction) => linesOf(budget, transaction).length > 0),
    [shopping, food, memos, thinnest, grocers, median, groups, cinemas, balances, receipts, card],
  ],
  [
    'transfers',
    (budget) => without(budget, ({ transfer_account_id }) => transfer_account_id !== null),
    [thinnest, loans, balances, interest, cash, card],
  ],
  [
    'the later days of a schedule',
    (budget) => ({
      ...budget,
      scheduled_transactions: budget.scheduled_transactions.map((plan) => ({ ...plan, frequency: 'never' })),
    }),
    [planned],
  ],
];

function without(budget: Export, isLost: (transaction: Export['transactions'][number]) => boolean): Export {
  return { ...budget, transactions: budget.transactions.filter((transaction) => !isLost(transaction)) };
}

describe('the tasks about figures', () => {
  it.each(mistakes)('have another answer where %s are left out', async (_, mistake, tasks) => {
    for (const household of new Set(tasks.map((task) => task.household))) {
      const service = await startHousehold(household);
      onTestFinished(() => service.close());
      const budget = await service.export();
      const mistaken = mistake(budget);
      for (const task of tasks.filter((each) => each.household === household))
        expect(task.expected(mistaken).results, task.says[0]).not.toEqual(task.expected(budget).results);
    }
  });
});
