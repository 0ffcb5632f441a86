/**
 * Writing transactions: create one or many, update many, import, update one and delete one (docs/interface.md,
 * Endpoints). The success of an update of many is 209 at 1.86.
 */
import { Hono } from 'hono';
import { answer } from '../answer.ts';
import type { Authenticated } from '../authentication.ts';
import { budget } from '../budget-lookup.ts';
import { orNotFound, ServiceError } from '../errors.ts';
import type { Versioned } from '../interface-version.ts';
import { tombstoneOf } from '../ledger/tombstone.ts';
import { deleteTransaction } from '../ledger/transactions.ts';
import type { Ledger } from '../ledger.ts';
import { readBody } from '../writes/body.ts';
import { createTransactions, importPending } from '../writes/create-transactions.ts';
import { checkRows, commit, type Limited } from '../writes/limits.ts';
import { changedTransaction, changedTransactions, newTransactions } from '../writes/transaction-fields.ts';
import { updateSingleTransaction, updateTransactions } from '../writes/update-transactions.ts';

export const transactionWrites = new Hono<Authenticated & Versioned & Limited>()
  .post('/budgets/:budget_id/transactions', budget, async (c) => {
    const { ledger } = c.var;
    const { transaction, transactions } = await readBody(c, newTransactions);
    const rows = transactions ?? [transaction];
    checkRows(rows);
    const { transaction_ids, duplicate_import_ids } = commit(c.var, (state) => {
      const created = createTransactions(state, rows);
      if (!transactions && created.duplicate_import_ids.length > 0) {
        throw new ServiceError('conflict', 'import_id exists on the account already (index: 0)');
      }
      return created;
    });
    const saved = savedTransactions(ledger, transaction_ids);
    const result = transactions ? { transactions: saved, duplicate_import_ids } : { transaction: saved[0] };
    return c.json(answer(c, { transaction_ids, ...result, server_knowledge: ledger.knowledge }), 201);
  })
  .patch('/budgets/:budget_id/transactions', budget, async (c) => {
    const { ledger } = c.var;
    const { transactions: rows } = await readBody(c, changedTransactions);
    checkRows(rows);
    const transaction_ids = commit(c.var, (state) => updateTransactions(state, rows));
    const transactions = savedTransactions(ledger, transaction_ids);
    const body = answer(c, { transaction_ids, transactions, server_knowledge: ledger.knowledge });
    return c.var.version === '1.86' ? Response.json(body, { status: 209 }) : c.json(body);
  })
  .post('/budgets/:budget_id/transactions/import', budget, (c) => {
    const isPending = c.var.ledger.state.pending.size > 0;
    const transaction_ids = isPending ? commit(c.var, importPending) : [];
    return c.json(answer(c, { transaction_ids }), transaction_ids.length > 0 ? 201 : 200);
  })
  .put('/budgets/:budget_id/transactions/:transaction_id', budget, async (c) => {
    const { ledger } = c.var;
    const { transaction: change } = await readBody(c, changedTransaction);
    const before = orNotFound(ledger.state.transactions.get(c.req.param('transaction_id')), 'transaction');
    commit(c.var, (state) => updateSingleTransaction(state, before, change));
    const transaction = ledger.transaction(before.id);
    return c.json(answer(c, { transaction, server_knowledge: ledger.knowledge }));
  })
  .delete('/budgets/:budget_id/transactions/:transaction_id', budget, (c) => {
    const { ledger } = c.var;
    const before = orNotFound(ledger.transaction(c.req.param('transaction_id')), 'transaction');
    commit(c.var, (state) => deleteTransaction(state, before.id));
    return c.json(answer(c, { transaction: tombstoneOf(before), server_knowledge: ledger.knowledge }));
  });

function savedTransactions(ledger: Ledger, ids: readonly string[]) {
  return ids.flatMap((id) => ledger.transaction(id) ?? []);
}
