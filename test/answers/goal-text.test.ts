import { expect, it } from 'vitest';
import { dueText, goalText } from '../../src/answers/goal-text.ts';
import { dollarContext } from './format-row.helper.ts';
import * as a from './samples.helper.ts';

const MONTHLY = { goal_cadence: 1, goal_cadence_frequency: 1 };

it.each<[string, Parameters<typeof a.category>[0]]>([
  ['', {}],
  ['monthly', MONTHLY],
  ['monthly by day 15', { ...MONTHLY, goal_day: 15 }],
  ['every 3 months', { goal_cadence: 1, goal_cadence_frequency: 3 }],
  ['weekly by Friday', { goal_cadence: 2, goal_cadence_frequency: 1, goal_day: 5 }],
  ['weekly by Sunday', { goal_cadence: 2, goal_cadence_frequency: 1, goal_day: 0 }],
  ['every 2 weeks', { goal_cadence: 2, goal_cadence_frequency: 2 }],
  ['every 2 months', { goal_cadence: 3 }],
  ['every 11 months', { goal_cadence: 12 }],
  ['yearly by 2028-02', { goal_cadence: 13, goal_cadence_frequency: 1, goal_target_month: '2028-02-01' }],
  ['every 2 years', { goal_cadence: 14 }],
  ['cadence 99', { goal_cadence: 99 }],
  ['by 2028-02', { goal_cadence: 0, goal_target_month: '2028-02-01' }],
  ['by 2028-02-29', { goal_cadence: 0, goal_target_month: '2028-02-01', goal_day: 31 }],
  ['by 2028-02-14', { goal_cadence: 0, goal_target_month: '2028-02-01', goal_target_date: '2028-02-14' }],
])('a goal is due "%s"', (text, fields) => {
  expect(dueText(a.category({ goal_type: 'NEED', goal_target: 100_000, ...fields }))).toBe(text);
});

it('a snoozed goal is said to be snoozed, not underfunded', () => {
  const weekly = {
    goal_type: 'NEED',
    goal_target: 100_000,
    goal_cadence: 2,
    goal_day: 5,
    goal_under_funded: 40_000,
  };
  const context = dollarContext();
  expect(goalText(a.category(weekly), context)).toBe(
    'plan your spending $100.00 weekly by Friday underfunded $40.00',
  );
  expect(goalText(a.category({ ...weekly, goal_snoozed_at: '2026-11-02T10:00:00Z' }), context)).toBe(
    'plan your spending $100.00 weekly by Friday snoozed',
  );
});
