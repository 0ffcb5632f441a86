import { describe, expect, it } from 'vitest';
import { addDays, addMonths, daysBetween } from '../../../src/base/calendar.ts';
import type { ScheduledTransaction, Transaction } from '../../../src/model/replica/entities.ts';
import { accountHistories, daysUntil } from '../../../src/model/sums/account-history.ts';
import { usualChanges } from '../../../src/model/sums/usual-changes.ts';
import { scheduled, transaction } from '../../answers/samples.helper.ts';

const today = '2026-11-20';
const query = {
  accounts: new Set(['acc-1']),
  scheduled: [] as ScheduledTransaction[],
  today,
  until: '2027-01-31',
};

let ids = 0;
const row = (date: string, amount: number, changed: Partial<Transaction> = {}) => {
  ids += 1;
  const { subtransactions: _, ...rest } = changed;
  return transaction({ id: `trx-${ids}`, date, amount, payee_id: `payee-${ids}`, ...rest });
};

/** One transaction on this day of each of the last months, the oldest first. */
const monthly = (day: string, amount: number, months: number, changed: Partial<Transaction> = {}) =>
  Array.from({ length: months }, (_, at) =>
    row(`${addMonths(today, at - months + 1).slice(0, 7)}-${day}`, amount, changed),
  );

/** As a replica lists them. */
const newestFirst = (rows: readonly Transaction[]) => rows.toSorted((a, b) => (a.date < b.date ? 1 : -1));

const changesOf = (rows: readonly Transaction[], changed: Partial<typeof query> = {}) => {
  const { accounts, scheduled: repeated, today: begin, until } = { ...query, ...changed };
  const days = daysUntil(begin, until);
  return usualChanges([...accountHistories(newestFirst(rows), accounts, repeated, days).values()], days, 10);
};

const on = (line: readonly number[] | undefined, date: string) => line?.[daysBetween(today, date)];

describe('what usually changes the balance of accounts', () => {
  it('a salary without a schedule comes on its day, and is certain to have come by the days after', () => {
    const salary = monthly('15', 2_000_000, 22, { payee_id: 'employer' });
    const { middle, range, recurring } = changesOf([row('2025-01-02', 0), ...salary]);
    expect(recurring).toBe(1);
    expect(on(middle, '2026-12-14')).toBe(0);
    expect(on(middle, '2026-12-15')).toBe(2_000_000);
    expect(on(range?.low, '2027-01-31')).toBe(4_000_000);
    expect(on(range?.high, '2027-01-31')).toBe(4_000_000);
  });

  it('a payment that stopped is not expected any more', () => {
    const gym = monthly('05', -30_000, 12, { payee_id: 'gym' }).slice(0, 9);
    expect(changesOf([row('2025-01-02', 0), ...gym])).toMatchObject({ recurring: 0 });
    expect(on(changesOf([row('2025-01-02', 0), ...gym]).middle, '2027-01-31')).toBe(0);
  });

  it('what a scheduled transaction stands for is not counted again, on neither side of a transfer', () => {
    const rent = monthly('03', -900_000, 12, { payee_id: 'landlord' });
    const saved = monthly('04', 200_000, 12, { payee_id: 'transfer', transfer_account_id: 'acc-2' });
    const repeated = [
      scheduled({ frequency: 'monthly', amount: -920_000, payee_id: 'landlord', account_id: 'acc-1' }),
      scheduled({
        frequency: 'monthly',
        amount: -200_000,
        account_id: 'acc-2',
        payee_id: 'to checking',
        transfer_account_id: 'acc-1',
      }),
    ];
    const found = changesOf([row('2025-01-02', 0), ...rent, ...saved], { scheduled: repeated });
    expect(on(found.middle, '2027-01-31')).toBe(0);
    expect(found.transactions).toBe(1);
  });

  it('spending at other payees is expected on the days of the month on which it was, as a median of the months', () => {
    const amounts = [-100_000, -200_000, -300_000, -200_000, -100_000, -300_000];
    const rows = amounts.flatMap((amount, at) => [row(addDays(addMonths(today, -at), 9), amount)]);
    const { middle, range } = changesOf([row('2026-05-19', 0), ...rows], { until: '2026-12-19' });
    expect(on(middle, '2026-12-09')).toBe(0);
    expect(on(middle, '2026-12-10')).toBe(-200_000);
    expect(on(range?.low, '2026-12-10')).toBeLessThan(-300_000);
    expect(on(range?.high, '2026-12-10')).toBeGreaterThan(-100_000);
  });

  it('a transfer between two of the accounts changes nothing', () => {
    const out = monthly('07', -50_000, 8, { payee_id: 'a', transfer_account_id: 'acc-2' });
    const into = monthly('07', 50_000, 8, {
      account_id: 'acc-2',
      payee_id: 'b',
      transfer_account_id: 'acc-1',
    });
    const both = changesOf([row('2025-01-02', 0), ...out, ...into], {
      accounts: new Set(['acc-1', 'acc-2']),
    });
    expect(new Set(both.middle)).toEqual(new Set([0]));
  });

  it('with less than three whole months there is no range', () => {
    expect(changesOf([row('2026-08-21', -1_000)]).range).toBeUndefined();
    expect(changesOf([row('2026-08-20', -1_000)])).toMatchObject({ months: 3, range: expect.anything() });
  });

  it('the balance with which an account begins is not income', () => {
    const opened = row('2026-08-01', 5_000_000, { payee_name: 'Starting Balance' });
    expect(on(changesOf([row('2026-06-01', -1_000), opened]).range?.high, '2027-01-31')).toBeLessThan(1_000);
  });

  it('with two years of history, December is like earlier Decembers', () => {
    const gifts = [row('2024-12-10', -900_000), row('2025-12-10', -900_000)];
    const begin = row('2023-11-01', -1_000);
    const december = changesOf([begin, ...gifts], { until: '2026-12-20' });
    const march = changesOf([begin, ...gifts], { today: '2026-02-20', until: '2026-03-20' });
    expect(on(december.middle, '2026-12-20')).toBeLessThan(-100_000);
    expect(march.middle.at(-1)).toBe(0);
  });

  it('equal questions get equal answers', () => {
    const rows = Array.from({ length: 200 }, (_, at) => row(addDays(today, -3 * at), -1_000 * (at % 17)));
    expect(changesOf(rows)).toEqual(changesOf(rows));
  });
});
