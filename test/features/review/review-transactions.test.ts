import { expect, it } from 'vitest';
import { z } from 'zod';
import { contentOf, hostWithViews } from '../with-view.helper.ts';
import { household } from '../writing-household.helper.ts';

/** Such as `delete_transaction {"transaction_id":"1f3a5c"}`. */
const callsIn = (text: string) =>
  [...text.matchAll(/(delete_transaction|update_transaction) (\{.*?\})/g)].map(
    ([, tool = '', args = '']) => ({
      tool,
      args: z.record(z.string(), z.unknown()).parse(JSON.parse(args)),
    }),
  );

const purchase = { account_id: 'Checking', date: 'today', amount: -23.47, payee_name: 'Corner Kiosk' };

it('nothing is written, and no request is needed', async () => {
  const { call, asked, state } = await household();
  const before = await state();
  asked();
  await call('review_transactions', { since: '2020-01' });
  expect(asked()).toEqual([]);
  expect(await state()).toEqual(before);
});

it('the call of a likely duplicate deletes the second one, as it stands in the text', async () => {
  const { call, done, ledger } = await household();
  await done('create_transactions', {
    transactions: [{ ...purchase, approved: true, category_id: 'Groceries', import_id: 'first' }],
  });
  await done('create_transactions', {
    transactions: [{ ...purchase, payee_name: 'CORNER KIOSK 0423', import_id: 'second' }],
  });
  const { text } = await call('review_transactions');
  expect(text).toContain('Likely duplicates');
  expect(text).toContain('"CORNER KIOSK 0423"');
  const [deletion] = callsIn(text).filter(({ tool }) => tool === 'delete_transaction');
  await done('delete_transaction', { ...deletion?.args });
  const left = ledger.transactions(undefined).filter(({ amount }) => amount === -23_470);
  expect(left).toMatchObject([{ payee_name: 'Corner Kiosk', category_name: 'Groceries' }]);
  expect((await call('review_transactions')).text).not.toContain('Likely duplicates');
});

it('the calls of a pair make one transfer of two transactions, and leave the balances as they were', async () => {
  const { call, done, ledger } = await household();
  const transfer = { date: 'today', payee_name: 'Online Transfer', cleared: 'cleared' };
  await done('create_transactions', {
    transactions: [
      { ...transfer, account_id: 'Checking', amount: -311, import_id: 'out' },
      { ...transfer, account_id: 'Savings', amount: 311, import_id: 'in' },
    ],
  });
  const balances = () => ledger.accounts(undefined).map(({ name, balance }) => [name, balance]);
  const before = balances();
  const calls = callsIn((await call('review_transactions')).text);
  expect(calls.map(({ tool }) => tool).slice(0, 2)).toEqual(['update_transaction', 'delete_transaction']);
  for (const { tool, args } of calls.slice(0, 2)) await done(tool, args);
  expect(balances()).toEqual(before);
  const sides = ledger.transactions(undefined).filter(({ amount }) => Math.abs(amount) === 311_000);
  expect(sides.map((each) => each.transfer_account_id !== null)).toEqual([true, true]);
  expect((await call('review_transactions')).text).not.toContain('not linked');
});

