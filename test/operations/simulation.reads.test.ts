import { describe, expect, test } from 'vitest';
import { BudgetError, type ErrorCode } from '../../src/base/errors.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { type ReadWithFreshness, simulate } from '../../src/operations/simulation.ts';
import { createTransactions, deleteTransaction } from '../../src/operations/transaction-writes.ts';
import { getTransaction } from '../../src/operations/transactions.ts';
import { callOperation } from '../call-operation.helper.ts';
import { failureOf } from '../session/sending.helper.ts';
import { NOWHERE, type Started, spending, start, TODAY, transferTo } from './simulating.helper.ts';

describe('the reads of a simulation', () => {
  /** Simulates with the reads of a client, which `before` can replace by an error. Returns the names of the reads. */
  async function readsOf(
    started: Started,
    operation: Operation,
    input: Readonly<Record<string, unknown>>,
    before = (_: Operation) => {},
  ) {
    const names: string[] = [];
    const read: ReadWithFreshness<{ readonly as_of: string }> = async (operation, input) => {
      names.push(operation.name);
      before(operation);
      const { data } = await callOperation(started.client, operation, input);
      return { data, freshness: { as_of: `${TODAY}T12:00:00Z` } };
    };
    await simulate(
      read,
      operation,
      operation.input.parse({ budget_id: started.budget_id, ...input }),
      () => ({
        today: TODAY,
        ofService: TODAY,
      }),
    );
    return names;
  }

  test('a simulation reads the payees only if it refers to one by id that is no account', async () => {
    const started = await start();
    const payee = [...started.books.payees.values()].find((each) => each['transfer_account_id'] === null);
    const reads = (fields: Readonly<Record<string, unknown>>) =>
      readsOf(started, createTransactions, { transactions: [spending(started, fields)] });
    const usual = ['list_accounts', 'list_categories'];
    expect(await reads({})).toEqual(usual);
    expect(await reads({ payee_name: 'Baker' })).toEqual(usual);
    expect(await reads({ payee_id: transferTo(started, 'Savings') })).toEqual(usual);
    expect(await reads({ payee_id: payee?.id })).toEqual([...usual, 'list_payees']);
  });

  test('a simulation fails if the entity to change cannot be read, except if it does not exist', async () => {
    const started = await start();
    const failing = (code: ErrorCode) => (operation: Operation) => {
      if (operation === getTransaction) throw new BudgetError(code, 'It failed.');
    };
    const reads = (code: ErrorCode) =>
      readsOf(started, deleteTransaction, { transaction_id: NOWHERE }, failing(code));
    expect((await failureOf(reads('service_unavailable'))).code).toBe('service_unavailable');
    expect(await reads('resource_not_found')).toContain('get_transaction');
  });
});
