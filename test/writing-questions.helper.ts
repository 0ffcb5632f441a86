/** Questions that write. Names are used as a user would say them. */
import assert from 'node:assert/strict';
import { z } from 'zod';
import {
  named,
  type Rows,
  sumOf,
  type Transaction,
  thisMonth,
  userCategories,
  withoutCategory,
} from './budget-rows.helper.ts';
import { amountsOf, money, type Question, type QuestionCall, quoted } from './question.helper.ts';

const lunch: QuestionCall = {
  tool: 'create_transactions',
  args: {
    transactions: [
      {
        account_id: 'Checking',
        date: 'today',
        amount: -12.5,
        payee_name: 'Noodle Lantern',
        category_id: 'Eating Out',
      },
    ],
  },
};

const receipt: Readonly<Record<string, number>> = { Groceries: -30_200, 'Household Goods': -11_790 };

/** The overspent category that lacks most, and the category that has most. */
function worstAndRichest(rows: Rows) {
  const categories = userCategories(thisMonth(rows))
    .filter(({ category_group_name, hidden }) => category_group_name !== 'Credit Card Payments' && !hidden)
    .toSorted((a, b) => a.balance - b.balance);
  const [worst, richest] = [categories[0], categories.at(-1)];
  return worst && richest && worst.balance < 0 ? { worst, richest } : undefined;
}

/** The transactions of an answer with their suggested category, or another one where there is no suggestion. */
function suggestionsIn(answer: string) {
  const lines = answer.matchAll(
    /^.* · (?:"(?<category>[^"]+)" in \d+ of \d+|no category known) · (?<id>\S+)$/gm,
  );
  return [...lines].map(({ groups }) => {
    const { id, category = 'Groceries' } = suggestionSchema.parse(groups);
    return { id, category_id: category };
  });
}

const suggestionSchema = z.object({ id: z.string(), category: z.string().optional() });

/** More have so many sets that several usually have the same sum. */
const MAX_UNCLEARED = 12;

/**
 * An account, and the balance of its bank, which has seen one of the uncleared transactions. No other set of them has the
 * same sum. A large household has too many uncleared transactions in Checking.
 */
function statementOf(rows: Rows) {
  const accounts = ['Checking', 'Savings'].map((name) => {
    const account = named(rows.accounts, name);
    const uncleared = rows.transactions.filter(
      ({ account_id, cleared }) => account_id === account.id && cleared === 'uncleared',
    );
    return { account, uncleared };
  });
  for (const { account, uncleared } of accounts) {
    if (uncleared.length > MAX_UNCLEARED) continue;
    const sums = sumsOfSets(uncleared.map(({ amount }) => amount));
    const seen = uncleared.find(({ amount }) => sums.filter((sum) => sum === amount).length === 1);
    if (seen) return { account, uncleared, seen, bank: account.cleared_balance + seen.amount };
  }
  throw new Error('No account can be reconciled.');
}

function sumsOfSets(amounts: readonly number[]): readonly number[] {
  let sums = [0];
  for (const amount of amounts) sums = sums.flatMap((sum) => [sum, sum + amount]);
  return sums;
}

const balanceOf = ({ accounts }: Rows, account: string) => named(accounts, account).balance;
const leftIn = (rows: Rows, category: string) => named(thisMonth(rows).categories, category).balance;

/** Throws unless the balances of exactly these accounts have changed by so much. */
function assertBalances(rows: Rows, now: Rows, changes: Readonly<Record<string, number>>): void {
  const expected = rows.accounts.map(({ name, balance }) => [name, balance + (changes[name] ?? 0)]);
  assert.deepEqual(
    now.accounts.map(({ name, balance }) => [name, balance]),
    expected,
  );
}

/** Throws unless what is left this month has changed by so much in exactly these categories. */
function assertLeft(rows: Rows, now: Rows, changes: Readonly<Record<string, number>>): void {
  const left = (each: Rows) =>
    thisMonth(each)
      .categories.filter(({ category_group_name }) => category_group_name !== 'Credit Card Payments')
      .map(({ name, balance }) => [name, balance] as const);
  const expected = left(rows).map(([name, balance]) => [name, balance + (changes[name] ?? 0)]);
  assert.deepEqual(left(now), expected);
}

/** The transactions that are not in `rows`. Throws if another one is missing. */
function addedSince(rows: Rows, now: Rows): Transaction[] {
  const before = new Set(rows.transactions.map(({ id }) => id));
  const added = now.transactions.filter(({ id }) => !before.has(id));
  assert.equal(now.transactions.length, rows.transactions.length + added.length);
  return added;
}

/** As many overspent categories as `check_month` names. */
const MAX_ROWS = 20;

