import { expect, test } from 'vitest';
import { listBudgets } from '../../src/operations/budgets.ts';
import { listMoneyMovements } from '../../src/operations/money-movements.ts';
import { SharedMemory } from '../../src/store/memory-store.ts';
import { callOperation } from '../call-operation.helper.ts';
import { startSharing } from './sharing-processes.helper.ts';

/** Processes with a cache, which a first one has filled. */
async function started() {
  const sharing = await startSharing();
  const memory = new SharedMemory();
  const read = async () => {
    const { client } = sharing.startProcess(memory, { cacheBytes: 100_000_000 });
    const { data } = await sharing.passing(callOperation(client, listMoneyMovements, {}));
    return data.money_movements;
  };
  return { ...sharing, memory, read, first: await read() };
}

test('a process answers with what another one has read', async () => {
  const { read, requests, first } = await started();
  const before = requests();
  expect(await read()).toEqual(first);
  expect(requests() - before).toBeLessThanOrEqual(1);
});

test('what another version of the program has shared is not used, and the call succeeds', async () => {
  const { read, memory, first } = await started();
  const answers: unknown = JSON.parse(JSON.stringify(memory.records.get('answers')));
  if (!Array.isArray(answers)) expect.unreachable();
  memory.records.set(
    'answers',
    answers.map((answer) => ({ ...answer, data: { of: 'another version' } })),
  );
  expect(await read()).toEqual(first);
});

test('a process that lists budgets first shows what was changed in the budgets that others have cached', async () => {
  const { service, clock, ledger, passing, startProcess } = await startSharing();
  const memory = new SharedMemory();
  const start = () => startProcess(memory, { cacheBytes: 100_000_000 }).client;
  const [early, late] = [start(), start()];
  await passing(callOperation(early, listBudgets, {}));
  await passing(callOperation(early, listMoneyMovements, {}));
  clock.advance(60_000);
  const wallet = ledger.accounts().find(({ name }) => name === 'Wallet')?.id ?? expect.unreachable();
  await fetch(`${service.baseUrl}/budgets/${ledger.id}/transactions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ transaction: { account_id: wallet, date: '2026-11-21', amount: -4_500 } }),
  });
  clock.advance(60_000);
  const lastModified = async (client: typeof late) =>
    (await passing(callOperation(client, listBudgets, {}))).data.budgets.find(({ id }) => id === ledger.id)
      ?.last_modified_on;
  expect(await lastModified(late)).toBe(new Date(clock.now() - 60_000).toISOString());
  expect(await lastModified(early)).toBe(await lastModified(late));
});
