import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ageOfMoney, NO_MONEY, spend } from '../../../src/service/ledger/age-of-money.ts';

const on = (date: string, amount: number) => ({ date, amount });
const times = (count: number, flow: { date: string; amount: number }) =>
  Array.from({ length: count }, () => flow);

describe('the age of money', () => {
  it('is not known before ten outflows', () => {
    const flows = [on('2026-01-01', 100), ...times(9, on('2026-01-11', -1))];
    expect(ageOfMoney(spend(NO_MONEY, flows))).toBeNull();
    expect(ageOfMoney(spend(NO_MONEY, [...flows, on('2026-01-11', -1)]))).toBe(10);
  });

  it('spends the oldest money first and averages the last ten outflows', () => {
    const flows = [
      on('2026-01-01', 5),
      on('2026-01-21', 100),
      ...times(5, on('2026-01-31', -1)),
      ...times(5, on('2026-01-31', -1)),
    ];
    expect(ageOfMoney(spend(NO_MONEY, flows))).toBe(20);
    expect(ageOfMoney(spend(NO_MONEY, [...flows, ...times(10, on('2026-02-01', -1))]))).toBe(11);
  });

  it('gives no age to spending money that is not there', () => {
    expect(ageOfMoney(spend(NO_MONEY, times(20, on('2026-01-01', -1))))).toBeNull();
  });

  it('is the same whether it is counted at once or carried on from any point', () => {
    const flow = fc.record({
      date: fc.nat(27).map((day) => `2026-01-${String(day + 1).padStart(2, '0')}`),
      amount: fc.integer({ min: -50, max: 100 }),
    });
    fc.assert(
      fc.property(fc.array(flow, { maxLength: 60 }), fc.nat(60), (flows, cut) => {
        const sorted = flows.toSorted((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0));
        const inParts = spend(spend(NO_MONEY, sorted.slice(0, cut)), sorted.slice(cut));
        expect(inParts).toEqual(spend(NO_MONEY, sorted));
      }),
    );
  });
});
