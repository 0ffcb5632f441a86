/**
 * Lists of full transactions: of a budget, an account or a month. Lists by category or payee contain hybrid rows, in
 * which each leg of a split is a row (docs/interface.md, Transaction).
 */
import { Hono } from 'hono';
import { answer } from '../answer.ts';
import type { Authenticated } from '../authentication.ts';
import { budget } from '../budget-lookup.ts';
import { orNotFound } from '../errors.ts';
import type { Versioned } from '../interface-version.ts';
import { month, path, transactionFilter } from '../parameters.ts';
import { monthOf } from './months.ts';

export const transactionRoutes = new Hono<Authenticated & Versioned>()
  .get('/budgets/:budget_id/transactions', budget, transactionFilter(), (c) => {
    const { ledger } = c.var;
    const transactions = ledger.transactions(undefined, c.req.valid('query'));
    return c.json(answer(c, { transactions, server_knowledge: ledger.knowledge }));
  })
  .get('/budgets/:budget_id/transactions/:transaction_id', budget, (c) => {
    const { ledger } = c.var;
    const transaction = orNotFound(ledger.transaction(c.req.param('transaction_id')), 'transaction');
    return c.json(answer(c, { transaction, server_knowledge: ledger.knowledge }));
  })
  .get('/budgets/:budget_id/accounts/:account_id/transactions', budget, transactionFilter(), (c) => {
    const { ledger } = c.var;
    const { id } = orNotFound(ledger.account(c.req.param('account_id')), 'account');
    const transactions = ledger.transactions({ account_id: id }, c.req.valid('query'));
    return c.json(answer(c, { transactions, server_knowledge: ledger.knowledge }));
  })
  .get(
    '/budgets/:budget_id/months/:month/transactions',
    budget,
    path(month),
    transactionFilter('of a month'),
    (c) => {
      const { ledger } = c.var;
      const { month } = monthOf(ledger, c.req.valid('param').month);
      const transactions = ledger.transactions({ month }, c.req.valid('query'));
      return c.json(answer(c, { transactions, server_knowledge: ledger.knowledge }));
    },
  )
  .get('/budgets/:budget_id/categories/:category_id/transactions', budget, transactionFilter(), (c) => {
    const { ledger } = c.var;
    const { id } = orNotFound(ledger.category(c.req.param('category_id')), 'category');
    const transactions = ledger.hybridTransactions({ category_id: id }, c.req.valid('query'));
    return c.json(answer(c, { transactions, server_knowledge: ledger.knowledge }));
  })
  .get('/budgets/:budget_id/payees/:payee_id/transactions', budget, transactionFilter(), (c) => {
    const { ledger } = c.var;
    const { id } = orNotFound(ledger.payee(c.req.param('payee_id')), 'payee');
    const transactions = ledger.hybridTransactions({ payee_id: id }, c.req.valid('query'));
    return c.json(answer(c, { transactions, server_knowledge: ledger.knowledge }));
  });
