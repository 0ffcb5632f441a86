/** The user's budgets: the list, one whole budget, and its settings (docs/interface.md, Budget). */
import { Hono } from 'hono';
import { yieldTurn } from '../../base/clock.ts';
import { answer } from '../answer.ts';
import type { Authenticated } from '../authentication.ts';
import { budget, ledgersOf } from '../budget-lookup.ts';
import type { Versioned } from '../interface-version.ts';
import { jsonInTurns } from '../json-in-turns.ts';
import { budgetListOptions, delta, query } from '../parameters.ts';

export const budgetRoutes = new Hono<Authenticated & Versioned>()
  .get('/budgets', query(budgetListOptions), (c) => {
    const { grant, now } = c.var;
    const { include_accounts } = c.req.valid('query');
    const budgets = ledgersOf(grant.user, now).map((ledger) =>
      include_accounts ? { ...ledger.summary(), accounts: ledger.accounts() } : ledger.summary(),
    );
    if (grant.defaultBudgetId === undefined) return c.json(answer(c, { budgets }));
    const default_budget = budgets.find(({ id }) => id === grant.defaultBudgetId) ?? null;
    return c.json(answer(c, { budgets, default_budget }));
  })
  .get('/budgets/:budget_id', budget, query(delta), async (c) => {
    const { ledger } = c.var;
    const { last_knowledge_of_server: since } = c.req.valid('query');
    const data = () => answer(c, { budget: ledger.detail(since), server_knowledge: ledger.knowledge });
    if (since !== undefined) return c.json(data());
    // A large export takes a tenth of a second. Other requests are answered meanwhile.
    await yieldTurn();
    return c.body(await jsonInTurns(data()), 200, { 'Content-Type': 'application/json' });
  })
  .get('/budgets/:budget_id/settings', budget, (c) => {
    return c.json(answer(c, { settings: c.var.ledger.settings() }));
  });
