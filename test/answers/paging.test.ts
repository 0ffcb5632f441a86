import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Row } from '../../src/answers/fit-rows.ts';
import { type List, type PageRequest, paginate } from '../../src/answers/paging.ts';
import { BudgetError } from '../../src/base/errors.ts';
import { fuzzRuns } from '../fuzz.helper.ts';
import { dollarContext } from './format-row.helper.ts';

type Order = List['order'];

/** A page of a list whose rows are not formatted. */
function pageOf(rows: readonly Row[], { order, ...request }: PageRequest & { readonly order: Order }) {
  const { rows: shown, next_cursor } = paginate({ rows, order, format: () => '' }, request, dollarContext());
  return { rows: shown, next_cursor };
}

const query = 'list_transactions of one budget';
const date = fc.constantFrom('2026-09-30', '2026-11-01', '2026-11-02', '2026-11-20');
const byDayThenId = (a: Row, b: Row) =>
  String(b['date']).localeCompare(String(a['date'])) || (String(a['id']) < String(b['id']) ? -1 : 1);

/** Newest first. Few dates, so that many rows share one. */
const rowsWith = (prefix: string) =>
  fc
    .uniqueArray(fc.record({ id: fc.stringMatching(/^[a-f0-9]{1,4}$/), date }), {
      selector: ({ id }) => id,
      maxLength: 20,
    })
    .map((rows) => rows.map((row): Row => ({ ...row, id: `${prefix}-${row.id}` })).sort(byDayThenId));
const limit = fc.integer({ min: 1, max: 7 });
const order = fc.constantFrom<Order>('newest first', 'as sent');

/** Follows the cursors to the end. `next` returns the list and the limit for each page. */
function walk(order: Order, next: (page: number) => { rows: readonly Row[]; limit: number }) {
  const returned: Row[] = [];
  let cursor: string | undefined;
  for (let page = 0; ; page += 1) {
    const { rows, limit } = next(page);
    const result = pageOf(rows, { query, order, limit, cursor });
    expect(result.rows.length).toBeLessThanOrEqual(limit);
    returned.push(...result.rows);
    if (result.next_cursor === null) return returned;
    expect(result.next_cursor).not.toBe(cursor);
    cursor = result.next_cursor;
  }
}

const cursorOf = (rows: readonly Row[], order: Order = 'newest first') =>
  pageOf(rows, { query, order, limit: 1 }).next_cursor ?? '';

function codeOf(request: () => unknown): string | undefined {
  try {
    request();
  } catch (error) {
    if (error instanceof BudgetError) return error.code;
    throw error;
  }
  return undefined;
}

const twoRows: readonly Row[] = [
  { id: 'a', date: '2026-11-02' },
  { id: 'b', date: '2026-11-01' },
];

describe('pages of a list', () => {
  it('all pages together are the whole list', () => {
    fc.assert(
      fc.property(rowsWith('row'), fc.array(limit, { minLength: 1 }), (rows, limits) => {
        const returned = walk('newest first', (page) => ({ rows, limit: limits[page % limits.length] ?? 1 }));
        expect(returned).toEqual(rows);
      }),
    );
  });

  it('planned transactions are paged by their next date', () => {
    fc.assert(
      fc.property(rowsWith('row'), limit, (newestFirst, limit) => {
        const rows = newestFirst
          .map(({ date, id }): Row => ({ date_next: date, id }))
          .sort((a, b) => byDayThenId({ ...a, date: b['date_next'] }, { ...b, date: a['date_next'] }));
        expect(walk('soonest first', () => ({ rows, limit }))).toEqual(rows);
      }),
    );
  });

  it('the order as sent is kept', () => {
    fc.assert(
      fc.property(rowsWith('row'), limit, (rows, limit) => {
        expect(walk('as sent', () => ({ rows, limit }))).toEqual(rows);
      }),
    );
  });

  it('a list that fits one page exactly has no cursor', () => {
    expect(pageOf(twoRows, { query, order: 'newest first', limit: 2 })).toEqual({
      rows: twoRows,
      next_cursor: null,
    });
  });

  it('an empty list has one empty page', () => {
    expect(pageOf([], { query, order: 'as sent', limit: 5 })).toEqual({
      rows: [],
      next_cursor: null,
    });
  });

  it('rows without an id are paged by month', () => {
    const rows = ['2026-09-01', '2026-10-01', '2026-11-01'].map((month): Row => ({ month }));
    expect(walk('as sent', () => ({ rows, limit: 1 }))).toEqual(rows);
  });
});

