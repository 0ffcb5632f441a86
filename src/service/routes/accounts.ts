/** The accounts of a budget (specification, Account). */
import { Hono } from 'hono';
import type { Authenticated } from '../authentication.ts';
import { budget } from '../budget-lookup.ts';
import { orNotFound } from '../errors.ts';
import { delta, query } from '../parameters.ts';

export const accountRoutes = new Hono<Authenticated>()
  .get('/budgets/:budget_id/accounts', budget, query(delta), (c) => {
    const { ledger } = c.var;
    const { last_knowledge_of_server: since } = c.req.valid('query');
    return c.json({ data: { accounts: ledger.accounts(since), server_knowledge: ledger.knowledge } });
  })
  .get('/budgets/:budget_id/accounts/:account_id', budget, (c) => {
    const account = orNotFound(c.var.ledger.account(c.req.param('account_id')), 'account');
    return c.json({ data: { account } });
  });
