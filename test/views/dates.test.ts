import { expect, it } from 'vitest';
import { datesFor } from '../../src/views/dates.ts';

const plain = (text: string) => text.replaceAll(/[\u2009\u202f\u00a0]/g, ' ');

it.each([
  ['en-US', 'November 2026', 'Nov 21, 2026', 'Nov 1 – 21, 2026'],
  ['de', 'November 2026', '21.11.2026', '01.–21.11.2026'],
  ['not a locale', 'November 2026', 'Nov 21, 2026', 'Nov 1 – 21, 2026'],
])('dates are those of the language of the host: %s', (locale, month, day, range) => {
  const dates = datesFor(locale);
  expect(dates.month('2026-11')).toBe(month);
  expect(dates.day('2026-11-21')).toBe(day);
  expect(plain(dates.range('2026-11-01', '2026-11-21'))).toBe(range);
  expect(dates.direction).toBe('ltr');
});

it('whole months are written as months, and years as years', () => {
  const dates = datesFor('en');
  expect(dates.range('2026-11-01', '2026-11-30')).toBe('November 2026');
  expect(dates.range('2026-01-01', '2026-02-28')).toBe('January 2026 – February 2026');
  expect(dates.month('2026')).toBe('2026');
});

it('Arabic is written from right to left, with the calendar of the service and the digits of the amounts', () => {
  const dates = datesFor('ar-EG');
  expect(dates.direction).toBe('rtl');
  expect(dates.month('2026-11')).toContain('2026');
  expect(datesFor('fa-IR').month('2026-11')).toContain('2026');
});
