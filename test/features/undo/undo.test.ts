import { expect, it } from 'vitest';
import { z } from 'zod';
import { dayIn } from '../../../src/base/calendar.ts';
import { takeBack } from '../../../src/features/undo/take-back.ts';
import { deleteTransaction, updateTransaction } from '../../../src/service/ledger/transactions.ts';
import { hostOf } from '../../mcp/connected.helper.ts';
import { withoutNewPayees } from '../writable-state.helper.ts';
import { type Household, household } from '../writing-household.helper.ts';

const HOUR_MS = 3_600_000;

const entries = ({ ledger }: Household) => ledger.transactions(undefined);
const some = <Row>(rows: readonly Row[], accepts: (row: Row) => boolean): Row =>
  rows.find(accepts) ?? expect.unreachable('there is one');
const plain = (it: Household) =>
  some(
    entries(it),
    (row) =>
      row.transfer_account_id === null &&
      row.subtransactions.length === 0 &&
      row.category_id !== null &&
      row.payee_id !== null &&
      !row.payee_name?.includes('Balance'),
  );
const transfer = (it: Household) =>
  some(entries(it), (row) => row.transfer_transaction_id !== null && row.subtransactions.length === 0);
const split = (it: Household) => some(entries(it), (row) => row.subtransactions.length > 1);

const writes: [string, string, (it: Household) => object][] = [
  [
    'a creation',
    'create_transactions',
    () => ({
      transactions: [
        {
          account_id: 'Checking',
          date: '2026-11-20',
          amount: -4.5,
          payee_name: 'Corner Shop',
          category_id: 'Groceries',
        },
      ],
    }),
  ],
  [
    'several creations',
    'create_transactions',
    () => ({
      transactions: [1, 2].map((amount) => ({ account_id: 'Checking', date: '2026-11-20', amount })),
    }),
  ],
  [
    'the creation of a split',
    'create_transactions',
    () => ({
      transactions: [
        {
          account_id: 'Checking',
          date: '2026-11-20',
          amount: -5,
          subtransactions: [{ amount: -2, category_id: 'Groceries' }, { amount: -3 }],
        },
      ],
    }),
  ],
  [
    'the creation of a transfer',
    'create_transactions',
    () => ({
      transactions: [
        { account_id: 'Checking', date: '2026-11-20', amount: -5, payee_name: 'Transfer : Savings' },
      ],
    }),
  ],
  ['a changed amount', 'update_transaction', (it) => ({ transaction_id: plain(it).id, amount: -1.25 })],
  [
    'cleared fields',
    'update_transaction',
    (it) => ({ transaction_id: plain(it).id, clear: ['category', 'payee'] }),
  ],
  [
    'a payment that became a transfer',
    'update_transaction',
    (it) => ({ transaction_id: plain(it).id, payee_name: 'Transfer : Savings' }),
  ],
  [
    'a transfer that became a payment',
    'update_transaction',
    (it) => ({ transaction_id: transfer(it).id, payee_name: 'Corner Shop' }),
  ],
  [
    'several changes',
    'update_transactions',
    (it) => ({
      transactions: entries(it)
        .slice(0, 5)
        .map(({ id }, index) => ({ id, memo: `memo ${index}`, flag_color: 'red', approved: true })),
    }),
  ],
  ['a deletion', 'delete_transaction', (it) => ({ transaction_id: plain(it).id })],
  ['the deletion of a split', 'delete_transaction', (it) => ({ transaction_id: split(it).id })],
  ['the deletion of a transfer', 'delete_transaction', (it) => ({ transaction_id: transfer(it).id })],
  [
    'a name and a note of a category',
    'update_category',
    () => ({ category_id: 'Groceries', name: 'Food', note: 'Markets first' }),
  ],
  [
    'a budgeted amount',
    'update_month_category',
    () => ({ month: 'current', category_id: 'Groceries', budgeted: 1.5 }),
  ],
  [
    'the name of a group',
    'update_category_group',
    (it) => ({
      category_group_id: some(it.ledger.categoryGroups(), ({ name }) => !/Internal|Credit|Hidden/.test(name))
        .id,
      name: 'Every day',
    }),
  ],
  ['the name of a payee', 'update_payee', (it) => ({ payee_id: plain(it).payee_id, name: 'Somewhere' })],
  [
    'a new scheduled transaction',
    'create_scheduled_transaction',
    () => ({ account_id: 'Checking', date: '2026-12-24', amount: -30, frequency: 'monthly' }),
  ],
];

