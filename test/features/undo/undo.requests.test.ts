/** The requests that an undo needs, and what it does where an hour has too few. */
import { expect, it } from 'vitest';
import { hostOf } from '../../mcp/connected.helper.ts';
import { startHolding } from '../../session/holding.helper.ts';

/** A host after it has entered so many rows. The service allows 200 requests in an hour. */
async function start(rows: number, cacheBytes = 2 ** 26) {
  const started = await startHolding({ cacheBytes });
  const { client, ledger, clock, passing } = started;
  const host = await hostOf({ client, clock }, { confirm: 'none' });
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const answer = await passing(host.callTool({ name, arguments: args }));
    const text = answer.content.map((each) => (each.type === 'text' ? each.text : '')).join('\n');
    return { text, isError: answer.isError === true, structured: answer.structuredContent };
  };
  const entered = () => ledger.transactions(undefined).filter(({ memo }) => memo === 'entered').length;
  const left = async () => (await client.status()).requests.left;
  await call('list_accounts');
  const created = await call('create_transactions', { transactions: rowsOf(rows) });
  return { ...started, call, left, created, entered };
}

const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    account_id: 'Wallet',
    date: '2026-11-20',
    amount: -1 - index,
    memo: 'entered',
  }));

it('undo of a creation needs a request for each entry, and two to read the budget', async () => {
  const { call, left, entered, created } = await start(30);
  expect(created.text).not.toContain('in parts');
  const before = await left();
  const { text } = await call('undo');
  expect(text).toContain('Account "Wallet" has ');
  expect([entered(), before - (await left())]).toEqual([0, 32]);
});

it('undo joins what the service takes in one request', async () => {
  const { call, left, entered } = await start(30);
  await call('undo');
  const [, undone] = /^(\w+) · \S+ · undo · /m.exec((await call('list_writes')).text) ?? [];
  const before = await left();
  const { isError, text } = await call('undo', { write: undone });
  expect([isError, entered()], text).toEqual([false, 30]);
  // The budget, the entries, and the changes.
  expect(before - (await left())).toBe(3);
});

it('undo of more than an hour allows takes back what it can, and says when the same call goes on', async () => {
  const { call, left, entered, created, clock } = await start(240);
  const hint = 'undo would need 241 requests to delete these again, and the service allows 200 in an hour';
  expect(created.text).toContain(hint);
  const shown = await call('undo', { dry_run: true });
  expect(shown.text).toContain("An hour's requests do not suffice for all of this.");
  const able = (await left()) - 2;
  const first = await call('undo');
  expect([first.isError, entered()], first.text).toEqual([false, 240 - able]);
  expect(first.text).toContain('Undone in part: create_transactions');
  expect(first.text).toMatch(
    new RegExp(`${able} of 240 things are as before\\. .* undo with this id goes on with the rest, from `),
  );
  expect(first.structured).toMatchObject({ undone: able, left: 240 - able });
  const early = await call('undo');
  expect([early.isError, entered()]).toEqual([true, 240 - able]);
  clock.advance(3_700_000);
  const second = await call('undo');
  expect([second.isError, entered()], second.text).toEqual([false, 0]);
  expect(second.text).toContain('Undone: create_transactions');
  expect((await call('undo')).text).toContain('nothing in this budget that could be taken back');
});

it('a dry run of more entries than undo can delete in an hour says so', async () => {
  const { call } = await start(1);
  const { text } = await call('create_transactions', { transactions: rowsOf(240), dry_run: true });
  expect(text).toContain('undo would need 241 requests');
});

it('without a cache, undo counts what it reads, and takes back a part too', async () => {
  const { call, left, entered, created } = await start(100, 0);
  expect(created.text).toContain('undo would need 401 requests to delete these again');
  const before = await left();
  const { isError, text } = await call('undo');
  expect(isError, text).toBe(false);
  const able = Math.floor(before / 4);
  expect(entered()).toBe(100 - able);
  expect(before - (await left())).toBeLessThanOrEqual(able * 4);
});
