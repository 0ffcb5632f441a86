import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { isInternalCategory, isPaymentCategory } from '../../../src/model/bookkeeping/own-categories.ts';
import { listAccounts } from '../../../src/operations/accounts.ts';
import { getMonth, listMonths } from '../../../src/operations/months.ts';
import {
  createCategory,
  createCategoryGroup,
  updateCategory,
} from '../../../src/service/ledger/categories.ts';
import { addScheduled } from '../../../src/service/ledger/scheduled-transactions.ts';
import { addTransaction } from '../../../src/service/ledger/transactions.ts';
import { NO_FAULT, UNANSWERED } from '../../faulty-proxy.helper.ts';
import { hostOf } from '../../mcp/connected.helper.ts';
import { startHolding } from '../../session/holding.helper.ts';

/** The fields of structured content that these tests use. */
const answer = z.looseObject({
  since: z.string(),
  until: z.string(),
  total: z.number(),
  periods: z.array(z.looseObject({ period: z.string(), total: z.number(), income: z.number().optional() })),
  rows: z.array(z.looseObject({ id: z.string().nullable(), name: z.string(), amounts: z.array(z.number()) })),
});

/** A host of a server whose budget is the household of the embedded service, on 2026-11-21. */
async function started(...[options, serviceOptions]: Parameters<typeof startHolding>) {
  const service = await startHolding(options, serviceOptions);
  const host = await hostOf(service);
  // After `listTools`, the client validates structured content against the output schemas.
  await host.listTools();
  const report = async (args: object) => {
    const { content, structuredContent, isError } = await host.callTool({
      name: 'report',
      arguments: { ...args },
    });
    const text = content.map((each) => (each.type === 'text' ? each.text : '')).join('\n');
    return { text, isError, structuredContent };
  };
  /** The structured content of a report that succeeds. */
  const dataOf = async (args: object) => answer.parse((await report(args)).structuredContent);
  return { ...service, report, dataOf };
}

/** With more than two years of transactions. Otherwise there are two months. */
const LONG = { transactions: 2_000 };

const thousandths = (units: number) => Math.round(units * 1000);

