import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NewestFirstList } from '../../../src/model/replica/newest-first.ts';
import { fuzzRuns } from '../../fuzz.helper.ts';

interface Row {
  readonly id: string;
  readonly date: string;
  readonly memo: number;
}

const days = ['2026-01-30', '2026-01-31', '2026-02-01', '2026-02-28', '2026-03-01'];
const edits = fc.array(
  fc.record({
    id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
    date: fc.constantFrom(...days),
    isDeleted: fc.boolean(),
    isRead: fc.boolean(),
  }),
  { maxLength: 30 },
);

const inOrder = (rows: Iterable<Row>) =>
  [...rows].sort((a, b) => b.date.localeCompare(a.date) || a.id.localeCompare(b.id));

describe('lists in order', () => {
  it('after any changes the rows equal a new sort, and returned arrays never change', () => {
    fc.assert(
      fc.property(edits, (all) => {
        const list = new NewestFirstList<Row>();
        const model = new Map<string, Row>();
        const returned: [readonly Row[], readonly Row[]][] = [];
        all.forEach(({ id, date, isDeleted, isRead }, memo) => {
          const after = isDeleted ? undefined : { id, date, memo };
          list.replace(id, model.get(id), after);
          if (after) model.set(id, after);
          else model.delete(id);
          if (isRead) returned.push([list.rows, inOrder(model.values())]);
        });
        expect(list.size).toBe(model.size);
        expect(list.rows).toEqual(inOrder(model.values()));
        for (const [rows, expected] of returned) expect(rows).toEqual(expected);
      }),
      { numRuns: fuzzRuns(300) },
    );
  });

  it('all of 100,000 rows can change at once, as when a payee with most transactions is renamed', () => {
    const before = Array.from({ length: 100_000 }, (_, at) => ({
      id: String(at).padStart(6, '0'),
      date: '2026-01-30',
      memo: 0,
    }));
    const list = new NewestFirstList<Row>(before);
    for (const row of before) list.replace(row.id, row, { ...row, memo: 1 });
    expect(list.rows.length).toBe(before.length);
    expect(list.rows.every(({ id, memo }, at) => id === before[at]?.id && memo === 1)).toBe(true);
  });

  const rows = inOrder(days.map((date, memo) => ({ id: `${memo}`, date, memo })));
  const dates = (found: readonly Row[]) => found.map(({ date }) => date);

  it('rows are found from one date to another, including both', () => {
    const list = new NewestFirstList(rows);
    expect(dates(list.between('2026-02-28', undefined))).toEqual(['2026-03-01', '2026-02-28']);
    expect(dates(list.between('2026-01-31', '2026-02-28'))).toEqual([
      '2026-02-28',
      '2026-02-01',
      '2026-01-31',
    ]);
    expect(dates(list.between(undefined, '2026-01-30'))).toEqual(
      dates(rows).filter((date) => date <= '2026-01-30'),
    );
    expect(list.between(undefined, undefined)).toEqual(rows);
    expect(list.between('2027-01-01', undefined)).toEqual([]);
    expect(list.between('2026-02-28', '2026-01-31')).toEqual([]);
  });

  it('rows are found within a month, from its first to its last day', () => {
    expect(dates(new NewestFirstList(rows).within('2026-02-01'))).toEqual(['2026-02-28', '2026-02-01']);
    expect(dates(new NewestFirstList(rows).within('2026-01-01'))).toEqual(['2026-01-31', '2026-01-30']);
    expect(new NewestFirstList(rows).within('2025-12-01')).toEqual([]);
  });
});
