/** The months of a budget (docs/interface.md, Month). */
import { Hono } from 'hono';
import { answer } from '../answer.ts';
import type { Authenticated } from '../authentication.ts';
import { budget } from '../budget-lookup.ts';
import { orNotFound } from '../errors.ts';
import type { Versioned } from '../interface-version.ts';
import type { Ledger } from '../ledger.ts';
import { delta, month, path, query } from '../parameters.ts';
import type { MonthDetail } from '../resources.ts';

export const monthRoutes = new Hono<Authenticated & Versioned>()
  .get('/budgets/:budget_id/months', budget, query(delta), (c) => {
    const { ledger } = c.var;
    const { last_knowledge_of_server: since } = c.req.valid('query');
    return c.json(answer(c, { months: ledger.months(since), server_knowledge: ledger.knowledge }));
  })
  .get('/budgets/:budget_id/months/:month', budget, path(month), (c) => {
    return c.json(answer(c, { month: monthOf(c.var.ledger, c.req.valid('param').month) }));
  });

/** The month of a path, where `current` is the current month in UTC. 404.2 when the budget does not have it. */
export function monthOf(ledger: Ledger, month: string): MonthDetail {
  return orNotFound(ledger.month(month === 'current' ? ledger.currentMonth : month), 'month');
}
