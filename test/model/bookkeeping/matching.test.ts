import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  equalEntriesOf,
  ignoredFields,
  matches,
  matchesCreated,
  matchesImported,
  matchOneToOne,
  possibleDuplicatesOf,
} from '../../../src/model/bookkeeping/matching.ts';
import { fuzzRuns } from '../../fuzz.helper.ts';

const SENT = { account_id: 'a', date: '2026-11-21', amount: -4_500, payee_name: 'Café' };
/** The transaction that the service creates from it. */
const FOUND = {
  id: 't-1',
  account_id: 'a',
  date: '2026-11-21',
  amount: -4_500,
  memo: null,
  cleared: 'uncleared',
  approved: false,
  flag_color: null,
  payee_id: 'p',
  payee_name: 'Café',
  category_id: null,
  matched_transaction_id: null,
  import_id: null,
  subtransactions: [],
  deleted: false,
};
const LEGS = [{ amount: -4_000 }, { amount: -500 }];
const SPLIT = { ...FOUND, category_id: 'split', subtransactions: [{ amount: -500 }, { amount: -4_000 }] };
const NO_PAYEE = { payee_id: null, payee_name: null };

describe('a created transaction', () => {
  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['as it was sent', {}, {}],
    ["with a payee's name in other capitals", { payee_name: ' CAFÉ ' }, {}],
    ['with an accent that Unicode writes in two ways', { payee_name: 'Cafe\u0301' }, {}],
    [
      'with a memo that the service stored in another Unicode form',
      { memo: 'Cafe\u0301 ' },
      { memo: 'Café' },
    ],
    ['without a payee', { payee_name: undefined }, NO_PAYEE],
    ['with a blank name, which is no payee', { payee_name: '  ' }, NO_PAYEE],
    ['with an id of a payee, which counts more than the name', { payee_id: 'p', payee_name: 'Other' }, {}],
    ['with an empty memo and flag', { memo: '', flag_color: '' }, {}],
    ['with an empty flag in the answer', {}, { flag_color: '' }],
    ['with a category that the service ignored', { category_id: 'c' }, {}],
    ['with a category that the user did not give', {}, { category_id: 'c' }],
    ['as a split', { subtransactions: LEGS }, SPLIT],
    ['as a split with a category, which it cannot have', { subtransactions: LEGS, category_id: 'c' }, SPLIT],
    [
      'as a split to another account, which it cannot be',
      { payee_id: 'to-savings', payee_name: undefined, subtransactions: LEGS },
      { ...SPLIT, ...NO_PAYEE },
    ],
    [
      'matched to an import, which filled in empty fields',
      { payee_name: undefined },
      { import_id: 'i', matched_transaction_id: 'm', memo: 'Bank', cleared: 'cleared', approved: true },
    ],
  ])('a created transaction is recognised %s', (_, sent, found) => {
    expect(matchesCreated({ ...SENT, ...sent }, { ...FOUND, ...found })).toBe(true);
  });

  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['another account', {}, { account_id: 'b' }],
    ['another date', {}, { date: '2026-11-20' }],
    ['another amount', {}, { amount: -4_501 }],
    ['another payee', {}, { payee_name: 'Cafeteria' }],
    ['a payee although none was sent', { payee_name: '' }, {}],
    ['another category', { category_id: 'c' }, { category_id: 'd' }],
    ['a memo although none was sent', {}, { memo: 'Coffee' }],
    ['a flag although none was sent', {}, { flag_color: 'red' }],
    ['another cleared state', {}, { cleared: 'cleared' }],
    ['another approval', {}, { approved: true }],
    ['an import that is not matched to it', {}, { import_id: 'i' }],
    ['other legs', { subtransactions: LEGS }, { ...SPLIT, subtransactions: [{ amount: -4_500 }] }],
    ['legs where none were given', {}, SPLIT],
    ['no legs where some were given', { subtransactions: LEGS }, {}],
    ['a tombstone', {}, { deleted: true }],
    ['no payee where one was given', { payee_id: 'p', payee_name: undefined }, NO_PAYEE],
    ['no memo where one was given', { memo: 'Coffee' }, {}],
    ['another state than was given', { cleared: 'cleared' }, {}],
    ['another approval than was given', { approved: true }, {}],
    [
      'legs of other amounts',
      { subtransactions: LEGS },
      { ...SPLIT, subtransactions: [{ amount: -4_100 }, { amount: -400 }] },
    ],
    [
      'no memo where one was given for a split without a payee',
      { payee_name: undefined, subtransactions: LEGS, memo: 'Coffee' },
      { ...SPLIT, ...NO_PAYEE },
    ],
  ])('a created transaction is not mistaken for one with %s', (_, sent, found) => {
    expect(matchesCreated({ ...SENT, ...sent }, { ...FOUND, ...found })).toBe(false);
  });

  test('an import matches by import id and account alone, because it may be matched to an older entry', () => {
    const sent = { ...SENT, import_id: 'i' };
    expect(matchesImported(sent, { ...FOUND, import_id: 'i', date: '2026-11-15', memo: 'Typed' })).toBe(true);
    expect(matchesImported(sent, { ...FOUND, import_id: 'i', account_id: 'b' })).toBe(false);
    expect(matchesImported(sent, { ...FOUND, import_id: 'j' })).toBe(false);
    expect(matchesImported(sent, { ...FOUND, import_id: 'i', deleted: true })).toBe(false);
  });
});

