import { describe, expect, it } from 'vitest';
import { RollingRateBudget } from '../../src/client/rate-budget.ts';
import { BudgetError } from '../../src/errors.ts';
import type { SharedStore } from '../../src/state/shared-store.ts';
import {
  changeAfterWait,
  startProcesses,
  startWriting,
  untilFree,
} from '../state/blocked-processes.helper.ts';
import { sqlite } from '../state/sqlite.helper.ts';

const MINUTE = 60_000;

async function startBudgets(limit: number) {
  const { processes, ...rest } = await startProcesses(2);
  const budgetOf = (store: SharedStore) =>
    new RollingRateBudget({ clock: rest.clock, store, limit, reserve: 0 });
  const [one, other] = processes.map(budgetOf);
  if (!one || !other) throw new Error('Two processes are needed.');
  return { ...rest, stores: processes, one, other };
}

async function send(budget: RollingRateBudget, count: number) {
  for (let i = 0; i < count; i += 1)
    await (await budget.take('write')).answered({ status: 200, headers: {} });
}

describe.skipIf(!sqlite)('the requests of processes whose ledger is blocked', () => {
  it('are all counted when it is free again, also if they are more than the limit', async () => {
    const { clock, path, stores, one, other } = await startBudgets(10);
    await send(one, 1);
    const end = startWriting(path);
    await changeAfterWait(clock, () => send(one, 6));
    await changeAfterWait(clock, () => send(other, 7));
    expect([(await one.status()).used, (await other.status()).used]).toEqual([7, 8]);
    end();
    await untilFree(clock, stores);
    for (const budget of [one, other]) expect(await budget.status()).toMatchObject({ used: 14, left: 0 });
    await expect(one.take('read')).rejects.toMatchObject({ code: 'rate_budget_spent' });
  });

  it('count while they are in progress, also if they are more than the limit, and once when they have ended', async () => {
    const { clock, path, stores, one, other } = await startBudgets(4);
    const end = startWriting(path);
    const takeThree = async (budget: RollingRateBudget) => [
      await budget.take('write'),
      await budget.take('write'),
      await budget.take('write'),
    ];
    const attempts = [
      ...(await changeAfterWait(clock, () => takeThree(one))),
      ...(await changeAfterWait(clock, () => takeThree(other))),
    ];
    end();
    await untilFree(clock, stores);
    expect((await other.status()).used).toBe(6);
    for (const attempt of attempts) await attempt.answered({ status: 200, headers: {} });
    expect((await other.status()).used).toBe(6);
  });

  it('count for an hour from when they ended, however long the ledger was blocked', async () => {
    const { clock, path, stores, one, other } = await startBudgets(10);
    const end = startWriting(path);
    await changeAfterWait(clock, () => send(one, 4));
    clock.advance(40 * MINUTE);
    await send(one, 3);
    clock.advance(30 * MINUTE);
    await send(one, 1);
    end();
    await untilFree(clock, stores);
    expect((await other.status()).used).toBe(4);
    clock.advance(30 * MINUTE);
    expect((await other.status()).used).toBe(1);
    clock.advance(30 * MINUTE);
    expect((await other.status()).used).toBe(0);
  });

  it('are corrected by the next count of the service', async () => {
    const { clock, path, stores, one, other } = await startBudgets(10);
    const end = startWriting(path);
    await changeAfterWait(clock, () => send(one, 4));
    clock.advance(10 * MINUTE);
    end();
    await untilFree(clock, stores);
    await (await other.take('read')).answered({ status: 200, headers: { 'x-rate-limit': '5/10' } });
    expect((await one.status()).used).toBe(5);
  });

  it('that were not sent do not count', async () => {
    const { clock, path, stores, one, other } = await startBudgets(10);
    const end = startWriting(path);
    const attempt = await changeAfterWait(clock, () => one.take('read'));
    clock.advance(2 * MINUTE);
    await attempt.failed(new Error('The connection broke.'));
    await (await one.take('read')).failed(new BudgetError('unreachable', 'It cannot be reached.'));
    end();
    await untilFree(clock, stores);
    expect((await other.status()).used).toBe(1);
  });

  it('that were refused do not count, also if they would be allowed when it is free again', async () => {
    const { clock, path, stores, one, other } = await startBudgets(2);
    await send(one, 2);
    const end = startWriting(path);
    await changeAfterWait(clock, async () => {
      for (const _ of [1, 2]) await expect(one.take('read')).rejects.toThrow(BudgetError);
    });
    clock.advance(60 * MINUTE);
    end();
    await untilFree(clock, stores);
    expect((await other.status()).used).toBe(0);
  });
});