export const writingQuestions: readonly Question[] = [
  {
    question: '3 What is overspent; cover the worst from another category',
    calls(rows) {
      const found = worstAndRichest(rows);
      const cover = found && {
        tool: 'move_budgeted',
        args: { from: found.richest.name, to: found.worst.name },
      };
      return [{ tool: 'check_month', args: {} }, ...(cover ? [cover] : [])];
    },
    expected(rows) {
      const overspent = userCategories(thisMonth(rows)).filter(
        ({ balance, category_group_name }) => balance < 0 && category_group_name !== 'Credit Card Payments',
      );
      if (overspent.length === 0) return ['Overspent: none.'];
      const found = worstAndRichest(rows);
      const [worst, richest] = [found?.worst.balance ?? 0, found?.richest.balance ?? 0];
      return [
        `Overspent: ${overspent.length} categor`,
        ` ${money(-sumOf(overspent.map(({ balance }) => balance)))}: `,
        ...overspent
          .toSorted((a, b) => a.balance - b.balance)
          .slice(0, MAX_ROWS)
          .map(({ name, balance }) => `${quoted(name)} ${money(-balance)}`),
        ...(found
          ? [
              `Moved ${money(-worst)} from ${quoted(found.richest.name)} to ${quoted(found.worst.name)}`,
              `${quoted(found.richest.name)}: ${money(richest)} left before, ${money(richest + worst)} now`,
              `${quoted(found.worst.name)}: ${money(worst)} left before, ${money(0)} now`,
            ]
          : []),
      ];
    },
    after(rows, now) {
      const found = worstAndRichest(rows);
      const lacking = -(found?.worst.balance ?? 0);
      const changes = found ? { [found.worst.name]: lacking, [found.richest.name]: -lacking } : {};
      assertLeft(rows, now, changes);
      assert.equal(thisMonth(now).to_be_budgeted, thisMonth(rows).to_be_budgeted);
    },
  },
  {
    question: '6 Log lunch, by names',
    calls: () => [lunch],
    expected: (rows) => [
      'Written.',
      `${rows.today} · -12.50 · "Noodle Lantern" · in "Eating Out"`,
      `Account "Checking" has ${money(balanceOf(rows, 'Checking') - 12_500)} now.`,
      `Category "Eating Out" has ${money(leftIn(rows, 'Eating Out') - 12_500)} left this month.`,
    ],
    after(rows, now) {
      const [added, ...others] = addedSince(rows, now);
      assert.equal(others.length, 0);
      assert.equal(added?.date, rows.today);
      assert.equal(added?.payee_name, 'Noodle Lantern');
      assertBalances(rows, now, { Checking: -12_500 });
      assertLeft(rows, now, { 'Eating Out': -12_500 });
    },
  },
  {
    question: '7 Log a split receipt, by names',
    calls: () => [
      {
        tool: 'create_transactions',
        args: {
          transactions: [
            {
              account_id: 'Checking',
              date: 'today',
              amount: sumOf(Object.values(receipt)) / 1000,
              payee_name: 'Greenleaf Market',
              subtransactions: Object.entries(receipt).map(([category_id, amount]) => ({
                amount: amount / 1000,
                category_id,
              })),
            },
          ],
        },
      },
    ],
    expected: (rows) => [
      'Written.',
      ...Object.entries(receipt).flatMap(([name, amount]) => [
        `  ${money(amount)} · in ${quoted(name)}`,
        `Category ${quoted(name)} has ${money(leftIn(rows, name) + amount)} left this month.`,
      ]),
      `Account "Checking" has ${money(balanceOf(rows, 'Checking') + sumOf(Object.values(receipt)))} now.`,
    ],
    after(rows, now) {
      const [added, ...others] = addedSince(rows, now);
      assert.equal(others.length, 0);
      assert.equal(added?.payee_name, 'Greenleaf Market');
      assert.deepEqual(
        added?.subtransactions.map(({ category_name, amount }) => [category_name, amount]),
        Object.entries(receipt),
      );
      assertBalances(rows, now, { Checking: sumOf(Object.values(receipt)) });
      assertLeft(rows, now, receipt);
    },
  },
  {
    question: '8 Move 200 from checking to savings',
    calls: () => [
      {
        tool: 'create_transactions',
        args: {
          transactions: [
            { account_id: 'Checking', date: 'today', amount: -200, payee_name: 'Transfer : Savings' },
          ],
        },
      },
    ],
    expected: (rows) => [
      'Written.',
      `Account "Checking" has ${money(balanceOf(rows, 'Checking') - 200_000)} now.`,
      `Account "Savings" has ${money(balanceOf(rows, 'Savings') + 200_000)} now.`,
    ],
    after(rows, now) {
      const added = addedSince(rows, now).map(({ account_name, amount }) => [account_name, amount]);
      assert.deepEqual(
        new Map(added.map(([name, amount]) => [name, amount])),
        new Map<unknown, unknown>([
          ['Checking', -200_000],
          ['Savings', 200_000],
        ]),
      );
      assert.equal(added.length, 2);
      assertBalances(rows, now, { Checking: -200_000, Savings: 200_000 });
      assertLeft(rows, now, {});
    },
  },
  {
    question: '9 Categorise what has no category',
    before: [
      {
        tool: 'create_transactions',
        args: {
          transactions: [
            { account_id: 'Checking', date: 'today', amount: -7.77, payee_name: 'Riverside Sports Club' },
          ],
        },
      },
    ],
    calls: () => [
      { tool: 'suggest_categories', args: {} },
      {
        tool: 'update_transactions',
        args: (answer) => ({
          transactions: suggestionsIn(answer).map(({ id, category_id }) => ({ id, category_id })),
        }),
      },
    ],
    expected(rows) {
      const open = withoutCategory(rows);
      const sports = rows.transactions.filter(
        ({ payee_name, category_name }) =>
          payee_name === 'Riverside Sports Club' && category_name === 'Sports Club',
      );
      return [
        `${open.length} transactions without a category · sum ${money(amountsOf(open))} · 1 with a suggestion`,
        ...open.map(({ date, amount, payee_name }) => `${date} · ${money(amount)} · ${quoted(payee_name)}`),
        `· "Sports Club" in ${sports.length} of ${sports.length} ·`,
        'Written.',
        ...open.map(
          ({ date, amount, payee_name }) =>
            `${date} · ${money(amount)} · ${quoted(payee_name)} · in "${payee_name === 'Riverside Sports Club' ? 'Sports Club' : 'Groceries'}"`,
        ),
      ];
    },
    after(rows, now) {
      assert.deepEqual(withoutCategory(now), []);
      assert.deepEqual(addedSince(rows, now), []);
      for (const { id, payee_name } of withoutCategory(rows)) {
        const changed = now.transactions.find((each) => each.id === id);
        const expected = payee_name === 'Riverside Sports Club' ? 'Sports Club' : 'Groceries';
        assert.equal(changed?.category_name, expected);
      }
      assertBalances(rows, now, {});
    },
  },
  {
    question: '15 Undo the last thing you logged',
    before: [lunch],
    calls: () => [{ tool: 'undo', args: {} }],
    expected: (rows) => [
      'Undone: create_transactions',
      `deletes transaction ${rows.today} -12.50 "Noodle Lantern"`,
      `Account "Checking" has ${money(balanceOf(rows, 'Checking') + 12_500)} now.`,
      `Category "Eating Out" has ${money(leftIn(rows, 'Eating Out') + 12_500)} left this month.`,
    ],
    after(rows, now) {
      assert.deepEqual(
        addedSince(now, rows).map(({ amount, payee_name }) => [amount, payee_name]),
        [[-12_500, 'Noodle Lantern']],
      );
      assertBalances(rows, now, { Checking: 12_500 });
      assertLeft(rows, now, { 'Eating Out': 12_500 });
    },
  },
  {
    question: '16 Reconcile checking against a balance',
    before: [
      {
        tool: 'create_transactions',
        args: {
          transactions: [
            { account_id: 'Checking', date: 'today', amount: -123.45, payee_name: 'Transfer : Savings' },
          ],
        },
      },
    ],
    calls(rows) {
      const { account, bank } = statementOf(rows);
      const args = { account: account.name, balance: bank / 1000 };
      return [
        { tool: 'reconcile_account', args },
        { tool: 'apply_reconciliation', args },
      ];
    },
    expected(rows) {
      const { account, uncleared, seen, bank } = statementOf(rows);
      const cleared = money(account.cleared_balance);
      return [
        `${quoted(account.name)} · cleared ${cleared} on ${rows.today} · bank ${money(bank)} · difference from the cleared balance ${money(seen.amount)}`,
        `Exactly one set of the ${uncleared.length} uncleared transaction`,
        `  ${seen.date} · ${money(seen.amount)} · ${quoted(seen.payee_name)}`,
        'Written.',
        `The cleared balance on ${rows.today} is ${money(bank)}, as the bank says.`,
      ];
    },
    after(rows, now) {
      const { account, seen, bank } = statementOf(rows);
      assert.equal(named(now.accounts, account.name).cleared_balance, bank);
      const statusOf = ({ transactions }: Rows) =>
        new Map(transactions.map(({ id, cleared }) => [id, cleared]));
      const expected = rows.transactions.map(({ id, cleared, account_id }) => {
        const isReconciled = id === seen.id || (account_id === account.id && cleared === 'cleared');
        return [id, isReconciled ? 'reconciled' : cleared] as const;
      });
      assert.deepEqual(statusOf(now), new Map(expected));
      assertBalances(rows, now, {});
    },
  },
];
