import { expect, test } from 'vitest';
import { listMoneyMovements } from '../../src/operations/money-movements.ts';
import { SharedMemory } from '../../src/state/memory-store.ts';
import { startSharing } from './sharing-processes.helper.ts';

/** Processes with a cache, which a first one has filled. */
async function started() {
  const sharing = await startSharing();
  const memory = new SharedMemory();
  const read = async () => {
    const { client } = sharing.startProcess(memory, { cacheBytes: 100_000_000 });
    const { data } = await sharing.passing(client.call(listMoneyMovements, {}));
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
