/**
 * Questions that people ask about their budget, each to a fresh program with a fresh budget. The table names the calls that
 * answer a question, and computes from the rows of the service what the answer has to contain. A new entry needs nothing else.
 */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { connectModern } from '../hosts.helper.ts';
import { Household } from '../household.helper.ts';

const MAX_CALLS = 2;
const MAX_TOKENS = 600;

interface Question {
  readonly question: string;
  /** The tools with their arguments, in order. */
  readonly calls: readonly (readonly [tool: string, args?: Readonly<Record<string, unknown>>])[];
  /** What the answers have to contain, by the rows of the service from before the calls. */
  expected(rows: Rows): readonly string[];
}

const categorySchema = z.looseObject({
  name: z.string(),
  category_group_name: z.string(),
  hidden: z.boolean(),
  balance: z.int(),
  goal_type: z.string().nullable(),
  goal_under_funded: z.int().nullable(),
});
const accountSchema = z.looseObject({
  id: z.string(),
  name: z.string(),
  on_budget: z.boolean(),
  balance: z.int(),
});
const transactionSchema = z.looseObject({
  id: z.string(),
  date: z.string(),
  amount: z.int(),
  approved: z.boolean(),
  account_id: z.string(),
  payee_name: z.string().nullable(),
  category_id: z.string().nullable(),
  transfer_account_id: z.string().nullable(),
});
const scheduledSchema = z.looseObject({
  date_next: z.string(),
  frequency: z.string(),
  amount: z.int(),
  transfer_account_id: z.string().nullable(),
});
const rowsSchema = z.object({
  today: z.string(),
  month: z.looseObject({ to_be_budgeted: z.int(), categories: z.array(categorySchema) }),
  accounts: z.array(accountSchema),
  transactions: z.array(transactionSchema),
  scheduled: z.array(scheduledSchema),
});

type Rows = z.output<typeof rowsSchema>;

async function readRows(home: Household): Promise<Rows> {
  return rowsSchema.parse({
    today: home.today,
    month: (await home.get('months/current'))?.['month'],
    accounts: (await home.get('accounts'))?.['accounts'],
    transactions: (await home.get('transactions?since_date=2000-01-01'))?.['transactions'],
    scheduled: (await home.get('scheduled_transactions'))?.['scheduled_transactions'],
  });
}

const money = (milliunits: number) => (milliunits / 1000).toFixed(2);
const total = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + amount, 0);

const userCategories = ({ month }: Rows) =>
  month.categories.filter(({ category_group_name }) => category_group_name !== 'Internal Master Category');

const onBudget = ({ accounts }: Rows, id: string | null) =>
  accounts.some((account) => account.id === id && account.on_budget);

/** Payees with exactly one payment of the same amount in each of the last eleven full months. */
function subscriptions({
  transactions,
  today,
}: Rows): readonly { readonly name: string; readonly amount: number }[] {
  const month = (ago: number) => {
    const date = new Date(`${today.slice(0, 7)}-15`);
    date.setUTCMonth(date.getUTCMonth() - ago);
    return date.toISOString().slice(0, 7);
  };
  const months = Array.from({ length: 11 }, (_, at) => month(at + 1));
  const payments = transactions.filter(({ amount, payee_name }) => amount < 0 && payee_name !== null);
  const names = new Set(payments.map(({ payee_name }) => payee_name ?? ''));
  return [...names].flatMap((name) => {
    const own = payments.filter(({ payee_name }) => payee_name === name);
    const [last] = own.toSorted((a, b) => (a.date < b.date ? 1 : -1));
    const isMonthly = months.every((each) => {
      const [only, another] = own.filter(({ date }) => date.startsWith(each));
      return only?.amount === last?.amount && !another;
    });
    return last && isMonthly ? [{ name, amount: -last.amount }] : [];
  });
}