it.each(writes)('undo takes back %s', async (_, tool, args) => {
  const it = await household();
  const before = await it.state();
  await it.done(tool, args(it));
  const { payees, ...after } = await it.state();
  expect(after).not.toEqual({ ...before, payees });
  const text = await it.done('undo');
  expect(withoutNewPayees(await it.state(), before.payees)).toEqual(before);
  expect(text).toContain(`Undone: ${tool}`);
});

const laterWrites: [string, (it: Household) => Promise<unknown>][] = [
  [
    'was changed',
    async (it) => {
      const { id } = some(entries(it), ({ memo }) => memo === 'ours');
      it.ledger.commit((books) => updateTransaction(books, id, { memo: 'by hand', amount: -9_000 }));
    },
  ],
];

it.each(laterWrites)(
  'undo refuses with both versions where the transaction %s elsewhere',
  async (_, change) => {
    const it = await household();
    await it.done('create_transactions', {
      transactions: [{ account_id: 'Checking', date: '2026-11-20', amount: -4.5, memo: 'ours' }],
    });
    await change(it);
    const before = await it.state();
    const { isError, text } = await it.call('undo');
    expect(isError).toBe(true);
    expect(text).toMatch(/amount -4\.50 · memo "ours", now it is amount -9\.00 · memo "by hand"/);
    expect(text).toContain('This call undid nothing. What is still wrong has to be changed by hand.');
    expect(text).not.toContain('Correct the arguments');
    expect(await it.state()).toEqual(before);
  },
);

it('a change elsewhere of another field does not keep undo from writing back its own', async () => {
  const it = await household();
  const { id } = plain(it);
  await it.done('update_transaction', { transaction_id: id, memo: 'ours' });
  it.ledger.commit((books) => updateTransaction(books, id, { flag_color: 'blue' }));
  await it.done('undo');
  expect(some(entries(it), (row) => row.id === id)).toMatchObject({ flag_color: 'blue' });
});

const scheduled = (it: Household) =>
  some(it.ledger.scheduledTransactions(undefined), (row) => row.subtransactions.length === 0);
const memoOf = (id: string, memo: string): [string, object] => [
  'update_transaction',
  { transaction_id: id, memo },
];
const deletionOf = (id: string): [string, object] => ['delete_transaction', { transaction_id: id }];

const writesBeforeNewIds: [string, (it: Household) => readonly [string, object][]][] = [
  ['of a transaction', (it) => [memoOf(plain(it).id, 'ours'), deletionOf(plain(it).id)]],
  [
    'of the other side of a transfer',
    (it) => {
      const { id, transfer_transaction_id } = transfer(it);
      return [memoOf(transfer_transaction_id ?? '', 'ours'), deletionOf(id)];
    },
  ],
  [
    'of the other side of a transfer that became a payment',
    (it) => {
      const { id, transfer_transaction_id } = transfer(it);
      const payment = { transaction_id: id, payee_name: 'Corner Shop' };
      return [memoOf(transfer_transaction_id ?? '', 'ours'), ['update_transaction', payment]];
    },
  ],
  [
    'of a scheduled transaction',
    (it) => {
      const { id, account_id, date_next } = scheduled(it);
      const update = { scheduled_transaction_id: id, account_id, date: date_next, memo: 'ours' };
      return [
        ['update_scheduled_transaction', update],
        ['delete_scheduled_transaction', { scheduled_transaction_id: id }],
      ];
    },
  ],
];

