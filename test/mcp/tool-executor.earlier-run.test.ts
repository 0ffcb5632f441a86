/** What a host hears of a write during which an earlier run of the server ended. */
import { expect, test } from 'vitest';
import { SharedMemory } from '../../src/store/memory-store.ts';
import { startSharing } from '../session/sharing-processes.helper.ts';
import { hostOf } from './connected.helper.ts';

async function startAfterKill() {
  const sharing = await startSharing();
  const memory = new SharedMemory();
  const first = sharing.startProcess(memory);
  sharing.onWrite.push(() => first.life.kill());
  const killed = new Promise<void>((resolve) => first.life.onKilled(resolve));
  first.start(-4_500).catch(() => {});
  await sharing.passing(killed);
  const { client } = sharing.startProcess(memory, { cacheBytes: 2 ** 26 });
  const host = await hostOf({ client, clock: sharing.clock }, { structured: false });
  const call = async (name: string, args = {}) => {
    const { content } = await sharing.passing(host.callTool({ name, arguments: args }));
    return content.map((each) => (each.type === 'text' ? each.text : '')).join('\n');
  };
  return { ...sharing, call };
}

const NOTE =
  'An earlier run of this server ended during create_transactions of 2026-11-21T12:00:00.000Z: get_status shows what has become of it.';

test('the first answer after the start names the write, and no other answer does', async () => {
  const { call } = await startAfterKill();
  expect(await call('list_accounts')).toContain(NOTE);
  expect(await call('list_accounts')).not.toContain('earlier run');
});

test('get_status says what has become of the write, also as the first call', async () => {
  const { call, pass } = await startAfterKill();
  expect(await call('get_status')).toContain(
    'Write of an earlier run of this server: create_transactions of 2026-11-21T12:00:00.000Z',
  );
  await pass(5_000);
  expect(await call('get_status')).toMatch(
    /earlier run of this server: .*: written; you did not get the outcome\./,
  );
});

test('list_writes lists the write of the earlier run', async () => {
  const { call, pass } = await startAfterKill();
  await call('get_status');
  await pass(5_000);
  expect(await call('list_writes')).toMatch(/1 write\n.* create_transactions\W+undo/);
});
