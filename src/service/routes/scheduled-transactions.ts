/** The scheduled transactions of a budget (specification, Scheduled transaction). */
import { Hono } from 'hono';
import type { Authenticated } from '../authentication.ts';
import { budget } from '../budget-lookup.ts';
import { orNotFound } from '../errors.ts';
import { delta, query } from '../parameters.ts';

export const scheduledTransactionRoutes = new Hono<Authenticated>()
  .get('/budgets/:budget_id/scheduled_transactions', budget, query(delta), (c) => {
    const { ledger } = c.var;
    const { last_knowledge_of_server: since } = c.req.valid('query');
    const scheduled_transactions = ledger.scheduledTransactions(since);
    return c.json({ data: { scheduled_transactions, server_knowledge: ledger.knowledge } });
  })
  .get('/budgets/:budget_id/scheduled_transactions/:scheduled_transaction_id', budget, (c) => {
    const id = c.req.param('scheduled_transaction_id');
    const scheduled_transaction = orNotFound(c.var.ledger.scheduledTransaction(id), 'scheduled transaction');
    return c.json({ data: { scheduled_transaction } });
  });