it.each(writesBeforeNewIds)(
  'undo of a change %s is refused after that was deleted and entered again under a new id',
  async (_, writesOf) => {
    const it = await household();
    for (const [tool, args] of writesOf(it)) await it.done(tool, args);
    await it.done('undo');
    const before = await it.state();
    const { isError, text } = await it.call('undo');
    expect([isError, text]).toEqual([true, expect.stringContaining('has been deleted since')]);
    expect(await it.state()).toEqual(before);
  },
);

it('undo of the creation of a transaction that was deleted and entered again is refused, and says why', async () => {
  const it = await household();
  const memo = 'created here';
  await it.done('create_transactions', {
    transactions: [{ account_id: 'Checking', date: '2026-11-20', amount: -4.5, memo }],
  });
  await it.done('delete_transaction', { transaction_id: some(entries(it), (row) => row.memo === memo).id });
  await it.done('undo');
  const before = await it.state();
  const { isError, text } = await it.call('undo');
  expect(isError).toBe(true);
  expect(text).toContain(
    'Nothing of it can be taken back: it is as it was before, or it was deleted since and has another id now.',
  );
  expect(await it.state()).toEqual(before);
});

it('undo of a creation of which a part was entered again says that this part stays', async () => {
  const it = await household();
  const memo = 'created here';
  await it.done('create_transactions', {
    transactions: [1, 2].map((amount) => ({ account_id: 'Checking', date: '2026-11-20', amount, memo })),
  });
  await it.done('delete_transaction', { transaction_id: some(entries(it), (row) => row.memo === memo).id });
  await it.done('undo');
  const says = 'if it was entered again since, it has another id and stays';
  expect((await it.call('undo', { dry_run: true })).text).toContain(says);
  expect(await it.done('undo')).toContain(`Not as before: a part was deleted before; ${says}.`);
  expect(entries(it).filter((row) => row.memo === memo)).toHaveLength(1);
});

it('undo of a change of a split leaves the other side of its leg as it is', async () => {
  const it = await household();
  const leg = { amount: -3, payee_name: 'Transfer : Savings' };
  await it.done('create_transactions', {
    transactions: [
      {
        account_id: 'Checking',
        date: '2026-11-20',
        amount: -5,
        memo: 'shared',
        subtransactions: [{ amount: -2 }, leg],
      },
    ],
  });
  const created = some(entries(it), ({ memo }) => memo === 'shared');
  const otherSide = some(entries(it), ({ payee_name, amount, date }) => {
    return payee_name === 'Transfer : Checking' && amount === 3_000 && date === created.date;
  });
  const changes = { account_id: 'Blue Card', memo: 'ours' };
  await it.done('update_transaction', { transaction_id: created.id, ...changes });
  const byHand = { cleared: 'reconciled', memo: 'by hand' } as const;
  it.ledger.commit((books) => updateTransaction(books, otherSide.id, byHand));
  await it.done('undo');
  expect(some(entries(it), ({ id }) => id === otherSide.id)).toMatchObject(byHand);
  expect(some(entries(it), ({ id }) => id === created.id)).toMatchObject({ memo: 'shared' });
});

it('undo takes back write after write from the last to the first, and an undo only by its id', async () => {
  const it = await household();
  const states = [await it.state()];
  for (const memo of ['first', 'second', 'third']) {
    await it.done('update_transaction', { transaction_id: plain(it).id, memo });
    states.push(await it.state());
  }
  for (const expected of states.slice(0, -1).reverse()) {
    await it.done('undo');
    expect(await it.state()).toEqual(expected);
  }
  const { isError, text } = await it.call('undo');
  expect(isError).toBe(true);
  expect(text).toContain('nothing in this budget that could be taken back');
  const listed = await it.call('list_writes');
  const [{ id = '' } = {}] = writesIn(listed.structured);
  await it.done('undo', { write: id });
  expect(await it.state()).toEqual(states[1]);
});

