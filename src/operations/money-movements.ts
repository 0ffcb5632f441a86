/** Operations that read the movements of money between categories (docs/interface.md, Money movement). */
import { z } from 'zod';
import { budgetId, integer, month } from '../base/schema/fields.ts';
import { moneyMovement, moneyMovementGroup } from '../base/schema/money-movement.ts';
import { operation } from './operation.ts';

/** Exports and deltas of a budget lack them. */
const read = { addedIn: '1.85', isCachedByKnowledge: true } as const;

const movements = {
  output: { money_movements: z.array(moneyMovement), server_knowledge: integer },
  rows: { key: 'money_movements', order: 'as sent' },
} as const;

const groups = {
  output: { money_movement_groups: z.array(moneyMovementGroup), server_knowledge: integer },
  rows: { key: 'money_movement_groups', order: 'as sent' },
} as const;

export const listMoneyMovements = operation({
  ...read,
  ...movements,
  name: 'list_money_movements',
  description: 'Movements between categories. Without category it is Ready to Assign.',
  route: 'GET /budgets/{budget_id}/money_movements',
  input: { budget_id: budgetId },
});

export const listMonthMoneyMovements = operation({
  ...read,
  ...movements,
  name: 'list_month_money_movements',
  title: "List a month's money movements",
  description: 'Movements between categories, by month.',
  route: 'GET /budgets/{budget_id}/months/{month}/money_movements',
  input: { budget_id: budgetId, month },
  example: { month: 'current' },
});

export const listMoneyMovementGroups = operation({
  ...read,
  ...groups,
  name: 'list_money_movement_groups',
  description: 'Movements made together.',
  route: 'GET /budgets/{budget_id}/money_movement_groups',
  input: { budget_id: budgetId },
});

export const listMonthMoneyMovementGroups = operation({
  ...read,
  ...groups,
  name: 'list_month_money_movement_groups',
  title: "List a month's money movement groups",
  description: 'Movements made together, by month.',
  route: 'GET /budgets/{budget_id}/months/{month}/money_movement_groups',
  input: { budget_id: budgetId, month },
  example: { month: 'current' },
});
