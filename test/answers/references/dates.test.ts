/** What people call days, months and years, in every argument that is a date. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { dateForms, resolveDates } from '../../../src/answers/references/dates.ts';
import { date, month, rangeEnd, rangeStart } from '../../../src/base/schema/fields.ts';
import type { ValueKind } from '../../../src/base/schema/meaning.ts';
import { catalogue } from '../../../src/features/catalogue.ts';
import { schemasOf } from '../../../src/mcp/tool-schemas.ts';
import { createTransactions } from '../../../src/operations/transaction-writes.ts';

const TODAY = '2026-03-31';

const argumentsOfDates = z.object({
  date: date.optional(),
  since: rangeStart.optional(),
  until: rangeEnd.optional(),
  month: month.optional(),
});

const resolve = (args: Record<string, string>, today = TODAY) =>
  resolveDates(argumentsOfDates, args, today, () => {});

/** Whether a host may give this text. */
const isTaken = (kind: ValueKind, text: string) => dateForms.get(kind)?.safeParse(text).success;

const lists = catalogue.filter(
  ({ kind, input }) => kind === 'read' && ('since_date' in input.shape || 'since' in input.shape),
);

it.each(lists.map((tool) => [tool.name, tool] as const))(
  '%s takes last month as its first day',
  (_, tool) => {
    const name = 'since' in tool.input.shape ? 'since' : 'since_date';
    const all = { account_id: 'a', category_id: 'c', payee_id: 'p', month: 'last month', of: 'spending' };
    const others = Object.fromEntries(Object.entries(all).filter(([each]) => each in tool.input.shape));
    const { own } = schemasOf(tool).parse({ ...others, [name]: 'last month' });
    expect(resolveDates(tool.input, own, TODAY, () => {})[name]).toBe('2026-02-01');
  },
);

describe('the words of a range', () => {
  it.each([
    ['2026', '2026-01-01', '2026-12-31'],
    ['2024-02', '2024-02-01', '2024-02-29'],
    ['today', '2026-03-31', '2026-03-31'],
    ['Yesterday', '2026-03-30', '2026-03-30'],
    ['tomorrow', '2026-04-01', '2026-04-01'],
    ['current', '2026-03-01', '2026-03-31'],
    ['this month', '2026-03-01', '2026-03-31'],
    ['last_month', '2026-02-01', '2026-02-28'],
    ['next month', '2026-04-01', '2026-04-30'],
    ['last year', '2025-01-01', '2025-12-31'],
    ['10 days ago', '2026-03-21', '2026-03-21'],
    ['2 weeks ago', '2026-03-17', '2026-03-17'],
    ['a month ago', '2026-02-28', '2026-02-28'],
    ['3 months ago', '2025-12-31', '2025-12-31'],
    ['2 years ago', '2024-03-31', '2024-03-31'],
  ])('"%s" begins on %s and ends on %s', (text, since, until) => {
    expect(isTaken('range_start', text)).toBe(true);
    expect(isTaken('range_end', text)).toBe(true);
    expect(resolve({ since: text, until: text })).toEqual({ since, until });
  });

  it.each(['2026-13', '2026-02-30', '26', '2026-1', 'last week', 'months ago', '3 months', 'someday', ''])(
    '"%s" is refused',
    (text) => {
      for (const kind of dateForms.keys()) expect(isTaken(kind, text)).toBe(false);
    },
  );
});

it('a month is the first day of a range at its start, and the last day at its end', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1_970, max: 2_200 }), fc.integer({ min: 1, max: 12 }), (year, number) => {
      const name = `${year}-${String(number).padStart(2, '0')}`;
      const { since, until } = resolve({ since: name, until: name });
      expect(since).toBe(`${name}-01`);
      const dayAfter = new Date(Date.parse(`${until}`) + 86_400_000);
      expect(until).toMatch(name);
      expect(dayAfter.getUTCDate()).toBe(1);
    }),
  );
});

it('a day takes words that mean one day, and is never the first one of a longer time', () => {
  expect(resolve({ date: '3 days ago' })).toEqual({ date: '2026-03-28' });
  expect(isTaken('date', '3 days ago')).toBe(true);
  for (const text of ['2026-11', '2026', 'last month']) expect(isTaken('date', text)).toBe(false);
});

it('a month takes words that mean one month', () => {
  expect(resolve({ month: 'current' })).toEqual({ month: '2026-03-01' });
  expect(resolve({ month: 'last month' })).toEqual({ month: '2026-02-01' });
  expect(isTaken('month', '2026')).toBe(false);
});

it('which words mean anything does not depend on the day', () => {
  const texts = fc.constantFrom(
    'last month',
    'a month ago',
    '13 months ago',
    '1 year ago',
    'next year',
    '2026',
  );
  const days = fc.date({ min: new Date('1970-01-01'), max: new Date('2200-01-01'), noInvalidDate: true });
  fc.assert(
    fc.property(texts, days, (text, day) => {
      const { since, until } = resolve({ since: text, until: text }, day.toISOString().slice(0, 10));
      expect(date.safeParse(since).success && date.safeParse(until).success).toBe(true);
    }),
  );
});

it('a text that is no date keeps its words, and only words are mentioned', () => {
  const transaction = { date: 'today', memo: 'today', payee_name: '2026-11' };
  const mentioned: string[] = [];
  const note = (words: string, meant: string) => mentioned.push(`${words}: ${meant}`);
  const transactions = [transaction, { ...transaction, date: '2026-03-01' }];
  expect(resolveDates(createTransactions.input, { transactions }, TODAY, note)).toEqual({
    transactions: [{ ...transaction, date: TODAY }, transactions[1]],
  });
  expect(mentioned).toEqual([`today: ${TODAY}`]);
});