it('list_writes has the newest write first, and says how undo takes each back or why it cannot', async () => {
  const it = await household();
  await it.done('create_payee', { name: 'Florist' });
  await it.done('update_month_category', { month: 'current', category_id: 'Groceries', budgeted: 1.5 });
  const { text } = await it.call('list_writes');
  const [head, budgeted, payee] = text.split('\n');
  expect(head).toMatch(/^Budget "Household" \(EUR\) · 2 writes$/);
  expect(budgeted).toMatch(
    /^[\da-f]{8} · 2026-\S+ · update_month_category · undo sets category "Groceries" 2026-11 from budgeted 1\.50 to budgeted \d+\.\d\d$/,
  );
  expect(payee).toContain('create_payee · cannot be undone: the service cannot delete a payee');
});

it.each(['Pacific/Kiritimati', 'Asia/Tokyo', 'America/Los_Angeles'])(
  'list_writes since today has the writes of the day in %s, and none of the day before',
  async (timeZone) => {
    const it = await household({ timeZone });
    const listed = async () => writesIn((await it.call('list_writes', { since: 'today' })).structured);
    const dayOf = dayIn(timeZone);
    await it.done('update_month_category', { month: 'current', category_id: 'Groceries', budgeted: 1.5 });
    const begun = it.clock.now();
    expect(await listed()).toHaveLength(1);
    while (dayOf(it.clock.now()) === dayOf(begun)) {
      expect(await listed()).toHaveLength(1);
      it.clock.advance(HOUR_MS);
    }
    expect(await listed()).toEqual([]);
  },
);

it('undo asks for consent as a deletion does, and shows what it takes back', async () => {
  const it = await household();
  await it.done('delete_transaction', { transaction_id: plain(it).id });
  const host = await hostOf(it, { confirm: 'deletes' });
  const before = await it.state();
  const refused = await host.callTool({ name: 'undo', arguments: {} });
  expect(refused.isError).toBe(true);
  expect(JSON.stringify(refused.content)).toMatch(
    /Undo delete_transaction in .*Household.*enters again transaction/,
  );
  expect(await it.state()).toEqual(before);
  const confirmed = await host.callTool({ name: 'undo', arguments: { confirm: true } });
  expect(confirmed.isError).toBeFalsy();
  expect(await it.state()).not.toEqual(before);
});

it('a dry run of undo shows what it would do, and writes nothing', async () => {
  const it = await household();
  await it.done('create_transactions', {
    transactions: [{ account_id: 'Checking', date: '2026-11-20', amount: -4.5 }],
  });
  const before = await it.state();
  const text = await it.done('undo', { dry_run: true });
  expect(text).toContain('Dry run: this call wrote nothing');
  expect(text).toContain('deletes transaction 2026-11-20 -4.50');
  expect(await it.state()).toEqual(before);
});

it('undo that fails after it made a transfer again does not make it a second time', async () => {
  const it = await household();
  const { id, transfer_transaction_id } = transfer(it);
  await it.done('update_transaction', { transaction_id: transfer_transaction_id, memo: 'ours' });
  await it.done('update_transaction', { transaction_id: id, payee_name: 'Corner Shop' });
  it.altering.answer = (_, body) => {
    const otherSide = entries(it).find((row) => row.id === id)?.transfer_transaction_id ?? null;
    if (otherSide !== null) it.ledger.commit((books) => deleteTransaction(books, otherSide));
    return body;
  };
  const { isError, text } = await it.call('undo');
  expect(isError).toBe(true);
  expect(text).toMatch(/^1 of 2 writes of it are undone, and then: .* goes on with the rest\./);
  const again = await it.call('undo');
  expect([again.isError, again.text]).toEqual([true, expect.stringContaining('This call undid nothing')]);
});

const movedSplits: [string, string, string, object][] = [
  ['legs', 'Checking', 'House', { amount: -3, category_id: 'Groceries' }],
  ['other sides', 'House', 'Savings', { amount: -3, payee_name: 'Transfer : Checking' }],
];

