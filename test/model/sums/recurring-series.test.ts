import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dateOf } from '../../../src/base/clock.ts';
import { type Charge, findSeries } from '../../../src/model/sums/recurring-series.ts';
import { rhythms } from '../../../src/model/sums/rhythm.ts';
import { Random } from '../../../src/service/demo-data/random.ts';

const START = 20_000;

const charge = (day: number, amount: number): Charge => ({
  day,
  amount,
  date: dateOf(day * 86_400_000),
});

const inOrder = (charges: readonly Charge[]) => charges.toSorted((a, b) => a.day - b.day);

/** One charge for each amount, a period apart. */
const charges = (period: number, amounts: readonly number[], from = START) =>
  amounts.map((amount, at) => charge(Math.round(from + at * period), amount));

const MONTH = 30.44;
const times = (count: number, amount: number) => Array<number>(count).fill(amount);

const found = (all: readonly Charge[]) =>
  findSeries(inOrder(all)).map(({ rhythm, charges: own }) => ({
    rhythm: rhythm.name,
    amounts: own.map(({ amount }) => amount),
  }));

describe('recurring charges of one payee', () => {
  it('a series with a rhythm, some days of jitter and a changed price is found as one', () => {
    const long = rhythms.filter(({ days }) => days < 100);
    const generated = fc.constantFrom(...long).chain((rhythm) => {
      const most = Math.floor((rhythm.tolerance - 1) / 2);
      return fc.record({
        rhythm: fc.constant(rhythm),
        jitter: fc.array(fc.integer({ min: -most, max: most }), { minLength: 18, maxLength: 24 }),
        price: fc.integer({ min: 1_000, max: 500_000 }),
        increase: fc.double({ min: 0.7, max: 1.45, noNaN: true }),
        changedAt: fc.integer({ min: 6, max: 24 }),
      });
    });
    fc.assert(
      fc.property(generated, ({ rhythm, jitter, price, increase, changedAt }) => {
        const amounts = jitter.map((_, at) => (at < changedAt ? price : Math.round(price * increase)));
        const all = amounts.map((amount, at) =>
          charge(Math.round(START + at * rhythm.days) + (jitter[at] ?? 0), amount),
        );
        expect(found(all)).toEqual([{ rhythm: rhythm.name, amounts }]);
      }),
    );
  });

  it('a price that changed with the last charge belongs to the series', () => {
    const amounts = [...times(8, 9_990), 10_990];
    expect(found(charges(MONTH, amounts))).toEqual([{ rhythm: 'monthly', amounts }]);
  });

  it('two subscriptions of different prices are two series', () => {
    const video = charges(MONTH, times(12, 15_990));
    const cloud = charges(MONTH, times(12, 2_990), START + 2);
    expect(found([...video, ...cloud])).toEqual([
      { rhythm: 'monthly', amounts: times(12, 15_990) },
      { rhythm: 'monthly', amounts: times(12, 2_990) },
    ]);
  });

  it('two similar subscriptions half a month apart are two series', () => {
    const one = charges(MONTH, times(12, 9_990));
    const other = charges(MONTH, times(12, 10_990), START + 15);
    expect(found([...one, ...other]).map(({ rhythm }) => rhythm)).toEqual(['monthly', 'monthly']);
  });

  it('two equal subscriptions on the same day count twice, and a single double charge does not', () => {
    const one = charges(MONTH, times(6, 4_990));
    expect(found([...one, ...one])).toEqual([{ rhythm: 'monthly', amounts: times(6, 9_980) }]);
    expect(found([...one, charge(START, 4_990)])).toEqual([{ rhythm: 'monthly', amounts: times(6, 4_990) }]);
  });

  it('a bill of different amounts is found, and so it is beside a single large one', () => {
    const amounts = [84_000, 91_000, 80_560, 93_320, 88_470, 91_610];
    expect(found(charges(MONTH, amounts))).toEqual([{ rhythm: 'monthly', amounts }]);
    expect(found([...charges(MONTH, amounts), charge(START + 50, 900_000)])).toEqual([
      { rhythm: 'monthly', amounts },
    ]);
  });

  it('a subscription at a payee where much else is bought is found', () => {
    const random = new Random(1);
    const shopping = Array.from({ length: 40 }, () =>
      charge(START + random.integer(0, 360), random.integer(3_000, 90_000)),
    );
    const amounts = times(12, 8_990);
    expect(found([...shopping, ...charges(MONTH, amounts)])).toEqual([{ rhythm: 'monthly', amounts }]);
  });

  it('a single purchase of about the price, among many others, does not go on with a subscription that has ended', () => {
    const amounts = times(12, 8_990);
    const shopping = Array.from({ length: 40 }, (_, at) => charge(START + at * 7 + (at % 4), 20_000 + at));
    const purchase = charge(START + Math.round(12 * MONTH) + 1, 9_500);
    expect(found([...charges(MONTH, amounts), ...shopping, purchase])).toEqual([
      { rhythm: 'monthly', amounts },
    ]);
  });

  it('two charges a year apart are yearly if their amounts are about the same', () => {
    expect(found([charge(START, 690_000), charge(START + 365, 720_000)])).toMatchObject([
      { rhythm: 'yearly' },
    ]);
    expect(found([charge(START, 690_000), charge(START + 365, 400_000)])).toEqual([]);
    expect(found([charge(START, 690_000), charge(START + 352, 720_000)])).toEqual([]);
  });

  it('weekly shopping of different amounts is not recurring', () => {
    const random = new Random(1);
    expect(
      found(
        charges(
          7,
          Array.from({ length: 50 }, () => random.integer(60_000, 90_000)),
        ),
      ),
    ).toEqual([]);
  });

  it('of 2,000 payees with charges at random, fewer than one in a hundred seems to have a recurring charge', () => {
    const random = new Random(7);
    const seeming = Array.from({ length: 2_000 }, () => {
      const count = random.integer(2, 80);
      return Array.from({ length: count }, () =>
        charge(START + random.integer(0, 760), random.integer(300, 11_000) * 10),
      );
    }).filter((all) => findSeries(inOrder(all)).length > 0);
    expect(seeming.length).toBeLessThan(20);
  });

  it('a payee with 2,000 charges at random prices of a few has no recurring charge', () => {
    const random = new Random(7);
    const all = Array.from({ length: 2_000 }, () =>
      charge(START + random.integer(0, 760), random.integer(300, 1_100) * 10),
    );
    expect(findSeries(inOrder(all))).toEqual([]);
  });
});