describe('an updated entity', () => {
  test('an updated entity matches if it has all sent fields, whatever its other fields are', () => {
    expect(matches({ memo: 'Changed', approved: true }, { ...FOUND, memo: 'Changed', approved: true })).toBe(
      true,
    );
    expect(matches({ memo: 'Changed', approved: true }, { ...FOUND, memo: 'Changed' })).toBe(false);
  });

  test('an updated entity matches if a field was removed', () => {
    expect(matches({ memo: null, payee_id: null }, { ...FOUND, payee_id: null })).toBe(true);
    expect(matches({ memo: null }, { ...FOUND, memo: 'Still there' })).toBe(false);
    expect(matches({ approved: false, payee_id: null }, FOUND)).toBe(false);
    expect(matches({ memo: null }, {})).toBe(true);
  });

  test('an updated entity matches if a payee name was sent and the payee id removed', () => {
    expect(matches({ payee_id: null, payee_name: 'Café' }, FOUND)).toBe(true);
  });

  test('an updated split matches although it keeps its date, amount, category and legs', () => {
    const sent = { date: '2026-11-01', amount: 1, category_id: 'c', subtransactions: [{ amount: 1 }] };
    expect(matches({ ...sent, memo: 'New' }, { ...SPLIT, memo: 'New' })).toBe(true);
    expect(matches({ ...sent, memo: 'New' }, SPLIT)).toBe(false);
    expect(matches(sent, FOUND)).toBe(false);
  });

  test('an updated split matches although it does not become a transfer', () => {
    const split = { ...SPLIT, payee_id: null, memo: 'New' };
    expect(matches({ payee_id: 'to-savings', memo: 'New' }, split)).toBe(true);
    expect(matches({ payee_id: 'to-savings', memo: 'New' }, { ...split, payee_id: 'p' })).toBe(false);
  });

  test('an updated entity matches if only ignored fields differ, but not if all fields differ', () => {
    const found = { ...FOUND, memo: 'New' };
    expect(matches({ category_id: 'c', memo: 'New' }, found)).toBe(false);
    expect(matches({ category_id: 'c', memo: 'New' }, found, ['category_id'])).toBe(true);
    expect(matches({ category_id: 'c' }, found, ['category_id'])).toBe(false);
    expect(matches({ amount: -1 }, SPLIT)).toBe(false);
  });

  test('an updated entity that was deleted does not match', () => {
    expect(matches({}, { ...FOUND, deleted: true })).toBe(false);
  });

  test('every entity matches itself', () => {
    const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
    void fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...Object.keys(FOUND)), value), (fields) => {
        const { deleted: _, ...row } = fields;
        expect(matches(row, row)).toBe(true);
      }),
    );
  });
});

describe('matching one to one', () => {
  const numbers = fc.array(fc.nat(5), { maxLength: 6 });
  /** The indexes in `found` that match each row in `sent`. */
  const puzzle = fc.tuple(numbers, numbers, fc.array(fc.tuple(fc.nat(5), fc.nat(5))));

  const isPossible = (
    sent: readonly number[],
    found: readonly number[],
    fits: (a: number, b: number) => boolean,
  ): boolean => {
    const [first, ...rest] = sent;
    if (first === undefined) return true;
    return found.some((each, at) => fits(first, each) && isPossible(rest, found.toSpliced(at, 1), fits));
  };

  test('matching one to one finds a different row for every sent row exactly if that is possible', () => {
    void fc.assert(
      fc.property(puzzle, ([sent, found, edges]) => {
        const fits = (a: number, b: number) => a === b || edges.some(([x, y]) => x === a && y === b);
        const rows = found.map((n, at) => ({ n, at }));
        const pairs = matchOneToOne(
          sent.map((n) => ({ n })),
          rows,
          (a, b) => fits(Number(a['n']), Number(b['n'])),
        );
        expect(pairs !== undefined).toBe(isPossible(sent, found, fits));
        if (!pairs) return;
        expect(pairs).toHaveLength(sent.length);
        expect(new Set(pairs).size).toBe(pairs.length);
        for (const [at, each] of pairs.entries()) expect(fits(sent[at] ?? -1, each.n)).toBe(true);
      }),
      { numRuns: fuzzRuns(300) },
    );
  });

  test('a sent row that matches several rows makes room for one that matches fewer, over any number of steps', () => {
    const fitting = (fits: Readonly<Record<string, string>>, found: string) =>
      matchOneToOne(
        Object.keys(fits).map((name) => ({ name })),
        [...found].map((id) => ({ id })),
        ({ name }, { id }) => fits[String(name)]?.includes(id) ?? false,
      )?.map(({ id }) => id);
    expect(fitting({ one: 'ab', other: 'a' }, 'ab')).toEqual(['b', 'a']);
    expect(fitting({ one: 'ab', other: 'bc', third: 'a' }, 'abc')).toEqual(['b', 'c', 'a']);
    expect(fitting({ one: 'ab', other: 'ab', third: 'ab' }, 'abc')).toBeUndefined();
    expect(fitting({ one: 'ab', other: 'ab', third: 'b' }, 'abc')).toBeUndefined();
    expect(fitting({ one: 'a', other: 'a' }, 'a')).toBeUndefined();
  });

  test('matching one to one assigns equal rows in their order', () => {
    const found = ['t-1', 't-2', 't-3'].map((id) => ({ ...FOUND, id }));
    expect(matchOneToOne([SENT, SENT], found, matchesCreated)?.map(({ id }) => id)).toEqual(['t-1', 't-2']);
    expect(matchOneToOne([SENT, SENT], found.slice(0, 1), matchesCreated)).toBeUndefined();
  });

  test('matching one to one of a thousand equal rows is fast', () => {
    const rows = Array.from({ length: 1_000 }, (_, at) => ({ ...FOUND, id: `t-${at}` }));
    expect(
      matchOneToOne(
        rows.map(() => SENT),
        rows,
        matchesCreated,
      ),
    ).toHaveLength(1_000);
  });
});

