import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fittingRows, shownFormat, shownName } from '../../src/answers/view-texts.ts';
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

it('a format of amounts has no marks of direction, which would turn digits around, and no long symbol', () => {
  const format = {
    decimal_digits: 2,
    decimal_separator: '.\u202e',
    group_separator: '\u00a0',
    symbol_first: true,
    currency_symbol: '\u202e$',
    display_symbol: true,
  };
  expect(shownFormat(format)).toEqual({ ...format, decimal_separator: '.', currency_symbol: '$' });
  expect(shownFormat({ ...format, currency_symbol: 'x'.repeat(10_000) })?.currency_symbol).toHaveLength(21);
  expect(shownFormat(null)).toBeNull();
});

it('as many rows are taken as fit', () => {
  const rows = ['aaa', 'bbb', 'ccc'];
  expect(fittingRows(rows, 18)).toEqual(rows);
  expect(fittingRows(rows, 17)).toEqual(['aaa', 'bbb']);
  expect(fittingRows(rows, 0)).toEqual([]);
});
