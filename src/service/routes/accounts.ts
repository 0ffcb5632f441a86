/** The accounts of a budget (docs/interface.md, Account). */
import { Hono } from 'hono';
import { answer } from '../answer.ts';
import type { Authenticated } from '../authentication.ts';
import { budget } from '../budget-lookup.ts';
import { orNotFound } from '../errors.ts';
import type { Versioned } from '../interface-version.ts';
import { createAccount } from '../ledger/accounts.ts';
import { delta, query } from '../parameters.ts';
import { newAccountBody } from '../writes/accounts.ts';
import { readBody } from '../writes/body.ts';
import { commit, type Limited } from '../writes/limits.ts';

export const accountRoutes = new Hono<Authenticated & Versioned & Limited>()
  .get('/budgets/:budget_id/accounts', budget, query(delta), (c) => {
    const { ledger } = c.var;
    const { last_knowledge_of_server: since } = c.req.valid('query');
    return c.json(answer(c, { accounts: ledger.accounts(since), server_knowledge: ledger.knowledge }));
  })
  .get('/budgets/:budget_id/accounts/:account_id', budget, (c) => {
    const account = orNotFound(c.var.ledger.account(c.req.param('account_id')), 'account');
    return c.json(answer(c, { account }));
  })
  .post('/budgets/:budget_id/accounts', budget, async (c) => {
    const { account: newAccount } = await readBody(c, newAccountBody(c.var.version));
    const { id } = commit(c.var, (state) => createAccount(state, newAccount));
    return c.json(answer(c, { account: c.var.ledger.account(id) }), 201);
  });
