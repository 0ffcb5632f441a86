import { describe, expect, it } from 'vitest';
import { goalFields } from '../../../src/service/ledger/goals.ts';
import type { Goal } from '../../../src/service/ledger/records.ts';

const goal = (change: Partial<Goal>): Goal => ({
  type: 'TB',
  target: 120_000,
  creation_month: '2026-01-01',
  target_date: null,
  needs_whole_amount: null,
  day: null,
  cadence: null,
  cadence_frequency: null,
  snoozed_at: null,
  ...change,
});

const monthValues = (change: Partial<Parameters<typeof goalFields>[1]> = {}) => ({
  month: '2026-03-01',
  last_balance: 0,
  budgeted: 0,
  balance: (change.last_balance ?? 0) + (change.budgeted ?? 0),
  smallest_unit: 10,
  ...change,
});

describe('goals', () => {
  it('all goal fields are null without a goal and before the month of its creation', () => {
    const noGoal = goalFields(null, monthValues());
    expect(Object.keys(noGoal)).toHaveLength(15);
    expect(Object.values(noGoal).every((value) => value === null)).toBe(true);
    expect(goalFields(goal({ creation_month: '2026-04-01' }), monthValues())).toEqual(noGoal);
  });

  it('a TB goal is a balance without a date', () => {
    expect(goalFields(goal({}), monthValues({ last_balance: 20_000, budgeted: 10_000 }))).toMatchObject({
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

  it('a TBD goal needs equal parts in the remaining months, rounded up to the smallest unit', () => {
    const byMay = goal({ type: 'TBD', target: 100_000, target_date: '2026-05-01' });
    expect(goalFields(byMay, monthValues())).toMatchObject({
      goal_months_to_budget: 3,
      goal_under_funded: 33_340,
    });
    expect(goalFields(byMay, monthValues({ budgeted: 30_000 }))).toMatchObject({
      goal_under_funded: 3_340,
      goal_percentage_complete: 30,
      goal_overall_left: 70_000,
    });
    expect(goalFields(byMay, monthValues({ month: '2026-05-01', last_balance: 90_000 }))).toMatchObject({
      goal_months_to_budget: 1,
      goal_under_funded: 10_000,
    });
    expect(goalFields(byMay, monthValues({ month: '2026-07-01' }))).toMatchObject({
      goal_months_to_budget: 0,
      goal_under_funded: 100_000,
    });
  });

  it.each(['MF', 'DEBT'] as const)('a %s goal is an amount to budget each month', (type) => {
    expect(
      goalFields(goal({ type }), monthValues({ last_balance: 500_000, budgeted: 30_000 })),
    ).toMatchObject({
      goal_percentage_complete: 25,
      goal_months_to_budget: 1,
      goal_under_funded: 90_000,
      goal_overall_funded: 30_000,
      goal_overall_left: 90_000,
    });
  });

  it('a NEED goal that refills counts the balance that is left, and one that sets aside does not', () => {
    const need = goal({ type: 'NEED', cadence: 1, cadence_frequency: 1 });
    const month = monthValues({ last_balance: 50_000, budgeted: 40_000 });
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

  it('a NEED goal counts money that was spent as funded', () => {
    const need = goal({ type: 'NEED', cadence: 1, cadence_frequency: 1, needs_whole_amount: false });
    expect(goalFields(need, monthValues({ budgeted: 120_000, balance: 15_000 }))).toMatchObject({
      goal_percentage_complete: 100,
      goal_under_funded: 0,
    });
  });

  it('a weekly NEED goal needs the amount for each such weekday of the month', () => {
    const sundays = goal({ type: 'NEED', target: 10_000, cadence: 2, cadence_frequency: 1, day: 0 });
    expect(goalFields(sundays, monthValues()).goal_under_funded).toBe(50_000);
    expect(goalFields(sundays, monthValues({ month: '2026-04-01' })).goal_under_funded).toBe(40_000);
  });

  it('a yearly NEED goal is spread over the months until it is due, and starts again after that', () => {
    const yearly = goal({ type: 'NEED', cadence: 13, cadence_frequency: 1, target_date: '2026-05-01' });
    expect(goalFields(yearly, monthValues())).toMatchObject({
      goal_months_to_budget: 3,
      goal_under_funded: 40_000,
    });
    expect(goalFields(yearly, monthValues({ month: '2026-06-01' }))).toMatchObject({
      goal_months_to_budget: 12,
      goal_under_funded: 10_000,
    });
  });

  it('a goal needs nothing in a month in which it is snoozed', () => {
    const snoozed = goal({ type: 'MF', snoozed_at: '2026-03-05T10:00:00.000Z' });
    expect(goalFields(snoozed, monthValues()).goal_under_funded).toBe(0);
    expect(goalFields(snoozed, monthValues({ month: '2026-04-01' })).goal_under_funded).toBe(120_000);
  });
});
