/** Creating and renaming category groups (docs/interface.md, Category). */
import { Hono } from 'hono';
import { answer } from '../answer.ts';
import type { Authenticated } from '../authentication.ts';
import { budget } from '../budget-lookup.ts';
import { orNotFound } from '../errors.ts';
import { newerThan177, type Versioned } from '../interface-version.ts';
import { createCategoryGroup } from '../ledger/categories.ts';
import { readBody } from '../writes/body.ts';
import { categoryGroupBody, renameCategoryGroup } from '../writes/category-groups.ts';
import { commit, type Limited } from '../writes/limits.ts';

export const categoryGroupRoutes = new Hono<Authenticated & Versioned & Limited>()
  .post('/budgets/:budget_id/category_groups', newerThan177, budget, async (c) => {
    const { ledger } = c.var;
    const { category_group: fields } = await readBody(c, categoryGroupBody);
    const { id } = commit(c.var, (state) => createCategoryGroup(state, fields.name));
    const category_group = ledger.categoryGroup(id);
    return c.json(answer(c, { category_group, server_knowledge: ledger.knowledge }), 201);
  })
  .patch('/budgets/:budget_id/category_groups/:category_group_id', newerThan177, budget, async (c) => {
    const { ledger } = c.var;
    const { category_group: fields } = await readBody(c, categoryGroupBody);
    const before = orNotFound(ledger.state.groups.get(c.req.param('category_group_id')), 'category group');
    commit(c.var, (state) => renameCategoryGroup(state, before, fields.name));
    const category_group = ledger.categoryGroup(before.id);
    return c.json(answer(c, { category_group, server_knowledge: ledger.knowledge }));
  });
