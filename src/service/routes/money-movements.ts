/** Money movements and their groups, of all months or of one (docs/interface.md, Money movement). No deltas. */
import { Hono } from 'hono';
import { answer } from '../answer.ts';
import type { Authenticated } from '../authentication.ts';
import { budget } from '../budget-lookup.ts';
import { newerThan177, type Versioned } from '../interface-version.ts';
import { month, path } from '../parameters.ts';
import { monthOf } from './months.ts';

export const moneyMovementRoutes = new Hono<Authenticated & Versioned>()
  .get('/budgets/:budget_id/money_movements', newerThan177, budget, (c) => {
    const { ledger } = c.var;
    return c.json(
      answer(c, { money_movements: ledger.moneyMovements(), server_knowledge: ledger.knowledge }),
    );
  })
  .get('/budgets/:budget_id/months/:month/money_movements', newerThan177, budget, path(month), (c) => {
    const { ledger } = c.var;
    const money_movements = ledger.moneyMovements(monthOf(ledger, c.req.valid('param').month).month);
    return c.json(answer(c, { money_movements, server_knowledge: ledger.knowledge }));
  })
  .get('/budgets/:budget_id/money_movement_groups', newerThan177, budget, (c) => {
    const { ledger } = c.var;
    const money_movement_groups = ledger.moneyMovementGroups();
    return c.json(answer(c, { money_movement_groups, server_knowledge: ledger.knowledge }));
  })
  .get('/budgets/:budget_id/months/:month/money_movement_groups', newerThan177, budget, path(month), (c) => {
    const { ledger } = c.var;
    const money_movement_groups = ledger.moneyMovementGroups(
      monthOf(ledger, c.req.valid('param').month).month,
    );
    return c.json(answer(c, { money_movement_groups, server_knowledge: ledger.knowledge }));
  });