describe('the figures of report', () => {
  it('a cell by category and month is minus the activity of the category in that month', async () => {
    const { dataOf, direct, ledger } = await started({}, LONG);
    const service = direct(ledger.id);
    const { rows, periods } = await dataOf({
      of: 'spending',
      by: 'category',
      monthly: true,
      since: '2026-01',
      top: 1000,
    });
    expect(periods).toHaveLength(11);
    for (const [column, { period }] of periods.entries()) {
      const { categories } = (await service.data(getMonth, { month: `${period}-01` })).month;
      const spent = categories.filter(
        (each) => each.activity !== 0 && !isInternalCategory(each) && !isPaymentCategory(each),
      );
      const found = rows.filter(({ id, amounts }) => id !== null && amounts[column] !== 0);
      expect(
        Object.fromEntries(found.map(({ id, amounts }) => [id, thousandths(amounts[column] ?? 0)])),
      ).toEqual(Object.fromEntries(spent.map(({ id, activity }) => [id, -activity])));
    }
  });

  it('the income of each month is the one that the service shows, starting balances included', async () => {
    const { dataOf, direct, ledger } = await started({}, LONG);
    const { months } = await direct(ledger.id).data(listMonths);
    const { periods } = await dataOf({ of: 'both', monthly: true, since: '2024-12' });
    expect(periods).toHaveLength(24);
    for (const { period, income = 0 } of periods)
      expect(thousandths(income)).toBe(months.find(({ month }) => month.startsWith(period))?.income);
    const [first] = (await dataOf({ of: 'both', monthly: true, since: '2001-01' })).periods;
    const year = months.filter(({ month }) => month.startsWith(first?.period ?? ''));
    expect(thousandths(first?.income ?? 0)).toBe(year.reduce((sum, { income }) => sum + income, 0));
    expect(year.some(({ income }) => income > 10_000_000)).toBe(true);
  });

  it('the net worth of today is the sum of the balances of all accounts, and that by account lists them', async () => {
    const { dataOf, direct, ledger } = await started();
    const { accounts } = await direct(ledger.id).data(listAccounts);
    const { total, rows } = await dataOf({ of: 'net_worth', by: 'account' });
    expect(thousandths(total)).toBe(accounts.reduce((sum, { balance }) => sum + balance, 0));
    expect(Object.fromEntries(rows.map(({ id, amounts }) => [id, thousandths(amounts[0] ?? 0)]))).toEqual(
      Object.fromEntries(accounts.flatMap(({ id, balance }) => (balance === 0 ? [] : [[id, balance]]))),
    );
  });

  it('a scheduled transaction counts in nothing', async () => {
    const { report, ledger, clock } = await started();
    const figures = async () => {
      const [spending, worth] = [await report({ of: 'spending' }), await report({ of: 'net_worth' })];
      return [spending, worth].map(({ text }) => text.split('\n')[0]);
    };
    const before = await figures();
    ledger.commit((state) => {
      const [account] = state.accounts.keys();
      addScheduled(state, {
        account_id: account ?? '',
        date: '2026-11-22',
        amount: -99_000,
        flag_color: null,
        payee_id: null,
        category_id: null,
        frequency: 'never',
        legs: [],
      });
    });
    clock.advance(3_600_000);
    expect(await figures()).toEqual(before);
  });

  it('reports cost no request beyond those that load the budget', async () => {
    const { report, asked } = await started();
    asked();
    for (const of of ['spending', 'income', 'both', 'net_worth']) await report({ of, monthly: true });
    expect(asked()).toEqual(['budgets', 'home']);
  });

  it('a budget that is not cached is refused', async () => {
    const { report } = await started({ cacheBytes: 0 });
    const { text, isError } = await report({ of: 'spending' });
    expect(isError).toBe(true);
    expect(text).toContain('needs the whole budget in the cache, and the cache is off');
  });

  it('a budget that is too large for the cache is refused, with that reason', async () => {
    const { report } = await started({ cacheBytes: 1_000 });
    await report({ of: 'spending' });
    expect((await report({ of: 'spending' })).text).toContain('is too large for the cache');
  });

  it('a budget that could not be loaded is refused with the reason, also while the load is not repeated', async () => {
    const { report, faults, asked } = await started();
    faults.push(NO_FAULT, UNANSWERED, UNANSWERED, UNANSWERED);
    expect((await report({ of: 'spending' })).text).toMatch(/^The connection was lost/);
    asked();
    expect((await report({ of: 'spending' })).text).toMatch(/^The connection was lost/);
    expect(asked()).toEqual([]);
  });

  it('a budget that the service lists and does not give is refused with that reason, and no setting is blamed', async () => {
    const { report, faults } = await started();
    faults.push(NO_FAULT, { deliveries: 0, answer: '404' });
    const { text } = await report({ of: 'spending' });
    expect(text).toContain('the service lists the budget and does not give it. The service answered 404.2');
    expect(text).not.toContain('--cache-mb');
  });
});