const questions: readonly Question[] = [
  {
    question: '3 What is overspent',
    calls: [['check_month']],
    expected(rows) {
      const overspent = userCategories(rows).filter(({ balance }) => balance < 0);
      if (overspent.length === 0) return ['Overspent: none.'];
      return [
        `Overspent: ${overspent.length} categor`,
        ` ${money(-total(overspent.map(({ balance }) => balance)))}: `,
        ...overspent.map(({ name, balance }) => `${JSON.stringify(name)} ${money(-balance)}`),
      ];
    },
  },
  {
    question: '5 What are my subscriptions',
    calls: [['list_recurring']],
    expected(rows) {
      const found = subscriptions(rows).filter(({ name }) => !name.startsWith('Transfer : '));
      expect(found.map(({ name }) => name)).toContain('Cumulus Storage');
      return found.map(
        ({ name, amount }) =>
          `${JSON.stringify(name)} ${money(amount)} monthly · ${money(12 * amount)} a year`,
      );
    },
  },
  {
    question: '9 Categorise what has no category',
    calls: [['suggest_categories']],
    expected(rows) {
      const open = rows.transactions.filter(
        ({ category_id, account_id, transfer_account_id }) =>
          category_id === null && onBudget(rows, account_id) && !onBudget(rows, transfer_account_id),
      );
      if (open.length === 0) return ['0 transactions without a category'];
      return [
        `${open.length} transactions without a category`,
        `sum ${money(total(open.map(({ amount }) => amount)))}`,
        ...open.map(
          ({ date, amount, payee_name }) => `${date} · ${money(amount)} · ${JSON.stringify(payee_name)}`,
        ),
      ];
    },
  },
  {
    question: '13 Can I afford 300 for shoes',
    calls: [['check_month']],
    expected(rows) {
      const clothing = userCategories(rows).find(({ name }) => name === 'Clothing') ?? expect.unreachable();
      const soon = rows.scheduled.filter(
        ({ amount, transfer_account_id, frequency, date_next }) =>
          amount < 0 &&
          transfer_account_id === null &&
          ['monthly', 'never'].includes(frequency) &&
          date_next.startsWith(rows.today.slice(0, 7)),
      );
      return [
        ...(clothing.balance > 0 ? [`"Clothing" ${money(clothing.balance)}`] : []),
        `to be assigned ${money(rows.month.to_be_budgeted)}`,
        ...soon.map(({ date_next, amount }) => `${date_next} · ${money(amount)} · `),
      ];
    },
  },
  {
    question: '14 Am I on track for my goals',
    calls: [['check_month']],
    expected(rows) {
      const goals = userCategories(rows).filter(({ goal_type, hidden }) => goal_type !== null && !hidden);
      const lacking = goals.filter(({ goal_under_funded }) => (goal_under_funded ?? 0) > 0);
      if (lacking.length === 0) return [`Underfunded: none of ${goals.length} goals.`];
      return [
        `Underfunded: ${lacking.length} of ${goals.length} goals lack`,
        ` ${money(total(lacking.map((each) => each.goal_under_funded ?? 0)))}: `,
        ...lacking.map((each) => `${JSON.stringify(each.name)} ${money(each.goal_under_funded ?? 0)}`),
      ];
    },
  },
];

test.each(questions)(
  `the answer to $question is right, in at most ${MAX_CALLS} calls of at most ${MAX_TOKENS} tokens`,
  async ({ calls, expected }) => {
    const home = await Household.start();
    const host = await connectModern({ args: ['serve'], env: home.env() });
    try {
      const rows = await readRows(home);
      const answers: string[] = [];
      for (const [tool, args = {}] of calls) {
        const { text, isError } = await host.call(tool, args);
        expect(isError, text).toBe(false);
        answers.push(text);
      }
      expect(calls.length).toBeLessThanOrEqual(MAX_CALLS);
      for (const text of answers) expect(countTokens(text), text).toBeLessThanOrEqual(MAX_TOKENS);
      for (const figure of expected(rows)) expect(answers.join('\n')).toContain(figure);
    } finally {
      await host.close();
      await home.close();
    }
  },
);
