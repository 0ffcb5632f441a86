/** The categories of a budget, in the current month or in a given one (specification, Category). */
import { Hono } from 'hono';
import type { Authenticated } from '../authentication.ts';
import { budget } from '../budget-lookup.ts';
import { orNotFound } from '../errors.ts';
import { delta, month, path, query } from '../parameters.ts';
import { monthOf } from './months.ts';

export const categoryRoutes = new Hono<Authenticated>()
  .get('/budgets/:budget_id/categories', budget, query(delta), (c) => {
    const { ledger } = c.var;
    const { last_knowledge_of_server: since } = c.req.valid('query');
    return c.json({
      data: { category_groups: ledger.categoryGroups(since), server_knowledge: ledger.knowledge },
    });
  })
  .get('/budgets/:budget_id/categories/:category_id', budget, (c) => {
    const category = orNotFound(c.var.ledger.category(c.req.param('category_id')), 'category');
    return c.json({ data: { category } });
  })
  .get('/budgets/:budget_id/months/:month/categories/:category_id', budget, path(month), (c) => {
    const { ledger } = c.var;
    const { month } = monthOf(ledger, c.req.valid('param').month);
    const category = orNotFound(ledger.category(c.req.param('category_id'), month), 'category');
    return c.json({ data: { category } });
  });