describe('the rows of report', () => {
  it('rows beyond top are counted and summed in a last line, and the total is that of all', async () => {
    const { report, dataOf } = await started();
    const args = { of: 'spending', by: 'payee', since: '2026-01', until: '2026-10' };
    const all = await dataOf({ ...args, top: 1000 });
    const { text } = await report({ ...args, top: 2 });
    const rest = all.rows.slice(2).reduce((sum, { amounts }) => sum + thousandths(amounts[0] ?? 0), 0);
    const [heading, first, second, more] = text.split('\n');
    expect(heading).toContain(`total ${all.total.toFixed(2)} (`);
    expect([first, second]).toEqual(all.rows.slice(0, 2).map(({ name }) => expect.stringContaining(name)));
    expect(more).toMatch(
      new RegExp(`^${all.rows.length - 2} more: ${(rest / 1000).toFixed(2)}; with cursor 2-`),
    );
  });

  it('spending says how much of it went to tracking accounts, and is silent if nothing did', async () => {
    const { report, dataOf } = await started();
    const args = { of: 'spending', by: 'payee', since: '2024-01' };
    const { rows } = await dataOf({ ...args, top: 1000 });
    const transfers = rows.filter(({ name }) => name.startsWith('Transfer : '));
    const sum = transfers.reduce((sum, { amounts }) => sum + thousandths(amounts[0] ?? 0), 0);
    const ofWhich = `of which ${(sum / 1000).toFixed(2)} to tracking accounts`;
    expect(sum).toBeGreaterThan(0);
    expect((await report(args)).text).toContain(`), ${ofWhich}`);
    expect((await report({ ...args, of: 'both', by: 'none' })).text).toMatch(
      / · spending \d+\.\d\d, of which /,
    );
    expect((await report({ ...args, category: 'Groceries' })).text).not.toContain('tracking');
  });

  it('by default there are 25 rows, or 10 with months as columns', async () => {
    const { dataOf } = await started({}, LONG);
    const args = { of: 'spending', by: 'payee', since: '2026-01' };
    expect((await dataOf(args)).rows).toHaveLength(25);
    expect((await dataOf({ ...args, monthly: true })).rows).toHaveLength(10);
  });

  it('months are columns, with the year where it changes', async () => {
    const { report } = await started({}, LONG);
    const { text } = await report({
      of: 'spending',
      by: 'group',
      monthly: true,
      since: '2025-11',
      until: '2026-02',
    });
    const [heading, columns, all, ...rows] = text.split('\n');
    expect(heading).toContain(' · spending by group · 2025-11 to 2026-02 · total ');
    expect(columns).toBe('group total 2025-11 12 2026-01 02');
    expect(all).toMatch(/^all:( -?\d+\.\d\d){5}$/);
    expect(rows[0]).toMatch(/^"[^"]+"( -?\d+\.\d\d){5}$/);
  });

  it('two categories of one name have their ids, and a name cannot break out of its quotes', async () => {
    const { report, ledger } = await started();
    ledger.commit((state) => {
      const [account] = state.accounts.values();
      for (const name of ['One', 'Two']) {
        const { id: group_id } = createCategoryGroup(state, name);
        const { id } = createCategory(state, { group_id, name: 'Twice\n"total" 0' });
        addTransaction(state, {
          account_id: account?.id ?? '',
          date: '2026-11-20',
          amount: -900_000_000,
          category_id: id,
        });
      }
    });
    const { text } = await report({ of: 'spending', by: 'category' });
    const rows = text.split('\n').slice(1, 3);
    for (const row of rows) expect(row).toMatch(/^"Twice\\n\\"total\\" 0" \([\da-f]{6,}\) 900000\.00/);
    expect(new Set(rows).size).toBe(2);
  });

  it.each([
    ['one column', 'household', { since: '2025-01' }],
    ['months as columns', 'household', { since: '2025-01', monthly: true }],
    ['months of no decimals', 'Japan Trip', { since: '2025-01', monthly: true }],
  ])(
    'a long answer that is asked for is cut to what a host takes, with the sum of the rest: %s',
    async (_, budget, args) => {
      const { report, ledger, other } = await started();
      const book = budget === 'household' ? ledger : other;
      book.commit((state) => {
        const [account] = state.accounts.values();
        const { id: group_id } = createCategoryGroup(state, 'Many');
        for (let at = 0; at < 900; at += 1) {
          const { id } = createCategory(state, { group_id, name: `${at}` });
          addTransaction(state, {
            account_id: account?.id ?? '',
            date: '2025-01-20',
            amount: -1_000,
            category_id: id,
          });
        }
      });
      const { text, structuredContent } = await report({
        budget_id: book.id,
        of: 'spending',
        by: 'category',
        top: 1000,
        ...args,
      });
      expect(countTokens(text)).toBeLessThan(10_000);
      expect(countTokens(JSON.stringify(structuredContent))).toBeLessThan(10_000);
      expect(text).toMatch(/\n\d+ more: -?\d+/);
    },
  );
});

