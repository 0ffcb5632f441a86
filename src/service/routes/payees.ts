/** The payees of a budget and their locations (docs/interface.md, Payee). */
import { Hono } from 'hono';
import { answer } from '../answer.ts';
import type { Authenticated } from '../authentication.ts';
import { budget } from '../budget-lookup.ts';
import { orNotFound } from '../errors.ts';
import { newerThan177, type Versioned } from '../interface-version.ts';
import { delta, query } from '../parameters.ts';
import { readBody } from '../writes/body.ts';
import { commit, type Limited } from '../writes/limits.ts';
import { addPayee, newPayeeBody, payeeBody, updatePayee } from '../writes/payees.ts';

export const payeeRoutes = new Hono<Authenticated & Versioned & Limited>()
  .get('/budgets/:budget_id/payees', budget, query(delta), (c) => {
    const { ledger } = c.var;
    const { last_knowledge_of_server: since } = c.req.valid('query');
    return c.json(answer(c, { payees: ledger.payees(since), server_knowledge: ledger.knowledge }));
  })
  .post('/budgets/:budget_id/payees', newerThan177, budget, async (c) => {
    const { ledger } = c.var;
    const { payee: fields } = await readBody(c, newPayeeBody);
    const { id } = commit(c.var, (state) => addPayee(state, fields.name));
    return c.json(answer(c, { payee: ledger.payee(id), server_knowledge: ledger.knowledge }), 201);
  })
  .get('/budgets/:budget_id/payees/:payee_id', budget, (c) => {
    const payee = orNotFound(c.var.ledger.payee(c.req.param('payee_id')), 'payee');
    return c.json(answer(c, { payee }));
  })
  .patch('/budgets/:budget_id/payees/:payee_id', budget, async (c) => {
    const { ledger } = c.var;
    const { payee: change } = await readBody(c, payeeBody);
    const before = orNotFound(ledger.state.payees.get(c.req.param('payee_id')), 'payee');
    commit(c.var, (state) => updatePayee(state, before, change));
    return c.json(answer(c, { payee: ledger.payee(before.id), server_knowledge: ledger.knowledge }));
  })
  .get('/budgets/:budget_id/payees/:payee_id/payee_locations', budget, (c) => {
    const { ledger } = c.var;
    const payee = orNotFound(ledger.payee(c.req.param('payee_id')), 'payee');
    return c.json(answer(c, { payee_locations: ledger.payeeLocations(payee.id) }));
  })
  .get('/budgets/:budget_id/payee_locations', budget, (c) => {
    return c.json(answer(c, { payee_locations: c.var.ledger.payeeLocations() }));
  })
  .get('/budgets/:budget_id/payee_locations/:payee_location_id', budget, (c) => {
    const id = c.req.param('payee_location_id');
    const payee_location = orNotFound(c.var.ledger.payeeLocation(id), 'payee location');
    return c.json(answer(c, { payee_location }));
  });
