import { describe, expect, it } from 'vitest';
import { forecastSchema } from '../../../src/features/forecast/forecast-schema.ts';
import { connected } from '../connected.helper.ts';

const inUnits = (structured: unknown) =>
  forecastSchema.partial().parse(JSON.parse(JSON.stringify(structured), roundAll));
/** Results are in currency units; the schema wants integers. */
const roundAll = (_: string, value: unknown) => (typeof value === 'number' ? Math.round(value * 100) : value);

describe('forecast', () => {
  it('answers for all accounts with money together and each, without a request, the certain part first', async () => {
    const { call, asked } = await connected({ transactions: 1_500 });
    const { structured, text } = await call('forecast');
    expect(asked()).toEqual([]);
    const { total, accounts = [], until } = inUnits(structured);
    expect(until).toBe('2026-12-31');
    expect(accounts.map(({ name }) => name)).toEqual(['Checking', 'Savings', 'Wallet']);
    expect(total?.balance).toBe(accounts.reduce((sum, { balance }) => sum + balance, 0));
    expect(total?.certain.balance).toBe(accounts.reduce((sum, { certain }) => sum + certain.balance, 0));
    const order = ['today ', 'certain, by what is scheduled: ', 'likely, with recurring'].map((line) =>
      text.indexOf(line),
    );
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(order).not.toContain(-1);
    expect(text).toMatch(/8 times of 10 from [\d.]+ to [\d.]+/);
    expect(text).toMatch(/Rests on 21 months, \d+ transactions/);
  });

  it('with and without changes, both parts differ exactly by them', async () => {
    const { call } = await connected({ transactions: 1_500 });
    const args = { account: ['Checking'], until: '2027-03' };
    const changes = [
      { amount: -1_500, date: '2027-01-10', name: 'trip' },
      { amount: 20.5, date: '2026-12-31', monthly: true },
    ];
    const without = inUnits((await call('forecast', args)).structured);
    const withThem = inUnits((await call('forecast', { ...args, changes })).structured);
    const difference = (-1_500 + 4 * 20.5) * 100;
    const of = (part: typeof without) => [
      part.total?.certain.balance ?? 0,
      part.total?.likely?.middle ?? 0,
      part.total?.likely?.low ?? 0,
      part.total?.likely?.high ?? 0,
    ];
    expect(of(withThem).map((each, at) => each - (of(without)[at] ?? 0))).toEqual(Array(4).fill(difference));
    expect(withThem.supposed).toEqual({ changes: 200, amount: -147_950 });
  });

  it.each([{ account: ['Checking'] }, { category: ['Groceries'] }])(
    'a change of the day before counts today, because the day of the user may be that: %j',
    async (args) => {
      const { call } = await connected({ transactions: 1_500 });
      const of = async (date: string) =>
        (await call('forecast', { ...args, changes: [{ amount: -80, date }] })).text;
      expect(await of('2026-11-20')).toBe(await of('2026-11-21'));
    },
  );

  it('with spending: false there is the certain part only', async () => {
    const { call } = await connected({ transactions: 1_500 });
    const { structured, text } = await call('forecast', { spending: false });
    expect(inUnits(structured).total?.likely).toBeNull();
    expect(text).not.toContain('likely');
  });

  it('of categories it shows each month, and the month in which they go below zero', async () => {
    const { call } = await connected({ transactions: 1_500 });
    const { text } = await call('forecast', { category: ['Eating Out'], until: '2027-03' });
    expect(text).toContain('month, budgeted, scheduled, usual, left for certain, left likely\n');
    expect(text).toMatch(/By what is scheduled alone it goes below zero in 2027-01, likely in 2026-12\./);
    expect(text.match(/^20\d\d-\d\d · /gm)).toHaveLength(5);
  });

  it.each([
    [{ until: '2026-11-20' }, 'until is in the past: today is 2026-11-21'],
    [{ until: '2026-10' }, 'until is in the past'],
    [{ until: '2029-01' }, 'until is more than 24 months ahead'],
    [{ account: ['Checking'], category: ['Groceries'] }, 'ask for accounts or for categories, not for both'],
    [{ changes: [{ amount: -5, date: '2027-05-01' }] }, 'changes[0].date is after until (2026-12-31)'],
    [{ changes: [{ amount: -5, date: '2026-01-01' }] }, 'changes[0].date is in the past'],
    [
      { account: ['Wallet'], changes: [{ amount: -5, date: '2026-12-01', account: 'Checking' }] },
      'the forecast leaves out',
    ],
    [
      { category: ['Groceries', 'Eating Out'], changes: [{ amount: -5, date: '2026-12-01' }] },
      'changes go with one category',
    ],
  ])('%j is refused with what to do', async (args, message) => {
    const { call } = await connected();
    const { text, isError } = await call('forecast', args);
    expect(isError).toBe(true);
    expect(text).toContain(message);
  });
});
