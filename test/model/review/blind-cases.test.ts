import { describe, expect, it } from 'vitest';
import { daysBetween } from '../../../src/base/calendar.ts';
import type { BlindTransaction } from './blind-book.helper.ts';
import { type BlindHousehold, blindHousehold } from './blind-cases.helper.ts';

const households = Array.from({ length: 40 }, (_, seed) => blindHousehold(seed));

const casesOf = ({ transactions, truths }: BlindHousehold, kind: string) =>
  truths
    .filter((truth) => truth.kind === kind)
    .map((truth) => truth.transactions.flatMap((index) => transactions[index] ?? []));

describe('invented households with cases for a review', () => {
  it('the same seed gives the same household, and another seed another', () => {
    expect(blindHousehold(7)).toEqual(blindHousehold(7));
    expect(blindHousehold(8)).not.toEqual(blindHousehold(7));
  });

  it('a duplicate is one amount twice on an account within a week', () => {
    for (const [first, second, ...more] of households.flatMap((each) => casesOf(each, 'duplicate'))) {
      expect(more).toEqual([]);
      expect(second).toMatchObject({ account: first?.account, amount: first?.amount });
      expect(Math.abs(daysBetween(first?.date ?? '', second?.date ?? ''))).toBeLessThan(7);
    }
  });

  it('a transfer is two opposite amounts on two accounts, not linked yet', () => {
    for (const [out, into, ...more] of households.flatMap((each) => casesOf(each, 'transfer'))) {
      expect(more).toEqual([]);
      expect(out?.account).not.toBe(into?.account);
      expect(out?.amount).toBe(-(into?.amount ?? 0));
      expect([out?.transferAccount, into?.transferAccount]).toEqual([null, null]);
    }
  });

  it('a case names transactions that exist, and nothing is both a truth and its look-alike', () => {
    for (const { transactions, truths, lookAlikes } of households) {
      const indices = [...truths, ...lookAlikes].flatMap((each) => each.transactions);
      expect(indices.filter((index) => transactions[index] === undefined)).toEqual([]);
      const named = new Set(truths.map(({ kind, transactions: rows }) => `${kind} ${rows.join()}`));
      expect(
        lookAlikes.filter(({ kind, transactions: rows }) => named.has(`${kind} ${rows.join()}`)),
      ).toEqual([]);
    }
  });

  it('a household is one that a budget can be made of', () => {
    for (const { today, accounts, categories, transactions } of households) {
      const names = accounts.map(({ name }) => name);
      const imports = transactions.flatMap(({ account, importId }) =>
        importId ? [`${account} ${importId}`] : [],
      );
      expect(new Set(imports).size).toBe(imports.length);
      const isWrong = (each: BlindTransaction, index: number) => {
        const used = [each, ...each.legs].flatMap(({ category }) => category ?? []);
        const legs = each.legs.reduce((sum, { amount }) => sum + amount, 0);
        const other = transactions[each.transferTransaction ?? -1];
        return (
          !names.includes(each.account) ||
          each.date > today ||
          each.amount % 10 !== 0 ||
          used.some((category) => !categories.includes(category)) ||
          (each.legs.length > 0 && legs !== each.amount) ||
          (each.transferAccount === null) !== (other === undefined) ||
          (other !== undefined && (other.transferTransaction !== index || other.amount !== -each.amount))
        );
      };
      expect(transactions.filter(isWrong)).toEqual([]);
    }
  });

  it('there are about as many cases as in life, and look-alikes at least as many as truths', () => {
    const count = (cases: 'truths' | 'lookAlikes', kind: string) =>
      households.flatMap((each) => each[cases]).filter((each) => each.kind === kind).length /
      households.length;
    for (const [kind, least] of [
      ['duplicate', 6],
      ['transfer', 5],
      ['unusual', 3],
    ] as const) {
      expect(count('truths', kind)).toBeGreaterThan(least);
      expect(count('lookAlikes', kind)).toBeGreaterThanOrEqual(count('truths', kind));
    }
  });
});