describe('fields that the service did not store', () => {
  test.each<[string, Record<string, unknown>, Record<string, unknown>, string[]]>([
    ['none if all fields were stored', SENT, FOUND, []],
    ['the category of a transfer', { category_id: 'c' }, FOUND, ['category_id']],
    ['the amount of a split', { amount: -1, memo: null }, SPLIT, ['amount']],
    [
      'none for a scheduled transaction, whose date is stored as its next date',
      { date: '2026-12-01' },
      { date_next: '2026-12-01' },
      [],
    ],
    [
      'the date of a scheduled transaction, without its stored memo',
      { date: '2026-12-01', memo: 'x' },
      { date_next: '2026-12-02', memo: 'x' },
      ['date'],
    ],
    ['none if the name is blank', { payee_name: ' ' }, FOUND, []],
    ['the date of a scheduled transaction', { date: '2026-12-01' }, { date_next: '2026-12-02' }, ['date']],
    [
      'none if a payee name was sent with a stored payee id',
      { payee_id: 'p', payee_name: 'Other' },
      FOUND,
      [],
    ],
    [
      'none if a stored payee name was sent with the payee id null',
      { payee_id: null, payee_name: 'Café' },
      FOUND,
      [],
    ],
    ['none if the field was not sent', { memo: undefined }, { memo: 'Kept' }, []],
    ['none if responses do not have the field', { goal: 1 }, FOUND, []],
  ])('the ignored fields are %s', (_, sent, found, ignored) => {
    expect(ignoredFields(sent, found)).toEqual(ignored);
  });
});

describe('possible duplicates', () => {
  test('the possible duplicates are the rows that equal a written one, without the written and the deleted rows', () => {
    const duplicate = { ...FOUND, id: 't-2' };
    const others = [
      FOUND,
      duplicate,
      { ...FOUND, id: 't-3', memo: 'x' },
      { ...FOUND, id: 't-4', deleted: true },
    ];
    expect(possibleDuplicatesOf([FOUND], others)).toEqual(['t-2']);
    expect(possibleDuplicatesOf([FOUND, duplicate], others)).toEqual([]);
    expect(possibleDuplicatesOf([{ ...FOUND, id: 't-5', memo: 'y' }, FOUND], others)).toEqual(['t-2']);
  });

  test('equal entries have the account, date, amount and payee of a written one, whatever else they have', () => {
    const others = [
      FOUND,
      { ...FOUND, id: 't-2', memo: 'x', cleared: 'cleared' },
      ...['account_id', 'date', 'amount', 'payee_id'].map((name) => ({
        ...FOUND,
        id: name,
        [name]: 'other',
      })),
    ];
    expect(equalEntriesOf([FOUND], others)).toEqual(['t-2']);
    expect(equalEntriesOf([], others)).toEqual([]);
  });

  test('possible duplicates of an account have its name and balance, those of a scheduled transaction its date', () => {
    const account = { id: 'a-1', name: 'Pocket', type: 'cash', balance: 5_000 };
    const plan = { ...FOUND, id: 's-1', date: undefined, date_next: '2026-12-01', frequency: 'never' };
    const changed = [account, plan, FOUND];
    expect(possibleDuplicatesOf([{ ...account, id: 'a-2' }], changed)).toEqual(['a-1']);
    expect(possibleDuplicatesOf([{ ...account, id: 'a-2', balance: 0 }], changed)).toEqual([]);
    expect(possibleDuplicatesOf([{ ...plan, id: 's-2' }], changed)).toEqual(['s-1']);
    expect(possibleDuplicatesOf([{ ...plan, id: 's-2', date_next: '2027-12-01' }], changed)).toEqual([]);
  });
});
