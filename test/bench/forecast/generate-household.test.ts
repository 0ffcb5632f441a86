/** The households that judge forecasts are the same on each run, and their schedules agree with what happened. */
import { expect, test } from 'vitest';
import { generateHousehold } from './generate-household.ts';
import { dateOf, dayOf, occurrence } from './household-chance.ts';

const households = Array.from({ length: 60 }, (_, seed) => generateHousehold(seed));

test('the same seed gives the same household, another seed another one', () => {
  expect(generateHousehold(7)).toEqual(households[7]);
  expect(generateHousehold(8)).not.toEqual(households[7]);
});

test('events are whole cents on known accounts, in order, within five years, and not more than 3,000 a year', () => {
  for (const { accounts, events, begins, ends } of households) {
    expect([begins, ends]).toEqual(['2021-01-01', '2025-12-31']);
    const dates = events.map(({ date }) => date);
    expect(dates).toEqual(dates.toSorted());
    expect(dates.every((date) => date >= begins && date <= ends)).toBe(true);
    const ids = new Set(accounts.map(({ id }) => id));
    expect(
      events.every(({ account, amount }) => ids.has(account) && Number.isInteger(amount) && amount !== 0),
    ).toBe(true);
    for (const year of ['2021', '2022', '2023', '2024', '2025']) {
      const inYear = dates.filter((date) => date.startsWith(year)).length;
      expect(inYear > 100 && inYear <= 3000).toBe(true);
    }
  }
});

test('both sides of a transfer add up to zero', () => {
  for (const { events } of households) {
    const sums = new Map<string, number>();
    for (const { date, account, transferAccount, amount, schedule } of events) {
      if (transferAccount === undefined) continue;
      const key = [date, schedule, ...[account, transferAccount].toSorted()].join(' ');
      sums.set(key, (sums.get(key) ?? 0) + amount);
    }
    expect([...sums.values()].every((sum) => sum === 0)).toBe(true);
  }
});

test('a schedule has an entry with its amount on each of its days while it is known, and on no other', () => {
  for (const { events, schedules, ends } of households) {
    for (const {
      id,
      account,
      amount,
      payee,
      transferAccount,
      frequency,
      first,
      knownFrom,
      knownUntil,
    } of schedules) {
      const expected: unknown[] = [];
      for (let index = 0; ; index += 1) {
        const day = occurrence(frequency, dayOf(first), index);
        if (day > dayOf(knownUntil ?? ends)) break;
        const date = dateOf(day);
        expect(date > knownFrom && date !== knownUntil).toBe(true);
        const entry = { date, account, amount, payee, schedule: id };
        expected.push(transferAccount === undefined ? entry : { ...entry, transferAccount });
      }
      const own = events.filter((event) => event.schedule === id && event.account === account);
      expect(own).toEqual(expected);
      if (knownUntil !== undefined) expect(knownUntil >= knownFrom).toBe(true);
    }
    const known = new Set(schedules.map(({ id }) => id));
    expect(events.every(({ schedule }) => schedule === undefined || known.has(schedule))).toBe(true);
  }
});
