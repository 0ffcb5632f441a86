import { expect, it } from 'vitest';
import { updateTransaction } from '../../../src/service/ledger/transactions.ts';
import { NO_FAULT, REFUSED } from '../../faulty-proxy.helper.ts';
import { startUndoing } from './undoing.helper.ts';

it('an undo whose outcome was not delivered is not followed by that of an earlier write', async () => {
  const { call, enter, memos, loseNextWrite, recover, pass } = await startUndoing();
  await enter('entry 1');
  await enter('entry 2');
  loseNextWrite();
  expect(await call('undo')).toMatchObject({
    isError: true,
    text: expect.stringContaining('still being looked for'),
  });
  recover();
  await pass(60_000);
  const { text, isError } = await call('undo');
  expect(isError, text).toBe(false);
  expect(text).toMatch(/Undone already by your equal call .* It took back create_transactions \w+\./);
  expect(memos()).toEqual(['entry 1']);
});

it('undo takes back no earlier write while it is not known whether the last one was written', async () => {
  const { call, enter, memos, loseNextWrite, recover } = await startUndoing();
  await enter('entry 1');
  loseNextWrite();
  await enter('entry 2');
  recover();
  const { text, isError } = await call('undo');
  expect(isError).toBe(true);
  expect(text).toContain('The last write is create_transactions');
  expect(memos()).toContain('entry 1');
});

it('two undos of a deletion at the same time enter the transaction once', async () => {
  const { call, send, passing, entries, payment } = await startUndoing();
  await call('delete_transaction', { transaction_id: payment().id });
  const before = entries().length;
  const results = await passing(Promise.all([send('undo', {}), send('undo', {})]));
  expect(results.map(({ isError }) => isError).toSorted()).toEqual([false, true]);
  expect(entries()).toHaveLength(before + 1);
});

it('what an undo entered again before it failed is not entered a second time', async () => {
  const { call, ledger, faults, entries, transfer } = await startUndoing();
  const { id, transfer_transaction_id } = transfer();
  ledger.commit((state) => updateTransaction(state, transfer_transaction_id ?? '', { memo: 'other side' }));
  await call('refresh_budget');
  await call('delete_transaction', { transaction_id: id });
  const before = entries().length;
  faults.writes.push(NO_FAULT, REFUSED);
  const failed = await call('undo');
  expect(failed.text).toContain('1 of 2 writes of it are undone');
  expect(failed.text).toContain('undo with the same id goes on with the rest.');
  expect((await call('undo')).isError).toBe(false);
  expect(entries()).toHaveLength(before + 2);
  expect(entries().filter(({ memo }) => memo === 'other side')).toHaveLength(1);
});

it('undo that fails in the middle says what is undone, and another one goes on with the rest', async () => {
  const { call, faults, memos } = await startUndoing();
  const transactions = [1, 2, 3].map((amount) => ({
    account_id: 'Wallet',
    date: '2026-11-20',
    amount,
    memo: `entry ${amount}`,
  }));
  await call('create_transactions', { transactions });
  faults.writes.push(NO_FAULT, REFUSED);
  const { isError, text } = await call('undo');
  expect(isError).toBe(true);
  expect(text).toMatch(/^1 of 3 writes of it are undone, and then: .* goes on with the rest\./);
  const listed = (await call('list_writes')).text
    .split('\n')
    .find((line) => line.includes('create_transactions'));
  expect(listed?.match(/deletes transaction/g)).toHaveLength(2);
  const rest = await call('undo');
  expect(rest.text.match(/deletes transaction \S+ \S+/g)).toHaveLength(2);
  expect(memos()).toEqual([]);
  expect((await call('list_writes')).text).toMatch(/2 writes\n.* undo .*\n.* it was taken back already, by/);
});

it('a lost write that an equal call finds is the last write', async () => {
  const { call, enter, memos, loseNextWrite, recover, pass } = await startUndoing();
  await enter('entry 1');
  loseNextWrite();
  await enter('entry 2');
  await pass(160_000);
  recover();
  expect((await enter('entry 2')).text).toContain('Written already by your equal call');
  expect((await call('list_writes')).text).toContain('2 writes');
  await call('undo');
  expect(memos()).toEqual(['entry 1']);
});

it('a failed undo names no earlier undo of another write', async () => {
  const { call, enter, loseNextWrite, recover } = await startUndoing();
  await enter('entry 1');
  loseNextWrite();
  await call('undo');
  recover();
  const other = await call('undo', { write: '00000000' });
  expect([other.isError, other.text]).toEqual([true, expect.stringContaining('There is no write 00000000')]);
  expect(other.text).not.toContain('Earlier calls');
  const unread = await call('undo', { write: 7 });
  expect(unread.text).toContain('Earlier calls that may equal this one:');
});
