/** What happens while a write is written down, and what the store has of it afterwards. */
import { expect, test } from 'vitest';
import { listAccounts } from '../../../src/operations/accounts.ts';
import { SharedMemory } from '../../../src/store/memory-store.ts';
import type { SharedStore } from '../../../src/store/shared-store.ts';
import { callOperation } from '../../call-operation.helper.ts';
import { logTwo } from '../killed-writes.helper.ts';
import { answered } from '../scripted-service.helper.ts';
import { failureOf } from '../sending.helper.ts';
import { startSharing } from '../sharing-processes.helper.ts';
import { COFFEE, start } from './scripted-writer.helper.ts';

/** `run` is called when the store has made the next change, and before its answer. */
function duringNextChange(store: SharedStore, run: () => void): void {
  const update = store.update.bind(store);
  const changed = async (...change: Parameters<SharedStore['update']>) => {
    Object.assign(store, { update });
    const result = await update(...change);
    run();
    return result;
  };
  Object.assign(store, { update: changed });
}

/** A writer, and what happens while its write is written down. */
function startNoting(meanwhile: (started: ReturnType<typeof start>) => void) {
  const started: ReturnType<typeof start> = start({
    ...answered,
    before: () => duringNextChange(started.store, () => meanwhile(started)),
  });
  return started;
}

test('a write whose host cancels while it is written down is not sent', async () => {
  const cancelling = new AbortController();
  const { log, service, state } = startNoting(() => cancelling.abort());
  const failure = await failureOf(log([COFFEE], { signal: cancelling.signal }));
  expect([failure.code, service.sent, state()]).toEqual(['cancelled', [], 'planned']);
});

test('a write is not sent if noting it took more than ten seconds', async () => {
  const { log, service, state } = startNoting(({ clock }) => clock.advance(10_001));
  const failure = await failureOf(log());
  expect([failure.code, service.sent, state()]).toEqual(['not_written', [], 'planned']);
  expect(failure.message).toContain('Nothing was sent');
});

test('a write is sent if noting it took ten seconds', async () => {
  const { log, service } = startNoting(({ clock }) => clock.advance(10_000));
  expect((await log()).outcome).toBe('written');
  expect(service.sent).toHaveLength(1);
});

test('the store gets each step of a call once, and the state after it, and no other log', async () => {
  const { startProcess, passing, pass, coffee, ledger } = await startSharing();
  const memory = new SharedMemory();
  const process = startProcess(memory, { cacheBytes: 2 ** 26 });
  for (const _ of [1, 2]) await passing(callOperation(process.client, listAccounts, {}));
  const logs = [...memory.logs.keys(), 'journal', `changes of ${ledger.id}`];
  await passing(logTwo(process, coffee, -4_500));
  await pass(1_000);
  expect(new Set(memory.logs.keys())).toEqual(new Set(logs));
  expect(memory.logs.get('journal')?.map(({ value }) => value)).toMatchObject([
    { number: 1, step: { operation: 'create_transactions' } },
    { number: 1, after: [{ amount: -4_500 }] },
    { number: 2, step: { operation: 'create_transactions' } },
    { number: 2, after: [{ amount: -4_500 }] },
  ]);
});