describe('lists that change between pages', () => {
  interface Change {
    readonly removed: readonly number[];
    readonly added: number;
    readonly limit: number;
  }
  const change: fc.Arbitrary<Change> = fc.record({
    removed: fc.array(fc.nat(), { maxLength: 4 }),
    added: fc.nat({ max: 5 }),
    limit,
  });

  /** The list at each page. Between two pages some rows are removed and some are added, at any position. */
  function states(rows: readonly Row[], newRows: readonly Row[], changes: readonly Change[]) {
    const remaining = [...newRows];
    const lists = [rows];
    for (const { removed, added } of changes) {
      const last = lists.at(-1) ?? [];
      const kept = last.filter((_, at) => !removed.some((index) => index % last.length === at));
      lists.push([...remaining.splice(0, added), ...kept].sort(byDayThenId));
    }
    return lists;
  }

  it('paging returns no row twice and every row that stays in the list', () => {
    fc.assert(
      fc.property(
        rowsWith('old'),
        rowsWith('new'),
        fc.array(change),
        limit,
        (rows, newRows, changes, limit) => {
          const lists = states(rows, newRows, changes);
          let lastPage = 0;
          const returned = walk('newest first', (page) => {
            lastPage = Math.min(page, lists.length - 1);
            return { rows: lists[lastPage] ?? [], limit: changes[page]?.limit ?? limit };
          });
          const ids = returned.map(({ id }) => id);
          expect(new Set(ids).size).toBe(ids.length);
          const stayed = rows.filter((row) =>
            lists.slice(0, lastPage + 1).every((list) => list.includes(row)),
          );
          expect(stayed.filter(({ id }) => !ids.includes(id))).toEqual([]);
        },
      ),
    );
  });

  it('in the order as sent, the next page starts after the last returned row, wherever it is now', () => {
    const cursor = cursorOf(twoRows, 'as sent');
    const changed = [{ id: 'new' }, { id: 'a' }, { id: 'also new' }, { id: 'b' }];
    expect(pageOf(changed, { query, order: 'as sent', limit: 5, cursor }).rows).toEqual([
      { id: 'also new' },
      { id: 'b' },
    ]);
  });

  it('in the order as sent, a cursor is refused when its row is no longer in the list', () => {
    const request = { query, order: 'as sent', limit: 5, cursor: cursorOf(twoRows, 'as sent') } as const;
    expect(codeOf(() => pageOf([{ id: 'b' }], request))).toBe('invalid_cursor');
  });
});

describe('cursors', () => {
  const use = (cursor: string, changed?: Partial<PageRequest> & { readonly order?: Order }) =>
    codeOf(() => pageOf(twoRows, { query, order: 'newest first', limit: 1, cursor, ...changed }));

  it('a cursor is accepted for its own query with any limit', () => {
    expect(use(cursorOf(twoRows), { limit: 7 })).toBeUndefined();
  });

  it('a cursor has at most 24 characters', () => {
    const id = '5f3a9c21-0b1d-4e77-9a6c-2f1f0f3d9b10_2026-11-18';
    const rows = [
      { id, date: '1899-12-31' },
      { id: 'b', date: '1899-12-30' },
    ];
    expect(cursorOf(rows).length).toBeLessThanOrEqual(24);
  });

  it('a cursor is refused for any other query', () => {
    fc.assert(
      fc.property(fc.string(), order, (otherQuery, order) => {
        fc.pre(otherQuery !== query);
        expect(use(cursorOf(twoRows), { query: otherQuery, order })).toBe('invalid_cursor');
      }),
    );
  });

  it('a cursor is refused with any character changed, missing or added', () => {
    const cursor = cursorOf(twoRows);
    const character = fc.oneof(fc.constantFrom(...'AZaz09-_.= '), fc.string({ minLength: 1, maxLength: 1 }));
    const position = fc.nat({ max: cursor.length });
    fc.assert(
      fc.property(
        position,
        fc.nat({ max: 1 }),
        fc.oneof(character, fc.constant('')),
        (at, replaced, inserted) => {
          const changedCursor = cursor.slice(0, at) + inserted + cursor.slice(at + replaced);
          fc.pre(changedCursor !== cursor);
          expect(use(changedCursor)).toBe('invalid_cursor');
        },
      ),
      { numRuns: fuzzRuns(300) },
    );
  });

  it.each(['', '.', 'nonsense', 'W10.', 'null', '{"offset":50}'])(
    'the invalid cursor %j is refused',
    (cursor) => {
      expect(use(cursor)).toBe('invalid_cursor');
    },
  );
});
