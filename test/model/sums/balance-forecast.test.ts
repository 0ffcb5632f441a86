import { expect, it } from 'vitest';
import { lowestDay } from '../../../src/model/sums/balance-forecast.ts';

const today = '2026-11-20';

it.each([
  [[500, 300, 300, 400], { date: '2026-11-21', balance: 300 }],
  // What is due today is paid by the end of the day.
  [[450, 450], { date: today, balance: 450 }],
  [[500, 500, 700], { date: today, balance: 500 }],
  [[600, 500, 700], { date: today, balance: 500 }],
])(
  'of %j the lowest is the first of equal ones, and today if it never falls below 500: %j',
  (line, lowest) => {
    expect(lowestDay(line, 500, today)).toEqual(lowest);
  },
);
