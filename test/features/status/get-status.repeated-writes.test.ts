/** When get_status says that a write may be sent again. */
import { expect, it } from 'vitest';
import { DROPPED } from '../../faulty-proxy.helper.ts';
import { startMoving } from '../moving.helper.ts';

const create = 'create_transactions';
const AGAIN = /: not written; you did not get the outcome, and it may be sent again\.$/gm;

async function started() {
  const it = await startMoving();
  const lose = (memo: string) => {
    it.faults.writes.push(DROPPED);
    return it.call(create, {
      transactions: [{ account_id: 'Wallet', date: '2026-11-20', amount: -1, memo }],
    });
  };
  const again = async () => (await it.call('get_status')).text.match(AGAIN)?.length ?? 0;
  return { ...it, lose, again };
}

it('a write that is proven not to have happened may be sent again', async () => {
  const { lose, again, pass, call } = await started();
  expect((await lose('first')).text).toContain('still being looked for');
  expect(await again()).toBe(0);
  await pass(60_000);
  expect(await again()).toBe(1);
  expect((await call('get_status')).structured).toMatchObject({ writes: [{ safe_to_repeat: true }] });
});

it('it may not while another call of the same tool may still be carried out', async () => {
  const { lose, again, pass } = await started();
  await lose('first');
  await pass(60_000);
  await lose('second');
  expect(await again()).toBe(0);
  await pass(60_000);
  expect(await again()).toBe(2);
});
