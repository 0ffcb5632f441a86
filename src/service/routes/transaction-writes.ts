/**
 * Writing transactions: create one or many, update many, import, update and delete one (specification, Endpoints).
 * An update of many answers 200 as the real service does, although its own description says 209.
 */
import { Hono } from 'hono';
import type { Authenticated } from '../authentication.ts';
import { budget } from '../budget-lookup.ts';
import { orNotFound, ServiceError } from '../errors.ts';
import { tombstoneOf } from '../ledger/tombstone.ts';
import { deleteTransaction } from '../ledger/transactions.ts';
import type { Ledger } from '../ledger.ts';
import { bodyOf } from '../writes/body.ts';
import { createTransactions, importPending } from '../writes/create-transactions.ts';
import { checkRows, commit, type Limited } from '../writes/limits.ts';
import { changedTransaction, changedTransactions, newTransactions } from '../writes/transaction-fields.ts';
import { updateTransactionOf, updateTransactions } from '../writes/update-transactions.ts';

export const transactionWrites = new Hono<Authenticated & Limited>()
  .post('/budgets/:budget_id/transactions', budget, async (c) => {
    const { ledger } = c.var;
    const { transaction, transactions } = await bodyOf(c, newTransactions);
    const rows = transactions ?? [transaction];
    checkRows(rows);
    const { transaction_ids, duplicate_import_ids } = commit(c.var, (books) => {
      const created = createTransactions(books, rows);
      if (!transactions && created.duplicate_import_ids.length > 0) {
        throw new ServiceError('conflict', 'import_id exists on the account already (index: 0)');
      }
      return created;
    });
    const saved = savedIn(ledger, transaction_ids);
    const what = transactions ? { transactions: saved, duplicate_import_ids } : { transaction: saved[0] };
    return c.json({ data: { transaction_ids, ...what, server_knowledge: ledger.knowledge } }, 201);
  })
  .patch('/budgets/:budget_id/transactions', budget, async (c) => {
    const { ledger } = c.var;
    const { transactions: rows } = await bodyOf(c, changedTransactions);
    checkRows(rows);
    const transaction_ids = commit(c.var, (books) => updateTransactions(books, rows));
    const transactions = savedIn(ledger, transaction_ids);
    return c.json({ data: { transaction_ids, transactions, server_knowledge: ledger.knowledge } });
  })
  .post('/budgets/:budget_id/transactions/import', budget, (c) => {
    const isPending = c.var.ledger.books.pending.size > 0;
    const transaction_ids = isPending ? commit(c.var, importPending) : [];
    return c.json({ data: { transaction_ids } }, transaction_ids.length > 0 ? 201 : 200);
  })
  .put('/budgets/:budget_id/transactions/:transaction_id', budget, async (c) => {
    const { ledger } = c.var;
    const { transaction: said } = await bodyOf(c, changedTransaction);
    const before = orNotFound(ledger.books.transactions.get(c.req.param('transaction_id')), 'transaction');
    commit(c.var, (books) => updateTransactionOf(books, before, said));
    const transaction = ledger.transaction(before.id);
    return c.json({ data: { transaction, server_knowledge: ledger.knowledge } });
  })
  .delete('/budgets/:budget_id/transactions/:transaction_id', budget, (c) => {
    const { ledger } = c.var;
    const before = orNotFound(ledger.transaction(c.req.param('transaction_id')), 'transaction');
    commit(c.var, (books) => deleteTransaction(books, before.id));
    return c.json({ data: { transaction: tombstoneOf(before), server_knowledge: ledger.knowledge } });
  });

function savedIn(ledger: Ledger, ids: readonly string[]) {
  return ids.flatMap((id) => ledger.transaction(id) ?? []);
}
