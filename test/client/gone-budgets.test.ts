/** Budgets that vanish, and budgets that never were. */
import { describe, expect, it } from 'vitest';
import type { BudgetClient } from '../../src/client/budget-client.ts';
import { listBudgets } from '../../src/operations/budgets.ts';
import { listPayees } from '../../src/operations/payees.ts';
import { deleteTransaction } from '../../src/operations/transaction-writes.ts';
import { startHolding, startWarm } from './holding.ts';
import { failureOf } from './sending.ts';

const payees = (client: BudgetClient, budget_id?: string) =>
  client.call(listPayees, budget_id === undefined ? {} : { budget_id });
const listed = async (client: BudgetClient) =>
  (await client.call(listBudgets, {})).data.budgets.map(({ id }) => id);

/** A budget that is held, and then deleted in the app. */
async function startGone(isConfigured = false) {
  const started = await startWarm((client) => payees(client), {}, isConfigured);
  const { service, clock, client } = started;
  const budget = (await payees(client)).budget ?? expect.unreachable();
  clock.advance(12_000);
  service.user.ledgers.splice(
    service.user.ledgers.findIndex(({ id }) => id === budget.id),
    1,
  );
  started.asked();
  return { ...started, gone: budget };
}

describe('a budget that is gone', () => {
  it('is not in the list any more when that is asked for next', async () => {
    const { client, gone, service } = await startGone();
    expect(await listed(client)).toEqual(service.user.ledgers.map(({ id }) => id));
    expect(await listed(client)).not.toContain(gone.id);
    expect((await client.status()).replicas.cached).toEqual([]);
  });

  it('is said to be gone where it is asked about, with what there is instead', async () => {
    const { client, gone, service } = await startGone();
    const [left] = service.user.ledgers;
    expect(await failureOf(payees(client, gone.id))).toMatchObject({
      code: 'unknown_budget',
      message: expect.stringContaining(left?.id ?? 'nothing'),
    });
  });

  it('is no default: the next call without a budget is about another one', async () => {
    const { client, gone, service } = await startGone();
    await failureOf(payees(client));
    const { budget } = await payees(client);
    expect(budget?.id).not.toBe(gone.id);
    expect(service.user.ledgers.map(({ id }) => id)).toContain(budget?.id);
  });

  it('is told of where it is the configured one', async () => {
    const { client } = await startGone(true);
    await failureOf(payees(client));
    expect((await failureOf(payees(client))).message).toContain(
      'The configured default budget does not exist.',
    );
  });

  it('takes no write, and none goes to another budget', async () => {
    const { client, service } = await startGone();
    const before = service.user.ledgers.map(({ knowledge }) => knowledge);
    const failure = failureOf(client.call(deleteTransaction, { transaction_id: 'any' }));
    expect((await failure).code).toBe('unknown_budget');
    expect(service.user.ledgers.map(({ knowledge }) => knowledge)).toEqual(before);
  });

  it('says so when it is to be refreshed', async () => {
    const { client, gone } = await startGone();
    expect((await failureOf(client.begin({ budget: gone }).refresh(false))).code).toBe('unknown_budget');
  });
});

describe('budgets that there are not', () => {
  it('cost one fresh list in ten seconds, however many are asked for and by whomever', async () => {
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

  it('are looked for again after ten seconds also where the wall clock was set back', async () => {
    const { client, clock, asked } = await startHolding();
    await failureOf(payees(client, 'nope'));
    clock.setWallClock(clock.now() - 3_600_000);
    clock.advance(10_000);
    asked();
    await failureOf(payees(client, 'nope'));
    expect(asked()).toEqual(['budgets']);
  });
});
