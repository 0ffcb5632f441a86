import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWritingService, UNKNOWN, type WritingService } from '../../service/writes/writing.helper.ts';
import { type Call, startNamed } from './named-calls.helper.ts';

let service: WritingService;
beforeAll(async () => {
  service = await startWritingService();
});
afterAll(() => service.close());

describe('a dry run names the problem for which the service then refuses the write', () => {
  test.each<[string, Call, string]>([
    [
      'a new payee with a name of the service',
      () => ['create_payee', { name: 'Transfer : Moon' }],
      'name: names that begin with "Transfer : "',
    ],
    [
      'a new name for a payee of the service',
      ({ payee }) => ['update_payee', { payee_id: payee('Starting Balance'), name: 'Begin' }],
      'name: names that begin with "Starting Balance"',
    ],
    [
      'a new name for a category of the service',
      ({ category }) => ['update_category', { category_id: category('Uncategorized'), name: 'x' }],
      'name: the service itself names this category',
    ],
    [
      'another group for the category of a card',
      ({ category, group }) => [
        'update_category',
        { category_id: category('Card'), category_group_id: group('Fun') },
      ],
      'category_group_id: a category of the service itself keeps its group',
    ],
    [
      'a group of the service',
      ({ group }) => ['create_category', { category_group_id: group('Hidden Categories'), name: 'x' }],
      'category_group_id: "Hidden Categories" is a group of the service itself',
    ],
    [
      'an unknown group',
      ({ category }) => ['update_category', { category_id: category('Goal 0'), category_group_id: UNKNOWN }],
      'category_group_id: there is no category group',
    ],
    [
      'a goal below zero',
      ({ category }) => ['update_category', { category_id: category('Goal 0'), goal_target: -1 }],
      'goal_target: must not be negative',
    ],
    [
      'a goal of a category of the service',
      ({ category }) => ['update_category', { category_id: category('Uncategorized'), goal_target: 1 }],
      'goal_target: a category of the service itself has no goal',
    ],
    [
      'a day of a goal without one',
      ({ category }) => [
        'update_category',
        { category_id: category('Goal 0'), goal_target_date: '2026-12-31' },
      ],
      'goal_target_date: a goal of type TB has no day',
    ],
    [
      'a detail without a goal',
      ({ group }) => [
        'create_category',
        { category_group_id: group('Fun'), name: 'x', goal_needs_whole_amount: false },
      ],
      'goal_needs_whole_amount: only a goal of type NEED has it',
    ],
    [
      'a month before the budget',
      ({ category }) => [
        'update_month_category',
        { month: '2015-01', category_id: category('Goal 0'), budgeted: 1 },
      ],
      'month: the budget begins after 2015-01',
    ],
    [
      'a month far ahead',
      ({ category }) => [
        'update_month_category',
        { month: '2029-01', category_id: category('Goal 0'), budgeted: 1 },
      ],
      'month: 2029-01 is more than 12 months ahead',
    ],
    [
      'money in a category of the service',
      ({ category }) => [
        'update_month_category',
        { month: '2026-01', category_id: category('Uncategorized'), budgeted: 1 },
      ],
      'category_id: nothing can be budgeted',
    ],
  ])('%s', async (_, call, problem) => {
    const started = startNamed(service);
    const { outcome, predicted } = await started.compare(...call(started));
    expect(predicted).toContain(problem);
    expect(outcome).toBe('refused by the service');
  });
});

describe('a dry run names no problem where the service ignores what would be one', () => {
  test.each<[string, Call]>([
    [
      'the name of a group of the service again',
      ({ group }) => [
        'update_category_group',
        { category_group_id: group('Hidden Categories'), name: 'Hidden Categories' },
      ],
    ],
    [
      'a month that is not budgeted yet',
      ({ category }) => [
        'update_month_category',
        { month: '2026-12', category_id: category('Goal 0'), budgeted: 1 },
      ],
    ],
  ])('%s', async (_, call) => {
    const started = startNamed(service);
    expect((await started.compare(...call(started))).outcome).toBe('written');
  });
});