describe('report by pages, by weekday, of words, and against another range', () => {
  it('cursors lead through all rows once, and a cursor of other figures is refused', async () => {
    const { report, dataOf, ledger } = await started();
    const args = { of: 'spending', by: 'payee', since: '2026-01', until: '2026-11' };
    const all = (await dataOf({ ...args, top: 1000 })).rows.map(({ id }) => id);
    const found: unknown[] = [];
    let text = '';
    let cursor: string | undefined;
    do {
      const page: Record<string, unknown> = { ...args, top: 4, ...(cursor !== undefined && { cursor }) };
      found.push(...(await dataOf(page)).rows.map(({ id }) => id));
      text = (await report(page)).text;
      cursor = /; with cursor (\S+)/.exec(text)?.[1];
    } while (cursor !== undefined);
    expect(found).toEqual(all);
    const next = /; with cursor (\S+)/.exec((await report({ ...args, top: 4 })).text)?.[1];
    ledger.commit((state) => {
      const [account] = state.accounts.values();
      const [category] = [...state.categories.values()].filter(({ name }) => name === 'Groceries');
      addTransaction(state, {
        account_id: account?.id ?? '',
        date: '2026-11-20',
        amount: -5_000,
        category_id: category?.id ?? null,
      });
    });
    for (const other of [
      { ...args, by: 'category', cursor: next },
      { ...args, cursor: '4-00000000' },
    ]) {
      const { text, isError } = await report(other);
      expect([isError, text]).toEqual([true, expect.stringContaining('Call again without it.')]);
    }
  });

  it('by weekday, there are seven rows from Monday that add up to the total', async () => {
    const { report, dataOf } = await started();
    const { rows, total } = await dataOf({ of: 'spending', by: 'weekday', since: '2026-10' });
    expect(rows.map(({ name }) => name)).toEqual([
      'Monday',
      'Tuesday',
      'Wednesday',
      'Thursday',
      'Friday',
      'Saturday',
      'Sunday',
    ]);
    const sum = rows.reduce((sum, { amounts }) => sum + thousandths(amounts[0] ?? 0), 0);
    expect(sum).toBe(thousandths(total));
    expect((await report({ of: 'spending', by: 'weekday', since: '2026-10' })).text).toMatch(
      /\nMonday \d+\.\d\d \(\d+\)\nTuesday /,
    );
    const compared = await dataOf({ of: 'spending', by: 'weekday', since: '2026-11', versus: 'previous' });
    expect(compared.rows.map(({ name }) => name)).toEqual(rows.map(({ name }) => name));
    // Most days have no income in both months.
    const income = await dataOf({ of: 'income', by: 'weekday', since: '2026-11', versus: 'previous' });
    expect(income.rows.map(({ name }) => name)).toEqual(rows.map(({ name }) => name));
  });

  it('several categories are summed together, and a single name is taken as a list of one', async () => {
    const { report, dataOf } = await started();
    const args = { of: 'spending', since: '2026-10' };
    const [one, other] = [
      await dataOf({ ...args, category: 'Groceries' }),
      await dataOf({ ...args, category: ['Eating Out'] }),
    ];
    const both = { ...args, category: ['Groceries', 'Eating Out'] };
    expect(thousandths((await dataOf(both)).total)).toBe(thousandths(one.total) + thousandths(other.total));
    expect((await report(both)).text).toContain(' · category "Groceries" · category "Eating Out" · total ');
  });

  it('words limit a report as they limit a search, and names that contain them are mentioned', async () => {
    const { report, dataOf, ledger } = await started();
    const args = { of: 'spending', since: '2026-10', text: 'harvest' };
    const byPayee = await dataOf({ of: 'spending', since: '2026-10', payee: 'Harvest Hall' });
    expect((await dataOf(args)).total).toBe(byPayee.total);
    expect((await report(args)).text).toContain(' · text "harvest" · total ');
    expect((await report(args)).text).not.toContain('of these names');
    ledger.commit((state) => {
      createCategory(state, { group_id: [...state.groups.keys()].at(-1) ?? '', name: 'Harvest festival' });
    });
    await report({ ...args, of: 'net_worth' });
    expect((await report({ ...args, text: 'groceries' })).text).toContain(
      'All transactions of these names count, because the text occurs in them: "Groceries".',
    );
    expect((await report({ ...args, text: 'groceries harvest' })).text).not.toContain('of these names');
  });

  it('against the range before, rows have both amounts and their difference, and rows of either range are there', async () => {
    const { report, dataOf } = await started();
    const args = { of: 'spending', by: 'payee', since: '2026-11-01', until: '2026-11-20' };
    const before = { ...args, since: '2026-10-01', until: '2026-10-20' };
    const [now, earlier] = [await dataOf({ ...args, top: 1000 }), await dataOf({ ...before, top: 1000 })];
    const { text } = await report({ ...args, versus: 'previous', top: 1000 });
    const money = (units: number) => units.toFixed(2);
    expect(text.split('\n')[0]).toContain(` · 2026-10-01 to 2026-10-20: total ${money(earlier.total)} (`);
    expect(text.split('\n')[0]).toMatch(
      new RegExp(` · change ${money((thousandths(now.total) - thousandths(earlier.total)) / 1000)}`),
    );
    const names = new Set([...now.rows, ...earlier.rows].map(({ name }) => name));
    const lines = text.split('\n').filter((line) => line.startsWith('"') || line.startsWith('No payee'));
    expect(lines).toHaveLength(names.size);
    for (const name of names) {
      const amount = (rows: typeof now.rows) =>
        thousandths(rows.find((row) => row.name === name)?.amounts[0] ?? 0);
      const [a, b] = [amount(now.rows), amount(earlier.rows)];
      const cells = [a, b, a - b].map((each) => money(each / 1000)).join(' ');
      expect(lines.find((line) => line.includes(name))).toContain(cells);
    }
  });

  it('against last year, income and spending are those of the same days', async () => {
    const { report, dataOf } = await started({}, LONG);
    const args = { of: 'both', since: '2026-10', until: '2026-10' };
    const earlier = await dataOf({ ...args, since: '2025-10', until: '2025-10' });
    const { text } = await report({ ...args, versus: 'last_year' });
    expect(text).toContain(' · 2025-10: income ');
    expect(text).toContain(`difference ${earlier.total.toFixed(2)} · change `);
  });

  it('a range that was not asked for, and years in place of months, are mentioned', async () => {
    const { report } = await started({}, LONG);
    expect((await report({ of: 'spending' })).text).toContain(
      ' · 2026-11-01 to 2026-11-21 (no dates were given) · ',
    );
    expect((await report({ of: 'spending', since: '2026-11' })).text).not.toContain('no dates');
    expect((await report({ of: 'both', monthly: true, since: '2024-10' })).text).toContain(
      'By year, because the range has more than 24 months.',
    );
  });
});

