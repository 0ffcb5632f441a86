import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fittingRows, shownName } from '../../src/tools/view-texts.ts';
import { forbidden, hostileText } from '../hostile-texts.helper.ts';

it('a name in a view has no invisible characters and at most 200 characters', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      expect(shownName(text)).not.toMatch(forbidden);
    }),
  );
  expect(shownName('x'.repeat(10_000))).toBe(`${'x'.repeat(200)}…`);
  expect(shownName('💶'.repeat(10_000))).toBe(`${'💶'.repeat(200)}…`);
  expect(shownName('memo', 3)).toBe('mem…');
});

it('as many rows are taken as fit', () => {
  const rows = ['aaa', 'bbb', 'ccc'];
  expect(fittingRows(rows, 18)).toEqual(rows);
  expect(fittingRows(rows, 17)).toEqual(['aaa', 'bbb']);
  expect(fittingRows(rows, 0)).toEqual([]);
});
