import { describe, expect, it } from 'vitest';
import type { Transaction } from '../../../src/model/replica/entities.ts';
import { transferPairs } from '../../../src/model/review/transfer-pairs.ts';
import { leg, transaction } from '../../answers/samples.helper.ts';

type Changed = Parameters<typeof transaction>[0];

const paid = (changed: Changed = {}) =>
  transaction({
    id: 'out',
    approved: false,
    category_id: null,
    payee_id: 'pay-out',
    payee_name: 'Online Transfer',
    ...changed,
  });
const received = (changed: Changed = {}) =>
  paid({
    id: 'in',
    amount: 42_100,
    account_id: 'acc-2',
    account_name: 'Rainy Days',
    payee_id: 'pay-in',
    payee_name: 'Jana Weber',
    ...changed,
  });
const pairsIn = (...rows: Transaction[]) =>
  transferPairs(rows, ({ approved }) => !approved, new Set(['none']));

describe('a pair of a transfer', () => {
  it('is two opposite amounts on two accounts within five days', () => {
    expect(pairsIn(paid(), received())).toHaveLength(1);
    expect(pairsIn(paid(), received({ date: '2026-11-23' }))).toHaveLength(1);
    expect(pairsIn(paid(), received({ date: '2026-11-24' }))).toEqual([]);
    expect(pairsIn(paid(), received({ amount: 42_000 }))).toEqual([]);
    expect(pairsIn(paid(), received({ account_id: 'acc-1' }))).toEqual([]);
    expect(pairsIn(paid(), received({ transfer_account_id: 'acc-3' }))).toEqual([]);
    expect(pairsIn(paid({ subtransactions: [leg()] }), received())).toEqual([]);
  });

  it.each([
    [{ payee_name: 'ATM WITHDRAWAL 0042' }, true],
    [{ payee_name: 'Überweisung Jana Weber' }, true],
    [{ payee_name: 'Rainy Days' }, true],
    [{ payee_name: 'Nordlicht Bikes', memo: 'own account transfer' }, true],
    [{ payee_name: 'Jana Weber', payee_id: 'pay-in' }, true],
    [{ payee_name: 'Nordlicht Bikes' }, false],
  ])('%j speaks for one: %s', (changed, isFound) => {
    expect(pairsIn(paid(changed), received())).toHaveLength(isFound ? 1 : 0);
  });

  it('is none if one of the payees is a shop or an employer', () => {
    const earlier = ['a', 'b', 'c'].map((id) =>
      transaction({ id, payee_id: 'pay-in', amount: 9_000, category_id: 'income' }),
    );
    expect(pairsIn(...earlier.slice(1), paid(), received())).toHaveLength(1);
    expect(pairsIn(...earlier, paid(), received())).toEqual([]);
  });

  it('takes the closest of several', () => {
    const later = received({ id: 'later', date: '2026-11-20' });
    expect(
      pairsIn(later, paid(), received()).map(({ removed, kept }) => [kept.id, removed.id].toSorted()),
    ).toEqual([['in', 'out']]);
  });
});
