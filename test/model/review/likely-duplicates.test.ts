import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDays, daysBetween } from '../../../src/base/calendar.ts';
import type { Transaction } from '../../../src/model/replica/entities.ts';
import { likelyDuplicates } from '../../../src/model/review/likely-duplicates.ts';
import { transferPairs } from '../../../src/model/review/transfer-pairs.ts';
import { transaction } from '../../answers/samples.helper.ts';

const cameIn = ({ approved }: Transaction) => !approved;
const DAY = '2026-11-10';
let ids = 0;

const row = (changed: Parameters<typeof transaction>[0] = {}) => {
  ids += 1;
  return transaction({ id: `row-${ids}`, date: DAY, approved: false, ...changed });
};
const repeated = (
  changed: Parameters<typeof transaction>[0],
  first: Parameters<typeof transaction>[0] = {},
) => likelyDuplicates([row(first), row(changed)], cameIn);

describe('a likely duplicate', () => {
  it('is the same amount on the same account within five days', () => {
    expect(repeated({ date: addDays(DAY, 5) })).toHaveLength(1);
    expect(repeated({ date: addDays(DAY, 6) })).toEqual([]);
    expect(repeated({ amount: -42_200 })).toEqual([]);
    expect(repeated({ account_id: 'acc-2' })).toEqual([]);
  });

  it.each([
    ['CORNER SHOP 0423 BERLIN', true],
    ['CRNR SHP', true],
    ['Corner Bakery', false],
    ['4711', false],
  ])('with the name %s of the bank: %s', (import_payee_name, isFound) => {
    const found = repeated({ payee_id: 'pay-2', payee_name: import_payee_name, import_payee_name });
    expect(found).toHaveLength(isFound ? 1 : 0);
  });

  it('needs one that came in, and not two that the bank agrees with', () => {
    expect(repeated({ approved: true }, { approved: true })).toEqual([]);
    expect(repeated({ cleared: 'reconciled' }, { cleared: 'reconciled' })).toEqual([]);
  });

  it('is none if the bank numbers both as rows of one day', () => {
    const [first, second, third] = ['1', '2']
      .map((number) => `YNAB:-42100:${DAY}:${number}`)
      .concat(`YNAB:-42100:${addDays(DAY, 1)}:1`);
    expect(repeated({ import_id: second }, { import_id: first })).toEqual([]);
    expect(repeated({ import_id: third }, { import_id: first })).toHaveLength(1);
  });

  it.each([
    ['CARD 18/06 CORNER SHOP 5162', 'CARD 18/06 CORNER SHOP 4990', 0],
    ['CARD 18/06 CORNER SHOP 5162', 'CARD 18/06 CORNER SHOP 5162', 1],
    ['CORNER SHOP PENDING', 'CARD 18/06 CORNER SHOP 4990', 1],
  ])('of the texts %s and %s of a bank: %i', (text, second, count) => {
    const sent = (import_payee_name_original: string) => ({
      import_payee_name_original,
      import_id: text + second,
    });
    expect(repeated(sent(second), sent(text))).toHaveLength(count);
    // What is only reserved has another number than what is booked later.
    expect(repeated(sent(second), { ...sent(text), cleared: 'uncleared' })).toHaveLength(1);
  });

  it('is what the bank sends for an open entry by hand, whatever it is called, within three days', () => {
    const byHand = {
      cleared: 'uncleared',
      payee_id: 'pay-2',
      payee_name: 'lunch with Tom',
      approved: true,
    } as const;
    expect(repeated({ import_id: 'bank', date: addDays(DAY, 3) }, byHand)).toHaveLength(1);
    expect(repeated({ import_id: 'bank', date: addDays(DAY, 4) }, byHand)).toEqual([]);
    expect(repeated({}, byHand)).toEqual([]);
    expect(repeated({ import_id: 'bank' }, { ...byHand, cleared: 'cleared' })).toEqual([]);
  });

  it('is what the bank sends for one side of a transfer, and the transfer is kept', () => {
    const side = {
      transfer_account_id: 'acc-2',
      payee_id: 'to',
      payee_name: 'Transfer : Wallet',
      approved: true,
    };
    const sent = {
      import_id: 'bank',
      payee_id: 'atm',
      payee_name: 'ATM WITHDRAWAL HIGH ST',
      category_id: 'cat-1',
    };
    expect(repeated(sent, side)).toMatchObject([{ removed: { payee_id: 'atm' }, kept: { payee_id: 'to' } }]);
    expect(repeated({ ...sent, payee_name: 'Corner Bakery' }, side)).toEqual([]);
    expect(repeated({ ...side, approved: false }, side)).toEqual([]);
  });

  it('is none if a person has approved two pairs like it', () => {
    const pair = (date: string) => [row({ date, approved: true }), row({ date, approved: true })];
    const now = [row(), row()];
    expect(likelyDuplicates([...pair('2026-09-01'), ...now], cameIn)).toHaveLength(1);
    expect(likelyDuplicates([...pair('2026-09-01'), ...pair('2026-10-01'), ...now], cameIn)).toEqual([]);
  });

  it('of the two, the one without a person’s work is removed', () => {
    const [byHand, ofBank] = [row({ approved: true, cleared: 'uncleared' }), row({ category_id: null })];
    for (const rows of [
      [byHand, ofBank],
      [ofBank, byHand],
    ])
      expect(likelyDuplicates(rows, cameIn)).toEqual([{ kept: byHand, removed: ofBank }]);
  });

  it('of three, two are removed', () => {
    expect(likelyDuplicates([row(), row(), row()], cameIn)).toHaveLength(2);
  });
});

const amounts = fc.constantFrom(-42_100, 42_100, -5_000, 5_000, 0);
const rows = fc
  .array(
    fc.record({
      day: fc.nat(12),
      amount: amounts,
      account_id: fc.constantFrom('acc-1', 'acc-2', 'acc-3'),
      approved: fc.boolean(),
      payee_id: fc.constantFrom('pay-1', 'pay-2', null),
      payee_name: fc.constantFrom('Transfer', 'Corner Shop', 'CORNER SHOP 12', null),
      category_id: fc.constantFrom('cat-1', null),
      cleared: fc.constantFrom('cleared', 'uncleared', 'reconciled'),
    }),
    { maxLength: 14 },
  )
  .map((all) =>
    all
      .toSorted((a, b) => a.day - b.day)
      .map(({ day, ...each }) => row({ ...each, date: addDays(DAY, day) })),
  );

it('no row is removed twice or in two pairs, and each finding is what the terms say', () => {
  fc.assert(
    fc.property(rows, (all) => {
      const duplicates = likelyDuplicates(all, cameIn);
      const pairs = transferPairs(all, cameIn, new Set());
      const removed = duplicates.map((each) => each.removed);
      const sides = pairs.flatMap(({ kept, removed }) => [kept, removed]);
      expect(new Set(removed).size).toBe(removed.length);
      expect(new Set(sides).size).toBe(sides.length);
      for (const { kept, removed } of [...duplicates, ...pairs]) {
        expect(Math.abs(daysBetween(kept.date, removed.date))).toBeLessThanOrEqual(5);
        expect(kept.approved && removed.approved).toBe(false);
        expect(kept.cleared === 'reconciled' && removed.cleared === 'reconciled').toBe(false);
      }
      for (const { kept, removed } of duplicates)
        expect([removed.account_id, removed.amount]).toEqual([kept.account_id, kept.amount]);
      for (const { kept, removed } of pairs) {
        expect(removed.amount).toBe(-kept.amount);
        expect(removed.account_id).not.toBe(kept.account_id);
      }
    }),
  );
});
