import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ageOfMoney, applyCashFlows, INITIAL_MONEY_AGE } from '../../../src/service/ledger/age-of-money.ts';

const on = (date: string, amount: number) => ({ date, amount });
const times = (count: number, flow: { date: string; amount: number }) =>
  Array.from({ length: count }, () => flow);

describe('the age of money', () => {
  it('the age of money is null before ten outflows', () => {
    const flows = [on('2026-01-01', 100), ...times(9, on('2026-01-11', -1))];
    expect(ageOfMoney(applyCashFlows(INITIAL_MONEY_AGE, flows))).toBeNull();
    expect(ageOfMoney(applyCashFlows(INITIAL_MONEY_AGE, [...flows, on('2026-01-11', -1)]))).toBe(10);
  });

  it('the age of money is computed first in, first out, as the average of the last ten outflows', () => {
    const flows = [
      on('2026-01-01', 5),
      on('2026-01-21', 100),
      ...times(5, on('2026-01-31', -1)),
      ...times(5, on('2026-01-31', -1)),
    ];
    expect(ageOfMoney(applyCashFlows(INITIAL_MONEY_AGE, flows))).toBe(20);
    expect(
      ageOfMoney(applyCashFlows(INITIAL_MONEY_AGE, [...flows, ...times(10, on('2026-02-01', -1))])),
    ).toBe(11);
  });

  it('overspent money has no age', () => {
    expect(ageOfMoney(applyCashFlows(INITIAL_MONEY_AGE, times(20, on('2026-01-01', -1))))).toBeNull();
  });

  it('the age of money is the same whether it is computed in one step or in two', () => {
    const flow = fc.record({
      date: fc.nat(27).map((day) => `2026-01-${String(day + 1).padStart(2, '0')}`),
      amount: fc.integer({ min: -50, max: 100 }),
    });
    fc.assert(
      fc.property(fc.array(flow, { maxLength: 60 }), fc.nat(60), (flows, cut) => {
        const sorted = flows.toSorted((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0));
        const inParts = applyCashFlows(
          applyCashFlows(INITIAL_MONEY_AGE, sorted.slice(0, cut)),
          sorted.slice(cut),
        );
        expect(inParts).toEqual(applyCashFlows(INITIAL_MONEY_AGE, sorted));
      }),
    );
  });
});
