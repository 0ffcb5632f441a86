import { expect, it } from 'vitest';
import { compareSoonestFirst } from '../../../src/model/replica/scheduled-transaction-table.ts';

it('scheduled transactions are ordered by their next date, and by id within a day', () => {
  const rows = [
    { id: 'a', date_next: '2026-03-01' },
    { id: 'c', date_next: '2026-02-01' },
    { id: 'b', date_next: '2026-02-01' },
    { id: 'd', date_next: '2026-01-31' },
  ];
  expect(rows.toSorted(compareSoonestFirst).map(({ id }) => id)).toEqual(['d', 'b', 'c', 'a']);
});
