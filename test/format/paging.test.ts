import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BudgetError } from '../../src/errors.ts';
import { type PageRequest, paginate, type Row } from '../../src/format/paging.ts';
import { fuzzRuns } from '../fuzz.ts';

type Order = PageRequest['order'];

const question = 'list_transactions of one budget';
const date = fc.constantFrom('2026-09-30', '2026-11-01', '2026-11-02', '2026-11-20');
/** Few dates, so that many rows share one. */
const rowsWith = (prefix: string) =>
  fc
    .uniqueArray(fc.record({ id: fc.stringMatching(/^[a-f0-9]{1,4}$/), date }), {
      selector: ({ id }) => id,
      maxLength: 20,
    })
    .map((rows) => rows.map((row): Row => ({ ...row, id: `${prefix}-${row.id}` })));
const limit = fc.integer({ min: 1, max: 7 });
const order = fc.constantFrom<Order>('newest first', 'as sent');

/** Follows the cursors to the end; `next` gives the list, and how much of it to ask for, as each page finds them. */
function walk(order: Order, next: (page: number) => { rows: readonly Row[]; limit: number }) {
  const given: Row[] = [];
  let cursor: string | undefined;
  for (let page = 0; ; page += 1) {
    const { rows, limit } = next(page);
    const answer = paginate(rows, { question, order, limit, cursor });
    expect(answer.page.total).toBe(rows.length);
    expect(answer.page.returned).toBe(answer.rows.length);
    expect(answer.rows.length).toBeLessThanOrEqual(limit);
    given.push(...answer.rows);
    if (answer.page.next_cursor === null) return given;
    expect(answer.page.next_cursor).not.toBe(cursor);
    cursor = answer.page.next_cursor;
  }
}

const byDayThenId = (a: Row, b: Row) =>
  String(b['date']).localeCompare(String(a['date'])) || (String(a['id']) < String(b['id']) ? -1 : 1);

const cursorOf = (rows: readonly Row[], order: Order = 'newest first') =>
  paginate(rows, { question, order, limit: 1 }).page.next_cursor ?? '';

function codeOf(request: () => unknown): string | undefined {
  try {
    request();
  } catch (error) {
    if (error instanceof BudgetError) return error.code;
    throw error;
  }
  return undefined;
}

const two: readonly Row[] = [
  { id: 'a', date: '2026-11-02' },
  { id: 'b', date: '2026-11-01' },
];

describe('the pages of a list', () => {
  it('are the whole list when they are put together, newest first and by id within a day', () => {
    fc.assert(
      fc.property(rowsWith('row'), fc.array(limit, { minLength: 1 }), (rows, limits) => {
        const given = walk('newest first', (page) => ({ rows, limit: limits[page % limits.length] ?? 1 }));
        expect(given).toEqual(rows.toSorted(byDayThenId));
      }),
    );
  });

  it('keep the order as sent where that is the order', () => {
    fc.assert(
      fc.property(rowsWith('row'), limit, (rows, limit) => {
        expect(walk('as sent', () => ({ rows, limit }))).toEqual(rows);
      }),
    );
  });

  it('do not depend on the order in which the service sent transactions', () => {
    fc.assert(
      fc.property(rowsWith('row'), limit, (rows, limit) => {
        const request = { question, order: 'newest first', limit } as const;
        expect(paginate(rows.toReversed(), request)).toEqual(paginate(rows, request));
      }),
    );
  });

  it('are one page, without a cursor, for a list that fits exactly', () => {
    expect(paginate(two, { question, order: 'newest first', limit: 2 })).toEqual({
      rows: two,
      page: { total: 2, returned: 2, next_cursor: null },
    });
  });

  it('are one empty page for an empty list', () => {
    expect(paginate([], { question, order: 'as sent', limit: 5 })).toEqual({
      rows: [],
      page: { total: 0, returned: 0, next_cursor: null },
    });
  });

  it('follow the month where rows have no id', () => {
    const rows = ['2026-09-01', '2026-10-01', '2026-11-01'].map((month): Row => ({ month }));
    expect(walk('as sent', () => ({ rows, limit: 1 }))).toEqual(rows);
  });
});