describe('the arguments of report', () => {
  const cases: readonly (readonly [args: object, message: string])[] = [
    [{ of: 'spending', since: '2026-10', until: '2026-09' }, 'until is before since'],
    [{ of: 'spending', since: '2027-01' }, 'since is in the future: today is 2026-11-21'],
    [{ of: 'spending', until: '2020-12' }, 'There are no transactions before 2026-10-'],
    [{ of: 'income', by: 'category' }, 'use by: payee, account, weekday, flag_color, none'],
    [{ of: 'income', by: 'group' }, 'use by: payee, account, weekday, flag_color, none'],
    [{ of: 'income', category: 'Groceries' }, 'category goes with of: spending only'],
    [{ of: 'both', category: 'Groceries' }, 'category goes with of: spending only'],
    [{ of: 'both', by: 'payee' }, 'of: both takes no by'],
    [{ of: 'net_worth', by: 'category' }, 'use by: account or none'],
    [{ of: 'net_worth', payee: 'Harvest Hall' }, 'leave out payee, text and flag_color'],
    [{ of: 'net_worth', text: 'Harvest' }, 'leave out payee, text and flag_color'],
    [{ of: 'net_worth', versus: 'previous' }, 'leave out versus'],
    [{ of: 'spending', monthly: true, versus: 'previous' }, 'leave out monthly'],
    [{ of: 'spending', text: ' ' }, 'text has no word to search for'],
    [{ of: 'spending', category: [] }, 'category'],
    [{ of: 'spending', account: 'Mortgage' }, '"Mortgage" is a tracking account'],
    [{ of: 'spending', category: 'Inflow: Ready to Assign' }, 'has no spending of its own. Use of: income'],
    [{ of: 'spending', category: 'Credit Card Payments' }, 'has no spending of its own'],
    [{ of: 'spending', category: 'Blue Card' }, 'has no spending of its own'],
    [{ of: 'spending', category: 'No such thing' }, 'there is no category or group "No such thing"'],
    [{ of: 'spending', top: 0 }, 'top'],
    [{ of: 'wealth' }, 'of'],
  ];
  it('arguments that cannot be answered are refused, with the way to go on', async () => {
    const { report } = await started();
    for (const [args, message] of cases) {
      const { text, isError } = await report(args);
      expect({ args, isError, text }).toEqual({
        args,
        isError: true,
        text: expect.stringContaining(message),
      });
    }
  });

  it('a category, a group, a payee and an account are taken by name and repeated in the first line', async () => {
    const { report } = await started();
    const first = async (args: object) => (await report({ of: 'spending', since: '2026-01', ...args })).text;
    expect(await first({ category: 'groceries' })).toContain(' · category "Groceries" · total ');
    expect(await first({ category: 'everyday' })).toContain(' · category group "Everyday" · total ');
    expect(await first({ payee: 'harvest hall' })).toContain(' · payee "Harvest Hall" · total ');
    expect(await first({ account: 'checking' })).toContain(' · account "Checking" · total ');
  });

  it('a closed account and a hidden category are taken by their exact names', async () => {
    const { report, ledger } = await started();
    ledger.commit((state) => {
      const groceries = [...state.categories.values()].find(({ name }) => name === 'Groceries');
      updateCategory(state, groceries?.id ?? '', { hidden: true });
    });
    expect((await report({ of: 'spending', category: 'Groceries' })).text).toContain('category "Groceries"');
    expect((await report({ of: 'net_worth', account: 'Old Savings', since: '2024-11' })).text).toContain(
      'account "Old Savings"',
    );
  });

  it('a range that begins before the first transaction says when that was', async () => {
    const { report, dataOf } = await started({}, LONG);
    const { text } = await report({ of: 'income', since: '2001-01' });
    expect(text).toMatch(/ · income · \d{4}-\d\d-01 to 2026-11-21 · /);
    expect(text).toMatch(/\nThe first transaction is of \d{4}-\d\d-\d\d\.\n/);
    const { since, until } = await dataOf({ of: 'income', since: '2026-01', until: '2026-12' });
    expect([since, until]).toEqual(['2026-01-01', '2026-11-21']);
  });

  it('more than 24 months are years', async () => {
    const { dataOf } = await started({}, LONG);
    const { periods } = await dataOf({ of: 'both', monthly: true, since: '2024-10' });
    expect(periods.map(({ period }) => period)).toEqual(['2024', '2025', '2026']);
  });

  it('a budget in yen has whole numbers', async () => {
    const { report, other } = await started();
    const { text } = await report({
      budget_id: other.summary().name,
      of: 'spending',
      by: 'category',
      since: '2026-09',
    });
    expect(text).toContain('(JPY) · spending by category');
    expect(text).toMatch(/\n"Lodging" 60000 \(2\)\n/);
  });
});

describe('questions about the demo budget', () => {
  const questions: readonly (readonly [question: string, args: object])[] = [
    [
      'how much for groceries last month',
      { of: 'spending', category: 'Groceries', since: '2026-10', until: '2026-10' },
    ],
    ['spending by category, six months', { of: 'spending', by: 'category', monthly: true, since: '2026-06' }],
    [
      'how much and how often at one payee this year',
      { of: 'spending', payee: 'Harvest Hall', since: '2026-01' },
    ],
    ['net worth by month, a year', { of: 'net_worth', monthly: true }],
    ['income against spending by month', { of: 'both', monthly: true }],
  ];
  it('one answer of at most 600 tokens answers each question', async () => {
    const { report } = await started({}, LONG);
    for (const [question, args] of questions) {
      const { text, isError } = await report(args);
      expect(isError, text).toBeFalsy();
      expect(countTokens(text), question).toBeLessThanOrEqual(600);
    }
  });
});
