/** The scheduled transactions of a budget (docs/interface.md, Scheduled transaction). */
import { Hono } from 'hono';
import { answer } from '../answer.ts';
import type { Authenticated } from '../authentication.ts';
import { budget } from '../budget-lookup.ts';
import { orNotFound } from '../errors.ts';
import type { Versioned } from '../interface-version.ts';
import { deleteScheduled } from '../ledger/scheduled-transactions.ts';
import { tombstoneOf } from '../ledger/tombstone.ts';
import { delta, query } from '../parameters.ts';
import { readBody } from '../writes/body.ts';
import { commit, type Limited } from '../writes/limits.ts';
import { reschedule, schedule, scheduledTransactionBody } from '../writes/scheduled-transactions.ts';

export const scheduledTransactionRoutes = new Hono<Authenticated & Versioned & Limited>()
  .get('/budgets/:budget_id/scheduled_transactions', budget, query(delta), (c) => {
    const { ledger } = c.var;
    const { last_knowledge_of_server: since } = c.req.valid('query');
    const scheduled_transactions = ledger.scheduledTransactions(since);
    return c.json(answer(c, { scheduled_transactions, server_knowledge: ledger.knowledge }));
  })
  .get('/budgets/:budget_id/scheduled_transactions/:scheduled_transaction_id', budget, (c) => {
    const id = c.req.param('scheduled_transaction_id');
    const scheduled_transaction = orNotFound(c.var.ledger.scheduledTransaction(id), 'scheduled transaction');
    return c.json(answer(c, { scheduled_transaction }));
  })
  .post('/budgets/:budget_id/scheduled_transactions', budget, async (c) => {
    const { scheduled_transaction: fields } = await readBody(c, scheduledTransactionBody);
    const { id } = commit(c.var, (state) => schedule(state, fields));
    return c.json(answer(c, { scheduled_transaction: c.var.ledger.scheduledTransaction(id) }), 201);
  })
  .put('/budgets/:budget_id/scheduled_transactions/:scheduled_transaction_id', budget, async (c) => {
    const { ledger } = c.var;
    const { scheduled_transaction: fields } = await readBody(c, scheduledTransactionBody);
    const id = c.req.param('scheduled_transaction_id');
    const before = orNotFound(ledger.state.scheduled.get(id), 'scheduled transaction');
    commit(c.var, (state) => reschedule(state, before, fields));
    return c.json(answer(c, { scheduled_transaction: ledger.scheduledTransaction(id) }));
  })
  .delete('/budgets/:budget_id/scheduled_transactions/:scheduled_transaction_id', budget, (c) => {
    const id = c.req.param('scheduled_transaction_id');
    const before = orNotFound(c.var.ledger.scheduledTransaction(id), 'scheduled transaction');
    commit(c.var, (state) => deleteScheduled(state, id));
    return c.json(answer(c, { scheduled_transaction: tombstoneOf(before) }));
  });