it('the other findings are about the payee, and name the call that settles them', async () => {
  const { call, done } = await household();
  const shop = { ...purchase, approved: true, category_id: 'Groceries', date: '2026-10-02' };
  await done('create_transactions', {
    transactions: [20, 21, 22, 23, 24].map((amount) => ({ ...shop, amount: -amount })),
  });
  await done('create_transactions', { transactions: [{ ...purchase, amount: -90, category_id: 'Hobbies' }] });
  await done('create_transactions', { transactions: [{ ...purchase, payee_name: 'Quite New' }] });
  const { text } = await call('review_transactions');
  expect(text).toMatch(
    /Unusual for the payee.*\n {2}.*-90\.00 · "Corner Kiosk" .* usually -22\.00 · update_transaction/,
  );
  expect(text).toMatch(
    /Another category.*\n {2}.*"Groceries" in 5 of 5 · update_transaction \{"transaction_id":"\w+","category_id":"\w+"\}/,
  );
  expect(text).toMatch(/A payee seen first.*\n( {2}.*\n)*? {2}.*"Quite New"/);

  const ofKiosk = text.split('\n').filter((line) => /"(Corner Kiosk|Quite New)"/.test(line));
  // The category first: an approved transaction is not looked at any more.
  const calls = callsIn(ofKiosk.join('\n')).toSorted(
    (a, b) => Number('approved' in a.args) - Number('approved' in b.args),
  );
  expect(calls).toHaveLength(3);
  for (const { tool, args } of calls) await done(tool, args);
  expect((await call('review_transactions')).text).not.toMatch(/"(Corner Kiosk|Quite New)"/);
});

it('the call of a transaction without legs settles it, with the legs that a person names', async () => {
  const { call, done } = await household();
  const legs = [
    { amount: -20, category_id: 'Groceries' },
    { amount: -3.47, category_id: 'Hobbies' },
  ];
  await done('create_transactions', {
    transactions: ['2026-08-02', '2026-09-02', '2026-10-02'].map((date) => ({
      ...purchase,
      date,
      approved: true,
      subtransactions: legs,
    })),
  });
  await done('create_transactions', { transactions: [{ ...purchase, category_id: 'Groceries' }] });
  const missing = /Usually split.*\n {2}.*"Corner Kiosk".*/;
  const [found = ''] = missing.exec((await call('review_transactions')).text) ?? [];
  const [settling] = callsIn(found);
  expect(settling?.tool).toBe('update_transaction');
  await done('update_transaction', { ...settling?.args, subtransactions: legs });
  expect((await call('review_transactions')).text).not.toMatch(missing);
});

it('twenty findings are shown, and their number is that of all', async () => {
  const { call } = await household();
  const { text } = await call('review_transactions', { since: '2020-01' });
  expect(text).toMatch(/A payee seen first.* \((1\d|20) of \d\d\):/);
});

it('the view has each transaction of a finding once, newest first, with what was found', async () => {
  const { call, read } = await hostWithViews();
  for (const import_id of ['first', 'second'])
    await read('create_transactions', {
      transactions: [{ ...purchase, approved: import_id === 'first', category_id: 'Groceries', import_id }],
    });
  const answer = await call('review_transactions', {});
  const { rows, total, next_cursor } = contentOf(answer, 'transactions');
  expect(rows.filter(({ marks }) => marks?.includes('likely_duplicate'))).toMatchObject([
    { amount: -23_470 },
    { amount: -23_470 },
  ]);
  expect(rows.every(({ marks }) => marks !== undefined)).toBe(true);
  expect({ total, next_cursor }).toEqual({ total: rows.length, next_cursor: null });
  const dates = rows.map(({ date }) => date);
  expect(dates).toEqual(dates.toSorted().toReversed());
});

it('the view of a search shows what was found, too', async () => {
  const { call, read } = await hostWithViews();
  for (const import_id of ['first', 'second'])
    await read('create_transactions', {
      transactions: [{ ...purchase, category_id: 'Groceries', import_id }],
    });
  const answer = await call('find_transactions', { payee: 'Corner Kiosk' });
  const { rows } = contentOf(answer, 'transactions');
  expect(rows.map(({ marks }) => marks?.includes('likely_duplicate'))).toEqual([true, true]);
});

it('texts count one transaction and one finding', async () => {
  const { call, done } = await household();
  const { text: before } = await call('review_transactions');
  const unapproved = Number(/(\d+) not approved/.exec(before)?.[1]);
  if (unapproved > 0) await done('approve_transactions', { expected: unapproved });
  await done('create_transactions', { transactions: [{ ...purchase, payee_name: 'Quite New' }] });
  const { text } = await call('review_transactions');
  expect(text).toMatch(/1 transaction came in · 1 not approved · 1 finding\b(?!s)/);
});