describe('a walk through a list that changes between pages', () => {
  interface Change {
    readonly gone: readonly number[];
    readonly more: number;
    readonly limit: number;
  }
  const change: fc.Arbitrary<Change> = fc.record({
    gone: fc.array(fc.nat(), { maxLength: 4 }),
    more: fc.nat({ max: 5 }),
    limit,
  });

  /** The list as it stands at each page: from one to the next some rows go and some come, anywhere. */
  function states(rows: readonly Row[], spare: readonly Row[], changes: readonly Change[]) {
    const waiting = [...spare];
    const lists = [rows];
    for (const { gone, more } of changes) {
      const last = lists.at(-1) ?? [];
      const left = last.filter((_, at) => !gone.some((index) => index % last.length === at));
      lists.push([...waiting.splice(0, more), ...left]);
    }
    return lists;
  }

  it('gives no row twice and misses none that stayed the whole time', () => {
    fc.assert(
      fc.property(
        rowsWith('old'),
        rowsWith('new'),
        fc.array(change),
        limit,
        (rows, spare, changes, limit) => {
          const lists = states(rows, spare, changes);
          let seen = 0;
          const given = walk('newest first', (page) => {
            seen = Math.min(page, lists.length - 1);
            return { rows: lists[seen] ?? [], limit: changes[page]?.limit ?? limit };
          });
          const ids = given.map(({ id }) => id);
          expect(new Set(ids).size).toBe(ids.length);
          const stayed = rows.filter((row) => lists.slice(0, seen + 1).every((list) => list.includes(row)));
          expect(stayed.filter(({ id }) => !ids.includes(id))).toEqual([]);
        },
      ),
    );
  });

  it('goes on, as sent, after the row that was given last, wherever that is now', () => {
    const cursor = cursorOf(two, 'as sent');
    const changed = [{ id: 'new' }, { id: 'a' }, { id: 'also new' }, { id: 'b' }];
    expect(paginate(changed, { question, order: 'as sent', limit: 5, cursor }).rows).toEqual([
      { id: 'also new' },
      { id: 'b' },
    ]);
  });

  it('says so, as sent, where the row that was given last is gone', () => {
    const request = { question, order: 'as sent', limit: 5, cursor: cursorOf(two, 'as sent') } as const;
    expect(codeOf(() => paginate([{ id: 'b' }], request))).toBe('invalid_cursor');
  });
});

describe('a cursor', () => {
  const use = (cursor: string, changed?: Partial<PageRequest>) =>
    codeOf(() => paginate(two, { question, order: 'newest first', limit: 1, cursor, ...changed }));

  it('serves its own question with any limit', () => {
    expect(use(cursorOf(two), { limit: 7 })).toBeUndefined();
  });

  it('is refused for any other question', () => {
    fc.assert(
      fc.property(fc.string(), order, (other, order) => {
        fc.pre(other !== question);
        expect(use(cursorOf(two), { question: other, order })).toBe('invalid_cursor');
      }),
    );
  });

  it('is refused with any one character changed, missing or added', () => {
    const cursor = cursorOf(two);
    const character = fc.oneof(fc.constantFrom(...'AZaz09-_.= '), fc.string({ minLength: 1, maxLength: 1 }));
    const place = fc.nat({ max: cursor.length });
    fc.assert(
      fc.property(place, fc.nat({ max: 1 }), fc.oneof(character, fc.constant('')), (at, replaced, put) => {
        const spoilt = cursor.slice(0, at) + put + cursor.slice(at + replaced);
        fc.pre(spoilt !== cursor);
        expect(use(spoilt)).toBe('invalid_cursor');
      }),
      { numRuns: fuzzRuns(300) },
    );
  });

  it.each(['', '.', 'nonsense', 'W10.', 'null', '{"offset":50}'])('is refused when it is %j', (cursor) => {
    expect(use(cursor)).toBe('invalid_cursor');
  });
});
