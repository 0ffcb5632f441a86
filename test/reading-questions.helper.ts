/** Questions that only read. Names are used as a user would say them. */
import {
  incomeIn,
  isOnBudget,
  monthBefore,
  named,
  netWorthAfter,
  type Rows,
  spendingIn,
  subscriptions,
  sumOf,
  thisMonth,
  toTrackingAccounts,
  userCategories,
} from './budget-rows.helper.ts';
import { amountsOf, money, type Question, quoted } from './question.helper.ts';

const aboutInMarch = (rows: Rows) => {
  const march = Array.from({ length: 12 }, (_, ago) => monthBefore(rows.today, ago + 1)).find((month) =>
    month.endsWith('-03'),
  );
  if (march === undefined) throw new Error('A year has a March.');
  const payments = rows.transactions.filter(
    ({ date, amount, transfer_account_id }) =>
      date.startsWith(march) && amount < -50_000 && transfer_account_id === null,
  );
  const about = Math.round(Math.abs(payments[0]?.amount ?? 0) / 1000);
  const isAbout = ({ amount }: { readonly amount: number }) =>
    Math.abs(amount) >= (about - 1) * 1000 && Math.abs(amount) <= (about + 1) * 1000;
  const found = rows.transactions
    .filter(({ date }) => date.startsWith(march))
    .flatMap((row) => {
      const legs = row.subtransactions.filter(isAbout);
      if (isAbout(row)) return [{ ...row, found: row.amount }];
      return legs.length > 0 ? [{ ...row, found: amountsOf(legs) }] : [];
    });
  return { march, about, found };
};

/** The transactions of this year with a payee. */
const ofPayee = (rows: Rows, payee: string) =>
  rows.transactions.filter(
    ({ date, payee_name, account_id }) =>
      date.startsWith(rows.today.slice(0, 4)) && payee_name === payee && isOnBudget(rows, account_id),
  );

