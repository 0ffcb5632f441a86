/** An undo that enters a transaction again, which the network can deliver twice. */
import { expect, test } from 'vitest';
import { SharedMemory } from '../../../src/store/memory-store.ts';
import { DROPPED, TWICE, UNANSWERED } from '../../faulty-proxy.helper.ts';
import { hostOf } from '../../mcp/connected.helper.ts';
import { startSharing } from '../../session/sharing-processes.helper.ts';

/** A budget whose last write is the deletion of an entry. */
async function startDeleted() {
  const sharing = await startSharing();
  const { clock, coffee, coffees, passing, startProcess } = sharing;
  const { client } = startProcess(new SharedMemory(), { cacheBytes: 2 ** 26 });
  const host = await hostOf({ client, clock }, { confirm: 'none' });
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const { content } = await passing(host.callTool({ name, arguments: args }));
    return content.map((each) => (each.type === 'text' ? each.text : '')).join('\n');
  };
  await call('list_accounts');
  await call('create_transactions', { transactions: [{ ...coffee, amount: -4.5 }] });
  await call('delete_transaction', { transaction_id: coffees(-4_500)[0]?.id });
  const entered = () => coffees(-4_500).filter(({ deleted }) => !deleted).length;
  return { ...sharing, call, entered };
}

test('names the second one', async () => {
  const { faults, call, entered } = await startDeleted();
  faults.writes = [TWICE];
  expect(await call('undo')).toMatch(/^This may be a second one: .*, delete one of them\.$/m);
  expect(entered()).toBe(2);
});

test('says that it is not known whether there is a second one, if the budget cannot be read', async () => {
  const { faults, onWrite, call } = await startDeleted();
  faults.writes = [TWICE];
  onWrite.push(() => {
    faults.reads = Array.from({ length: 20 }, () => DROPPED);
  });
  expect(await call('undo')).toMatch(/^The new balances could not be read, .* look for a second one\.$/m);
});

test('says that a second one may come, if the answer was lost', async () => {
  const { faults, call, entered } = await startDeleted();
  faults.writes = [UNANSWERED];
  expect(await call('undo')).toContain('may arrive a second time');
  expect(entered()).toBe(1);
});
