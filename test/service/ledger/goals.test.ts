import { describe, expect, it } from 'vitest';
import { goalFields } from '../../../src/service/ledger/goals.ts';
import type { Goal } from '../../../src/service/ledger/records.ts';

const goal = (change: Partial<Goal>): Goal => ({
  type: 'TB',
  target: 120_000,
  creation_month: '2026-01-01',
  target_month: null,
  needs_whole_amount: null,
  day: null,
  cadence: null,
  cadence_frequency: null,
  snoozed_at: null,
  ...change,
});

const at = (change: Partial<Parameters<typeof goalFields>[1]> = {}) => ({
  month: '2026-03-01',
  last_balance: 0,
  budgeted: 0,
  balance: (change.last_balance ?? 0) + (change.budgeted ?? 0),
  smallest_unit: 10,
  ...change,
});

describe('the goal of a category', () => {
  it('is null throughout where there is none, and before the month of its creation', () => {
    const none = goalFields(null, at());
    expect(Object.keys(none)).toHaveLength(14);
    expect(Object.values(none).every((value) => value === null)).toBe(true);
    expect(goalFields(goal({ creation_month: '2026-04-01' }), at())).toEqual(none);
  });

  it('TB: a balance, some day', () => {
    expect(goalFields(goal({}), at({ last_balance: 20_000, budgeted: 10_000 }))).toMatchObject({
      goal_type: 'TB',
      goal_target: 120_000,
      goal_percentage_complete: 25,
      goal_months_to_budget: null,
      goal_under_funded: 90_000,
      goal_overall_funded: 30_000,
      goal_overall_left: 90_000,
      goal_needs_whole_amount: null,
    });
  });

  it('TBD: in equal parts over the months that are left, rounded up to the smallest unit', () => {
    const byMay = goal({ type: 'TBD', target: 100_000, target_month: '2026-05-01' });
    expect(goalFields(byMay, at())).toMatchObject({ goal_months_to_budget: 3, goal_under_funded: 33_340 });
    expect(goalFields(byMay, at({ budgeted: 30_000 }))).toMatchObject({
      goal_under_funded: 3_340,
      goal_percentage_complete: 30,
      goal_overall_left: 70_000,
    });
    expect(goalFields(byMay, at({ month: '2026-05-01', last_balance: 90_000 }))).toMatchObject({
      goal_months_to_budget: 1,
      goal_under_funded: 10_000,
    });
    expect(goalFields(byMay, at({ month: '2026-07-01' }))).toMatchObject({
      goal_months_to_budget: 0,
      goal_under_funded: 100_000,
    });
  });

  it.each(['MF', 'DEBT'] as const)('%s: an amount to be budgeted each month', (type) => {
    expect(goalFields(goal({ type }), at({ last_balance: 500_000, budgeted: 30_000 }))).toMatchObject({
      goal_percentage_complete: 25,
      goal_months_to_budget: 1,
      goal_under_funded: 90_000,
      goal_overall_funded: 30_000,
      goal_overall_left: 90_000,
    });
  });

  it('NEED: refilling counts what was left over, setting aside does not', () => {
    const need = goal({ type: 'NEED', cadence: 1, cadence_frequency: 1 });
    const month = at({ last_balance: 50_000, budgeted: 40_000 });
    expect(goalFields({ ...need, needs_whole_amount: false }, month)).toMatchObject({
      goal_needs_whole_amount: false,
      goal_under_funded: 30_000,
      goal_percentage_complete: 75,
    });
    expect(goalFields({ ...need, needs_whole_amount: true }, month)).toMatchObject({
      goal_needs_whole_amount: true,
      goal_under_funded: 80_000,
    });
  });

  it('NEED: counts spending as funded, not as missing', () => {
    const need = goal({ type: 'NEED', cadence: 1, cadence_frequency: 1, needs_whole_amount: false });
    expect(goalFields(need, at({ budgeted: 120_000, balance: 15_000 }))).toMatchObject({
      goal_percentage_complete: 100,
      goal_under_funded: 0,
    });
  });

  it('NEED by the week asks for the amount on each such weekday of the month', () => {
    const sundays = goal({ type: 'NEED', target: 10_000, cadence: 2, cadence_frequency: 1, day: 0 });
    expect(goalFields(sundays, at()).goal_under_funded).toBe(50_000);
    expect(goalFields(sundays, at({ month: '2026-04-01' })).goal_under_funded).toBe(40_000);
  });

  it('NEED by the year is spread over the months until it is due, and begins again after that', () => {
    const yearly = goal({ type: 'NEED', cadence: 13, cadence_frequency: 1, target_month: '2026-05-01' });
    expect(goalFields(yearly, at())).toMatchObject({ goal_months_to_budget: 3, goal_under_funded: 40_000 });
    expect(goalFields(yearly, at({ month: '2026-06-01' }))).toMatchObject({
      goal_months_to_budget: 12,
      goal_under_funded: 10_000,
    });
  });

  it('asks for nothing in a month in which it is snoozed', () => {
    const snoozed = goal({ type: 'MF', snoozed_at: '2026-03-05T10:00:00.000Z' });
    expect(goalFields(snoozed, at()).goal_under_funded).toBe(0);
    expect(goalFields(snoozed, at({ month: '2026-04-01' })).goal_under_funded).toBe(120_000);
  });
});