export const readingQuestions: readonly Question[] = [
  {
    question: '1 How much for groceries last month',
    calls: ({ today }) => {
      const month = monthBefore(today, 1);
      return [
        {
          tool: 'report',
          args: { of: 'spending', category: 'Groceries', since: month, until: month },
        },
      ];
    },
    expected({ today, months }) {
      const before = monthBefore(today, 1);
      const [month] = months.filter((each) => each.month.startsWith(before));
      const spent = named(month ? spendingIn(month) : [], 'Groceries').amount;
      return [before, 'category "Groceries"', `total ${money(spent)} (`];
    },
  },
  {
    question: '2 Spending by category, six months',
    calls: ({ today }) => [
      {
        tool: 'report',
        args: { of: 'spending', by: 'category', monthly: true, since: monthBefore(today, 5) },
      },
    ],
    expected({ months }) {
      const last = months.slice(-6).map(spendingIn);
      const names = [...new Set(last.flat().map(({ name }) => name))];
      const cells = (rows: readonly { readonly name: string }[]) => {
        const own = new Set(rows.map(({ name }) => name));
        const amounts = last.map((month) => amountsOf(month.filter(({ name }) => own.has(name))));
        return [sumOf(amounts), ...amounts].map(money).join(' ');
      };
      const rows = names
        .map((name) => ({ name, total: amountsOf(last.flat().filter((each) => each.name === name)) }))
        .toSorted((a, b) => b.total - a.total);
      return [
        `total ${money(amountsOf(last.flat()))} (`,
        `all: ${cells(rows)}`,
        ...rows.slice(0, 10).map((row) => `${quoted(row.name)} ${cells([row])}`),
        ` more: ${cells(rows.slice(10))}`,
      ];
    },
  },
  {
    question: '4 How much, how often at one payee this year',
    calls: ({ today }) => [
      {
        tool: 'report',
        args: { of: 'spending', payee: 'Greenleaf Market', since: `${today.slice(0, 4)}-01` },
      },
    ],
    expected(rows) {
      const found = ofPayee(rows, 'Greenleaf Market');
      return [
        'payee "Greenleaf Market"',
        `total ${money(0 - amountsOf(found))} (${found.length} transaction`,
      ];
    },
  },
  {
    question: '5 What are my subscriptions',
    calls: () => [{ tool: 'list_recurring', args: {} }],
    expected(rows) {
      const found = subscriptions(rows).filter(({ name }) => !name.startsWith('Transfer : '));
      named(found, 'Cumulus Storage');
      return found.map(
        ({ name, amount }) => `${quoted(name)} ${money(amount)} monthly ${money(12 * amount)} `,
      );
    },
  },
  {
    question: '10 Find about 54 somewhere in March',
    calls(rows) {
      const { march, about } = aboutInMarch(rows);
      return [
        {
          tool: 'find_transactions',
          args: { min_amount: about - 1, max_amount: about + 1, since: march, until: march },
        },
      ];
    },
    expected(rows) {
      const { found } = aboutInMarch(rows);
      return [
        `${found.length} transactions`,
        `sum ${money(sumOf(found.map((each) => each.found)))}`,
        ...found.map(({ date, amount, payee_name }) => `${date} · ${money(amount)} · ${quoted(payee_name)}`),
      ];
    },
  },
  {
    question: '11 Net worth by month, a year',
    calls: () => [{ tool: 'report', args: { of: 'net_worth', monthly: true } }],
    expected: (rows) =>
      rows.months.map(({ month }) => {
        const { owned, owed, net } = netWorthAfter(rows, month.slice(0, 7));
        return `${month.slice(0, 7)} ${money(owned)} ${money(owed)} ${money(net)}`;
      }),
  },
  {
    question: '12 Income against spending by month',
    calls: () => [{ tool: 'report', args: { of: 'both', monthly: true } }],
    expected(rows) {
      const months = rows.months.map((month) => {
        const [income, spending] = [incomeIn(rows, month.month.slice(0, 7)), amountsOf(spendingIn(month))];
        return { month, income, spending };
      });
      const [income, spending] = [
        sumOf(months.map((each) => each.income)),
        sumOf(months.map((each) => each.spending)),
      ];
      return [
        `income ${money(income)} · spending ${money(spending)}, of which ${money(toTrackingAccounts(rows))} to tracking accounts · difference ${money(income - spending)}`,
        ...months.map(
          ({ month: { month }, income, spending }) =>
            `${month.slice(0, 7)} ${money(income)} ${money(spending)} ${money(income - spending)}`,
        ),
      ];
    },
  },
  {
    question: '13 Can I afford 300 for shoes',
    calls: () => [
      { tool: 'check_month', args: {} },
      { tool: 'get_month_category', args: { month: 'current', category_id: 'Clothing' } },
    ],
    expected(rows) {
      const month = thisMonth(rows);
      const clothing = named(month.categories, 'Clothing');
      const soon = rows.scheduled.filter(
        ({ amount, transfer_account_id, frequency, date_next }) =>
          amount < 0 &&
          transfer_account_id === null &&
          ['monthly', 'never'].includes(frequency) &&
          date_next.startsWith(rows.today.slice(0, 7)),
      );
      return [
        `left ${money(clothing.balance)}`,
        `to be assigned ${money(month.to_be_budgeted)}`,
        ...soon.map(({ date_next, amount }) => `${date_next} · ${money(amount)} · `),
      ];
    },
  },
  {
    question: '14 Am I on track for my goals',
    calls: () => [{ tool: 'check_month', args: {} }],
    expected(rows) {
      const goals = userCategories(thisMonth(rows)).filter(
        ({ goal_type, hidden }) => goal_type !== null && !hidden,
      );
      const lacking = goals.flatMap(({ name, goal_under_funded }) =>
        goal_under_funded !== null && goal_under_funded > 0 ? [{ name, amount: goal_under_funded }] : [],
      );
      if (lacking.length === 0) return [`Underfunded: none of ${goals.length} goals.`];
      return [
        `Underfunded: ${lacking.length} of ${goals.length} goals lack`,
        ` ${money(amountsOf(lacking))}: `,
        ...lacking.map(({ name, amount }) => `${quoted(name)} ${money(amount)}`),
      ];
    },
  },
];
