/** The calls of the last ten minutes that may equal one which failed, as another process knows them. */

import { expect, test } from 'vitest';
import { createAccount, listAccounts } from '../../src/operations/accounts.ts';
import { createScheduledTransaction } from '../../src/operations/scheduled-transactions.ts';
import { createTransactions } from '../../src/operations/transaction-writes.ts';
import type { BudgetClient } from '../../src/session/budget-client.ts';
import { SharedMemory } from '../../src/store/memory-store.ts';
import { callOperation } from '../call-operation.helper.ts';
import { failureOf } from './sending.helper.ts';
import { startSharing } from './sharing-processes.helper.ts';

const ELEVEN_MINUTES = 660_000;

async function startTwo() {
  const sharing = await startSharing();
  const memory = new SharedMemory();
  const one = sharing.startProcess(memory, { leaseMs: 10_000 });
  const other = sharing.startProcess(memory);
  await one.log(-1_000);
  await sharing.passing(other.client.status());
  await sharing.pass(ELEVEN_MINUTES);
  const earlier = () => sharing.passing(other.client.earlierCalls(createTransactions.name));
  return { ...sharing, one, earlier };
}

test('a call whose process was killed before its answer was sent is open, also while that process seems to run', async () => {
  const { one, earlier, pass } = await startTwo();
  expect(await earlier()).toEqual([]);
  await one.log(-2_000);
  one.life.kill();
  for (const milliseconds of [100, 20_000]) {
    await pass(milliseconds);
    expect(await earlier()).toMatchObject([{ state: 'written' }]);
  }
});

test('a call whose process was suspended before its turn is not sent after its host has waited for ten seconds', async () => {
  const { one, coffees, pass, passing } = await startTwo();
  const goOn = one.life.suspendAt('before look rate ledger');
  const late = failureOf(one.start(-2_000));
  await pass(60_000);
  goOn();
  expect(await passing(late)).toMatchObject({ code: 'not_written' });
  expect(coffees(-2_000)).toEqual([]);
});

test('an account or a scheduled transaction that equals one of a lost state is named as a possible duplicate', async () => {
  const { coffee, passing, startProcess } = await startSharing();
  const startFirst = () => startProcess(new SharedMemory(), { cacheBytes: 2 ** 26 }).client;
  const { date, ...rest } = coffee;
  const create = async (client: BudgetClient) => {
    await passing(callOperation(client, listAccounts, {}));
    const account = await passing(
      callOperation(client, createAccount, { name: 'Jar', type: 'cash', balance: 5_000 }),
    );
    const plan = await passing(
      callOperation(client, createScheduledTransaction, { ...rest, date: '2026-12-01', amount: -4_500 }),
    );
    return { account, plan };
  };
  const lost = await create(startFirst());
  const next = startFirst();
  const again = await create(next);
  expect(again.account.possibleDuplicates).toEqual([lost.account.data.account.id]);
  expect(again.plan.possibleDuplicates).toEqual([lost.plan.data.scheduled_transaction.id]);
  expect((await create(next)).plan.possibleDuplicates).toEqual([]);
});
