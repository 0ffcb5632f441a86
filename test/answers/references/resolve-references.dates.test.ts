/** `today` and `yesterday` stand for dates in every argument that is a date. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { z } from 'zod';
import {
  dateOrWord,
  dateWordsOn,
  dayOrMonth,
  resolveDates,
} from '../../../src/answers/references/resolve-references.ts';
import { rangeEnd, rangeStart } from '../../../src/base/schema/fields.ts';
import { catalogue } from '../../../src/features/catalogue.ts';
import { schemasOf } from '../../../src/mcp/tool-schemas.ts';
import { createTransactions } from '../../../src/operations/transaction-writes.ts';

const words = dateWordsOn('2026-11-23');

const lists = catalogue.filter(({ input }) => 'since_date' in input.shape);

it.each(lists.map((tool) => [tool.name, tool] as const))(
  '%s takes today and yesterday as the first and the last day',
  (_, tool) => {
    const targets = { account_id: 'a', category_id: 'c', payee_id: 'p', month: '2026-11' };
    const others = Object.fromEntries(Object.entries(targets).filter(([name]) => name in tool.input.shape));
    const { own } = schemasOf(tool).parse({ ...others, since_date: 'yesterday', until_date: 'today' });
    expect(resolveDates(tool.input, own, words)).toMatchObject({
      since_date: '2026-11-22',
      until_date: '2026-11-23',
    });
  },
);

const range = z.strictObject({ since: rangeStart.optional(), until: rangeEnd.optional() });

it('a month is the first day of a range at its start, and the last day at its end', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1_970, max: 2_200 }), fc.integer({ min: 1, max: 12 }), (year, number) => {
      const month = `${year}-${String(number).padStart(2, '0')}`;
      const { since, until } = range.parse(resolveDates(range, { since: month, until: month }, words));
      expect(since).toBe(`${month}-01`);
      const dayAfter = new Date(Date.parse(`${until}`) + 86_400_000);
      expect(until).toMatch(month);
      expect(dayAfter.getUTCDate()).toBe(1);
    }),
  );
});

it('a range takes days and words as they are, and refuses what is neither', () => {
  expect(resolveDates(range, { since: 'yesterday', until: '2026-11-05' }, words)).toEqual({
    since: '2026-11-22',
    until: '2026-11-05',
  });
  for (const accepted of ['2026-11', '2026-11-05', 'today'])
    expect(dayOrMonth.parse(accepted)).toBe(accepted);
  for (const refused of ['2026-13', '2026-02-30', '2026', 'now', '2026-1'])
    expect(dayOrMonth.safeParse(refused).success).toBe(false);
});

it('a date takes days and words, and says what is wrong with anything else', () => {
  const problems = (value: string) => dateOrWord.safeParse(value).error?.issues.map(({ message }) => message);
  for (const accepted of ['2026-11-05', 'today', 'yesterday']) expect(problems(accepted)).toBeUndefined();
  expect(problems('2026-02-30')).toEqual(['must be a day that exists']);
  expect(problems('2026-11')).toEqual(['must be a date written YYYY-MM-DD']);
});

it('a text that is no date keeps its words', () => {
  const transaction = { date: 'today', memo: 'today', payee_name: '2026-11' };
  expect(resolveDates(createTransactions.input, { transactions: [transaction] }, words)).toEqual({
    transactions: [{ ...transaction, date: '2026-11-23' }],
  });
});
