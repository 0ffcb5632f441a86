/** Equal calls whose earlier outcome did not reach the host, after something later has changed what it says. */
import { expect, it } from 'vitest';
import { startUndoing } from '../../features/undo/undoing.helper.ts';

const SEVEN = { category_id: 'Hobbies', month: 'current', budgeted: 7 };

/** `lose` makes a call whose outcome the host does not get, although the write was carried out. */
async function start(...options: Parameters<typeof startUndoing>) {
  const started = await startUndoing(...options);
  const { call, loseNextWrite, recover, pass } = started;
  const lose = async (name: string, args: object = {}) => {
    loseNextWrite();
    const { text } = await call(name, args);
    expect(text).toContain('still being looked for');
    recover();
    await pass(60_000);
  };
  const ids = async (tool: string) =>
    [...(await call('list_writes')).text.matchAll(/^(\w+) · \S+ · (\w+) · /gm)].flatMap(([, id, name]) =>
      name === tool ? [id] : [],
    );
  return { ...started, lose, ids };
}

it('a write that was taken back since is made again', async () => {
  const { call, lose, ids, memos, enter } = await start();
  const entry = { account_id: 'Wallet', date: '2026-11-20', amount: -1, memo: 'entry 1' };
  await lose('create_transactions', { transactions: [entry] });
  await call('undo', { write: (await ids('create_transactions'))[0] });
  expect(memos()).toEqual([]);
  const { text } = await enter('entry 1');
  expect(text).toMatch(/^Written\.$/m);
  expect(memos()).toEqual(['entry 1']);
});

it('a write that was taken back and brought back again is not made a second time', async () => {
  const { call, lose, ids, memos, enter } = await start();
  const entry = { account_id: 'Wallet', date: '2026-11-20', amount: -1, memo: 'entry 1' };
  await lose('create_transactions', { transactions: [entry] });
  await call('undo', { write: (await ids('create_transactions'))[0] });
  await call('undo', { write: (await ids('undo'))[0] });
  const { text } = await enter('entry 1');
  expect(text).toContain('Written already by your equal call');
  expect(memos()).toEqual(['entry 1']);
});

it('an outcome that a later write has replaced says so, and the next equal call writes', async () => {
  const { call, lose, budgeted } = await start();
  await lose('update_month_category', SEVEN);
  await call('update_month_category', { ...SEVEN, budgeted: 9 });
  const again = await call('update_month_category', SEVEN);
  expect(again.text).toMatch(
    /^Written already by your equal call of \S+, whose outcome did not reach you\. The same things were written since then: update_month_category of \S+\. What follows is from before that\. Nothing was sent now/m,
  );
  expect(again.structured).toMatchObject({ overtaken: expect.stringContaining('update_month_category of') });
  expect(again.structured).not.toHaveProperty('balances');
  expect(budgeted('Hobbies')).toBe(9_000);
  expect((await call('update_month_category', SEVEN)).text).toMatch(/^Written\.$/m);
  expect(budgeted('Hobbies')).toBe(7_000);
});

it('a later write of something else overtakes no outcome', async () => {
  const { call, lose, enter } = await start();
  await lose('update_payee', { payee_id: 'Corner Pantry', name: 'Pantry' });
  await enter('entry 1');
  const { text } = await call('update_payee', { payee_id: 'Pantry', name: 'Pantry' });
  expect(text).toContain('Written already');
  expect(text).not.toContain('since then');
});

it('undo without an id takes back what was written after an undo whose outcome did not reach the host', async () => {
  const { call, lose, enter, memos } = await start();
  await enter('entry 1');
  await enter('entry 2');
  await lose('undo');
  await enter('entry 3');
  const { text } = await call('undo');
  expect(text).toMatch(/^Undone: create_transactions/m);
  expect(memos()).toEqual(['entry 1']);
});

it('an undo by id that was itself taken back says which undo that was', async () => {
  const { call, lose, enter, ids, memos } = await start();
  await enter('entry 1');
  const [write] = await ids('create_transactions');
  await lose('undo', { write });
  const [undone] = await ids('undo');
  await call('undo', { write: undone });
  expect(memos()).toEqual(['entry 1']);
  const { text, isError } = await call('undo', { write });
  expect([isError, memos()]).toEqual([true, ['entry 1']]);
  expect(text).toContain(`it was taken back by ${undone}, and that by`);
});

it('a statement that was exported again is compared again, and what it has in addition is entered', async () => {
  const rows = ['2026-11-01,Shop,-1.11', '2026-11-02,Shop,-2.22', '2026-11-03,Shop,-3.33'];
  const read = async () => Buffer.from(`Date,Payee,Amount\n${rows.join('\n')}\n`);
  const file = { name: 'bank.csv', version: async () => String(rows.length), read };
  const { call, lose, entries } = await start({ statementFiles: async () => [file] });
  const before = entries().length;
  const given = { account: 'Wallet', statement: 'bank.csv' };
  await lose('enter_statement', given);
  expect(entries()).toHaveLength(before + 3);
  rows.push('2026-11-04,Shop,-4.44', '2026-11-05,Shop,-5.55');
  const { text } = await call('enter_statement', given);
  expect(text).toContain('Entered as cleared: 2.');
  expect(entries()).toHaveLength(before + 5);
});