it.each(movedSplits)(
  'undo says that a split cannot be moved back if its %s may have lost categories',
  async (_, account_id, target, leg) => {
    const it = await household();
    const subtransactions = [{ amount: -2 }, leg];
    await it.done('create_transactions', {
      transactions: [{ account_id, date: '2026-11-20', amount: -5, memo: 'shared', subtransactions }],
    });
    const split = some(entries(it), ({ memo }) => memo === 'shared');
    const side = split.subtransactions[1]?.transfer_transaction_id;
    if (typeof side === 'string')
      await it.done('update_transaction', { transaction_id: side, category_id: 'Groceries' });
    await it.done('update_transaction', { transaction_id: split.id, account_id: target });
    const { isError, text } = await it.call('undo');
    expect(isError).toBe(true);
    expect(text).toContain('may have lost categories of its legs, which cannot be set again');
  },
);

it('undo of a move takes the money back from the receiver first', async () => {
  const it = await household();
  const before = await it.state();
  const from = some(
    it.ledger.categoryGroups().flatMap(({ categories }) => categories),
    ({ balance, name }) => balance > 20_000 && name !== 'Groceries' && !name.includes('Inflow'),
  );
  await it.done('move_budgeted', { from: from.name, to: 'Groceries', amount: 10 });
  expect(await it.state()).not.toEqual(before);
  const text = await it.done('undo');
  expect(text).toMatch(/sets category "Groceries" .*\n.*sets category/);
  expect(await it.state()).toEqual(before);
});

it('a write whose steps cancel each other out has nothing to undo', async () => {
  const it = await household();
  await it.done('update_month_category', { month: 'current', category_id: 'Hobbies', budgeted: 77 });
  const [step] = (await it.client.begin().journal())[0]?.steps ?? [];
  const [was] = step?.before ?? [];
  const { category: now } = z.object({ category: z.record(z.string(), z.unknown()) }).parse(step?.data);
  const back = step && was && { ...step, before: [now], data: { category: was } };
  expect(takeBack({ steps: back ? [step, back] : [] })).toEqual({ impossible: 'it changed nothing' });
});

it('two calls of undo at the same time take a deletion back once', async () => {
  const it = await household();
  const before = await it.state();
  await it.done('delete_transaction', { transaction_id: plain(it).id });
  const [{ id = '' } = {}] = writesIn((await it.call('list_writes')).structured);
  const both = await Promise.all([1, 2].map(() => it.call('undo', { write: id })));
  expect(both.map(({ isError }) => isError).sort()).toEqual([false, true]);
  expect(both.find(({ isError }) => isError)?.text).toMatch(
    /^This call changed nothing\. .* was taken back already/,
  );
  expect(await it.state()).toEqual(before);
});

it('undo says that a payee stays which the write created, and that a change just before it may be lost', async () => {
  const it = await household();
  const { id, memo } = plain(it);
  it.ledger.commit((books) => updateTransaction(books, id, { memo: 'by hand' }));
  await it.done('update_transaction', { transaction_id: id, memo: 'ours' });
  const text = await it.done('undo', { dry_run: true });
  expect(text).toContain(`from memo "ours" to ${memo === null ? 'no memo' : `memo ${JSON.stringify(memo)}`}`);
  expect(text).toContain(
    'Not as before: just before this write something in the budget was changed elsewhere',
  );

  const bought = (payee_name: string) => ({
    transactions: [{ account_id: 'Checking', date: '2026-11-20', amount: -1, payee_name }],
  });
  await it.done('create_transactions', bought('A new shop'));
  const created = await it.done('undo');
  expect(created).toContain('Not as before: the payee "A new shop" stays.');
  await it.done('create_transactions', bought('a new shop'));
  const known = await it.done('undo');
  expect(known).not.toContain('Not as before');
});

it('another caller neither sees a write nor takes it back', async () => {
  const it = await household();
  await it.done('update_month_category', { month: 'current', category_id: 'Groceries', budgeted: 1.5 });
  const other = await hostOf(it, { confirm: 'none' }, 'another');
  const listed = await other.callTool({ name: 'list_writes', arguments: {} });
  expect(writesIn(listed.structuredContent)).toEqual([]);
  expect(await other.callTool({ name: 'undo', arguments: {} })).toMatchObject({ isError: true });
});

const listedWrites = z.object({ writes: z.array(z.object({ id: z.string() })) });
const writesIn = (structured: unknown) => listedWrites.parse(structured).writes;
