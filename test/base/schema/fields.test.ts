import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { budgetId, clearable, date, id, milliunits, month, typed } from '../../../src/base/schema/fields.ts';

const messageOf = (result: ReturnType<typeof date.safeParse>) => result.error?.issues[0]?.message;

describe('a date', () => {
  test.each(['2026-11-21', '2024-02-29', '2000-02-29', '2026-12-31', '0001-01-01'])(
    'a date can be %s',
    (day) => {
      expect(date.parse(day)).toBe(day);
    },
  );

  test.each([
    '2026-02-30',
    '2026-02-29',
    '1900-02-29',
    '2026-04-31',
    '2026-13-01',
    '2026-00-10',
    '2026-11-00',
  ])('a date cannot be %s, because that day does not exist', (day) =>
    expect(messageOf(date.safeParse(day))).toBe('must be a day that exists'),
  );

  test.each(['2026-2-3', '20261121', '2026-11-21T00:00:00Z', ' 2026-11-21', '2026-11-21\n', 'today', ''])(
    'a date cannot be written as %j',
    (day) => expect(messageOf(date.safeParse(day))).toBe('must be a date written YYYY-MM-DD'),
  );

  test('every day that exists is a date and stays unchanged', () => {
    const days = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(days, (moment) => {
        const day = moment.toISOString().slice(0, 10);
        expect(date.parse(day)).toBe(day);
      }),
    );
  });
});

describe('a month', () => {
  test.each([
    ['2026-11', '2026-11-01'],
    ['2026-11-01', '2026-11-01'],
    ['2024-02', '2024-02-01'],
    ['current', 'current'],
  ])('the month %s is sent as %s', (given, sent) => {
    expect(month.parse(given)).toBe(sent);
  });

  test.each(['2026-13', '2026-00', '2026-13-01'])(
    'a month cannot be %s, because it does not exist',
    (given) => {
      expect(month.safeParse(given).error?.issues[0]?.message).toBe('must be a month that exists');
    },
  );

  test.each(['2026-11-15', '2026-1', '2026', 'November', 'Current', '2026-11\n', ''])(
    'a month cannot be written as %j',
    (given) => {
      expect(month.safeParse(given).error?.issues[0]?.message).toContain('must be a month written YYYY-MM');
    },
  );
});

describe('an id', () => {
  test.each(['5b3f1a6e-9d0c-4a52-8f6e-0a1b2c3d4e5f', '5b3f1a6e-9d0c-4a52-8f6e-0a1b2c3d4e5f_2026-11-21'])(
    'an id can be %s',
    (given) => expect(id.parse(given)).toBe(given),
  );

  test.each(['', '.', '..', 'a/b', 'a?b', 'a b', 'a%2fb', 'a\n', 'Groceries \u{1f6d2}'])(
    'an id cannot be %j',
    (given) => expect(id.safeParse(given).success).toBe(false),
  );
});

describe('a budget', () => {
  test.each(['5b3f1a6e-9d0c-4a52-8f6e-0a1b2c3d4e5f', 'Japan Trip', 'last-used', undefined])(
    'a budget can be %j',
    (given) => expect(budgetId.parse(given)).toBe(given),
  );

  test('a budget cannot be an empty name', () => {
    expect(budgetId.safeParse('').error?.issues[0]?.message).toBe('must be an id or a name, or be left out');
  });
});

describe('typed text', () => {
  test.each(['', 'x'.repeat(200), '🥐'.repeat(200), '\u05e9\u05dc\u05d5\u05dd'])(
    'typed text stays unchanged: %j',
    (given) => {
      expect(typed(200).parse(given)).toBe(given);
    },
  );

  test.each(['x'.repeat(201), '🥐'.repeat(201)])(
    'typed text of more than 200 characters is refused: %j',
    (given) => {
      expect(typed(200).safeParse(given).error?.issues[0]?.message).toBe('must have at most 200 characters');
    },
  );
});

test('a field that can be cleared distinguishes null from an omitted field', () => {
  const schema = z.object({ memo: clearable(typed(500)) });
  expect(schema.parse({ memo: null })).toEqual({ memo: null });
  expect(schema.parse({})).toEqual({});
});

test.each([
  ['an id', id],
  ['a date', date],
  ['a month', month],
  ['a budget', budgetId],
  ['typed text', typed(200)],
])('the schema of %s advertises a plain string, and its rule is only in the error message', (_, field) => {
  const { $schema: _dialect, ...advertised } = z.toJSONSchema(field, { io: 'input' });
  expect(advertised).toEqual({ type: 'string' });
});

describe('milliunits', () => {
  test.each([0, -12_340, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER])(
    'an amount in milliunits can be %d',
    (amount) => {
      expect(milliunits.parse(amount)).toBe(amount);
    },
  );

  test.each([0.5, 2 ** 53, -(2 ** 53), 1e21, Number.NaN, Number.POSITIVE_INFINITY, '1'])(
    'an amount in milliunits cannot be %j',
    (amount) => expect(milliunits.safeParse(amount).success).toBe(false),
  );
});
