/** The categories of a budget, in the current month or in a given month (docs/interface.md, Category). */
import { Hono } from 'hono';
import { answer } from '../answer.ts';
import type { Authenticated } from '../authentication.ts';
import { budget } from '../budget-lookup.ts';
import { orNotFound } from '../errors.ts';
import { newerThan177, type Versioned } from '../interface-version.ts';
import { delta, month, path, query } from '../parameters.ts';
import { readBody } from '../writes/body.ts';
import {
  addCategory,
  setMonthBudget as budgetIn,
  canBudget,
  categoryBody,
  changeCategory,
  monthCategoryBody,
  newCategoryBody,
} from '../writes/categories.ts';
import { commit, type Limited } from '../writes/limits.ts';
import { monthOf } from './months.ts';

export const categoryRoutes = new Hono<Authenticated & Versioned & Limited>()
  .get('/budgets/:budget_id/categories', budget, query(delta), (c) => {
    const { ledger } = c.var;
    const { last_knowledge_of_server: since } = c.req.valid('query');
    return c.json(
      answer(c, { category_groups: ledger.categoryGroups(since), server_knowledge: ledger.knowledge }),
    );
  })
  .post('/budgets/:budget_id/categories', newerThan177, budget, async (c) => {
    const { ledger } = c.var;
    const { category: fields } = await readBody(c, newCategoryBody(c.var.version));
    const { id } = commit(c.var, (state) => addCategory(state, fields, c.var.version));
    const category = ledger.category(id);
    return c.json(answer(c, { category, server_knowledge: ledger.knowledge }), 201);
  })
  .get('/budgets/:budget_id/categories/:category_id', budget, (c) => {
    const category = orNotFound(c.var.ledger.category(c.req.param('category_id')), 'category');
    return c.json(answer(c, { category }));
  })
  .patch('/budgets/:budget_id/categories/:category_id', budget, async (c) => {
    const { ledger } = c.var;
    const { category: change } = await readBody(c, categoryBody(c.var.version));
    const before = orNotFound(ledger.state.categories.get(c.req.param('category_id')), 'category');
    commit(c.var, (state) => changeCategory(state, before, change, c.var.version));
    const category = ledger.category(before.id);
    return c.json(answer(c, { category, server_knowledge: ledger.knowledge }));
  })
  .get('/budgets/:budget_id/months/:month/categories/:category_id', budget, path(month), (c) => {
    const { ledger } = c.var;
    const { month } = monthOf(ledger, c.req.valid('param').month);
    const category = orNotFound(ledger.category(c.req.param('category_id'), month), 'category');
    return c.json(answer(c, { category }));
  })
  .patch('/budgets/:budget_id/months/:month/categories/:category_id', budget, path(month), async (c) => {
    const { ledger } = c.var;
    const change = await readBody(c, monthCategoryBody);
    const { month: monthParameter } = c.req.valid('param');
    const month = monthParameter === 'current' ? ledger.currentMonth : monthParameter;
    orNotFound(canBudget(ledger.state, month) || undefined, 'month');
    const before = orNotFound(ledger.state.categories.get(c.req.param('category_id')), 'category');
    const { grant, now } = c.var;
    const origin = { moved_at: new Date(now).toISOString(), user_id: grant.user.id, group_id: null };
    commit(c.var, (state) => budgetIn(state, before, month, change.category.budgeted, origin));
    const category = ledger.category(before.id, month);
    return c.json(answer(c, { category, server_knowledge: ledger.knowledge }));
  });
