/** Budgets that were deleted, and budgets that never existed. */

import { describe, expect, it } from 'vitest';
import { listBudgets } from '../../src/operations/budgets.ts';
import { listPayees } from '../../src/operations/payees.ts';
import { deleteTransaction } from '../../src/operations/transaction-writes.ts';
import type { BudgetClient } from '../../src/session/budget-client.ts';
import { callOperation } from '../call-operation.helper.ts';
import { startHolding, startWarm } from './holding.helper.ts';
import { failureOf } from './sending.helper.ts';

const payees = (client: BudgetClient, budget_id?: string) =>
  callOperation(client, listPayees, budget_id === undefined ? {} : { budget_id });
const listed = async (client: BudgetClient) =>
  (await callOperation(client, listBudgets, {})).data.budgets.map(({ id }) => id);

/** A budget that is cached, and then deleted in the app. */
async function startWithDeleted(isConfigured = false) {
  const started = await startWarm((client) => payees(client), {}, isConfigured);
  const { service, clock, client } = started;
  const budget = (await payees(client)).budget ?? expect.unreachable();
  clock.advance(12_000);
  service.user.ledgers.splice(
    service.user.ledgers.findIndex(({ id }) => id === budget.id),
    1,
  );
  started.asked();
  return { ...started, deleted: budget };
}

describe('a deleted budget', () => {
  it('a deleted budget is not in the next list', async () => {
    const { client, deleted, service } = await startWithDeleted();
    expect(await listed(client)).toEqual(service.user.ledgers.map(({ id }) => id));
    expect(await listed(client)).not.toContain(deleted.id);
    expect((await client.status()).replicas.cached).toEqual([]);
  });

  it('a read of a deleted budget is an error that lists the existing budgets', async () => {
    const { client, deleted, service } = await startWithDeleted();
    const [left] = service.user.ledgers;
    expect(await failureOf(payees(client, deleted.id))).toMatchObject({
      code: 'unknown_budget',
      message: expect.stringContaining(left?.id ?? 'nothing'),
    });
  });

  it('a deleted budget is no default: the next call without a budget uses another one', async () => {
    const { client, deleted, service } = await startWithDeleted();
    await failureOf(payees(client));
    const { budget } = await payees(client);
    expect(budget?.id).not.toBe(deleted.id);
    expect(service.user.ledgers.map(({ id }) => id)).toContain(budget?.id);
  });

  it('a call without a budget is an error if the configured budget was deleted', async () => {
    const { client } = await startWithDeleted(true);
    await failureOf(payees(client));
    expect((await failureOf(payees(client))).message).toContain(
      'The configured default budget does not exist.',
    );
  });

  it('a write to a deleted budget is refused, and no other budget is changed', async () => {
    const { client, service } = await startWithDeleted();
    const before = service.user.ledgers.map(({ knowledge }) => knowledge);
    const failure = failureOf(callOperation(client, deleteTransaction, { transaction_id: 'any' }));
    expect((await failure).code).toBe('unknown_budget');
    expect(service.user.ledgers.map(({ knowledge }) => knowledge)).toEqual(before);
  });

  it('a refresh of a deleted budget is an error', async () => {
    const { client, deleted } = await startWithDeleted();
    const call = client.begin();
    await call.resolveBudget(deleted.id);
    expect((await failureOf(call.refresh(false))).code).toBe('unknown_budget');
  });
});

describe('unknown budgets', () => {
  it('unknown budgets cause one new list in ten seconds, however many are requested by whichever caller', async () => {
    const { client, clock, asked } = await startWarm((client) => payees(client));
    const miss = async (times: number) => {
      for (let i = 0; i < times; i += 1) {
        clock.advance(100);
        expect((await failureOf(payees(client, `nope ${clock.now()}`))).code).toBe('unknown_budget');
      }
    };
    await miss(50);
    expect(asked()).toEqual(['budgets']);
    clock.advance(4_000);
    await Promise.all(Array.from({ length: 50 }, (_, i) => failureOf(payees(client, `none ${i}`))));
    expect(asked()).toEqual([]);
    await miss(90);
    expect(asked()).toEqual(['budgets']);
  });

  it('unknown budgets are searched for again after ten seconds, also if the wall clock was set back', async () => {
    const { client, clock, asked } = await startHolding();
    await failureOf(payees(client, 'nope'));
    clock.setWallClock(clock.now() - 3_600_000);
    clock.advance(10_000);
    asked();
    await failureOf(payees(client, 'nope'));
    expect(asked()).toEqual(['budgets']);
  });
});
