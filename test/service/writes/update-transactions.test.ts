import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addScheduled } from '../../../src/service/ledger/scheduled-transactions.ts';
import { addTransaction } from '../../../src/service/ledger/transactions.ts';
import { Budget, startWritingService, UNKNOWN, type WritingService } from './writing.ts';

let service: WritingService;
let budget: Budget;
beforeAll(async () => {
  service = await startWritingService();
});
afterAll(() => service.close());
beforeEach(() => {
  budget = new Budget(service);
});

const patch = (rows: unknown[]) => budget.send('PATCH', '/transactions', { transactions: rows });
const patchRefused = (rows: unknown[]) => budget.refusal('PATCH', '/transactions', { transactions: rows });
const putRefused = (id: string, said: unknown) =>
  budget.refusal('PUT', `/transactions/${id}`, { transaction: said });

describe('PUT transactions/{id}', () => {
  test('is 200 with transaction and server_knowledge, and changes only what it says', async () => {
    const before = await budget.create({ payee_name: 'Baker', memo: 'bread', flag_color: 'red' });
    const { knowledge } = budget.ledger;
    const { status, body } = await budget.send('PUT', `/transactions/${before.id}`, {
      transaction: { amount: -4_000, approved: true },
    });
    expect([status, body]).toEqual([
      200,
      {
        data: { transaction: { ...before, amount: -4_000, approved: true }, server_knowledge: knowledge + 1 },
      },
    ]);
    expect(budget.balance('Checking')).toBe(496_000);
  });

  test('takes a transaction back as it was read, also one of old or on a closed account', async () => {
    const split = await budget.create({
      subtransactions: [{ amount: -10_000, category_id: budget.category('Fun 1') }],
    });
    const transfer = await budget.create({ payee_id: budget.transferTo('Card') });
    const imported = await budget.create({ import_id: 'a', payee_name: 'X', amount: -1 });
    const { id } = budget.ledger.commit((books) =>
      addTransaction(books, { account_id: budget.account('Old'), date: '2019-05-05', amount: -1 }),
    );
    const old = await budget.read(id);
    if (old === undefined) throw new Error('not there');
    for (const before of [split, transfer, imported, old]) {
      expect(await budget.update(before.id, before)).toEqual(before);
    }
    budget.expectBalanced();
  });

  test('takes payee, category, memo and flag away with null', async () => {
    const said = { payee_name: 'Baker', category_id: budget.category('Fun 1'), memo: 'x', flag_color: 'red' };
    const { id } = await budget.create(said);
    const none = { payee_id: null, category_id: null, memo: null, flag_color: null };
    expect(await budget.update(id, none)).toMatchObject({ ...none, payee_name: null, category_name: null });
  });

  test('finds or creates a payee by name', async () => {
    const { id } = await budget.create({ payee_name: 'Baker' });
    expect(await budget.update(id, { payee_name: 'butcher' })).toMatchObject({ payee_name: 'Butcher' });
    expect(await budget.update(id, { payee_name: 'Someone' })).toMatchObject({ payee_name: 'Someone' });
    expect(await budget.update(id, { payee_name: null })).toMatchObject({ payee_name: 'Someone' });
  });

  test('never changes import_id', async () => {
    const { id } = await budget.create({ import_id: 'a' });
    expect(await budget.update(id, { import_id: 'b' })).toMatchObject({ import_id: 'a' });
  });

  test('ignores a payment category', async () => {
    const { id } = await budget.create({ category_id: budget.category('Fun 1') });
    expect(await budget.update(id, { category_id: budget.category('Card') })).toMatchObject({
      category_name: 'Fun 1',
    });
  });

  test('moves a transaction to another account, but to no closed one', async () => {
    const { id } = await budget.create();
    expect(await budget.update(id, { account_id: budget.account('Savings') })).toMatchObject({
      account_name: 'Savings',
    });
    expect([budget.balance('Checking'), budget.balance('Savings')]).toEqual([500_000, -10_000]);
    expect(await putRefused(id, { account_id: budget.account('Old') })).toBe(
      '400 account_id is a closed account (index: 0)',
    );
  });

  test('is 409 when it moves to an account that has its import_id already', async () => {
    const { id } = await budget.create({ import_id: 'a' });
    const there = await budget.create({ import_id: 'a', account_id: budget.account('Savings') });
    const move = { account_id: there.account_id };
    expect(await putRefused(id, move)).toBe('409 import_id exists on the account already');
    expect(await patchRefused([{ id, ...move }])).toBe(
      '400 import_id exists on the account already (index: 0)',
    );
  });

  test.each([
    [{ date: '2026-01-21' }, 'date must not be in the future or over 5 years ago'],
    [{ date: '2021-01-19' }, 'date must not be in the future or over 5 years ago'],
    [{ amount: 0.5 }, 'amount must be an integer in milliunits'],
    [{ amount: null }, 'amount must be an integer in milliunits'],
    [{ account_id: UNKNOWN }, 'account_id does not exist'],
    [{ payee_id: UNKNOWN }, 'payee_id does not exist'],
    [{ category_id: UNKNOWN }, 'category_id does not exist'],
    [{ memo: 'x'.repeat(501) }, 'memo is too long (maximum is 500 characters)'],
    [{ payee_name: 'x'.repeat(201) }, 'payee_name is too long (maximum is 200 characters)'],
    [{ cleared: null }, 'cleared must be one of cleared, uncleared, reconciled'],
    [
      { payee_name: 'Starting Balance' },
      "payee_name must not begin with 'Starting Balance', which is a name of the service's own",
    ],
  ])('is 400 with %o', async (said, problem) => {
    const { id } = await budget.create();
    expect(await putRefused(id, said)).toBe(`400 ${problem} (index: 0)`);
    expect(await patchRefused([{ id }, { id, ...said }])).toBe(`400 ${problem} (index: 1)`);
  });

  test('is 400 without a transaction in the body', async () => {
    const { id } = await budget.create();
    expect(await budget.refusal('PUT', `/transactions/${id}`, {})).toMatch(/^400 /);
    expect(await putRefused(id, [])).toBe('400 the transaction must be an object (index: 0)');
  });

  test('is 404.2 for an unknown id', async () => {
    expect(await putRefused(UNKNOWN, {})).toBe('404.2 The transaction does not exist.');
  });

  test('an id with the date of a schedule behind it is an id like any other', async () => {
    const other = new Budget(service);
    const account_id = other.account('Checking');
    const scheduled = other.ledger.commit((books) =>
      addScheduled(books, { account_id, date: '2026-01-20', amount: -3_000 }),
    );
    other.ledger.advanceTo(Date.parse('2026-01-21T12:00:00Z'));
    const id = `${scheduled.id}_2026-01-20`;
    expect(await other.read(id)).toMatchObject({ amount: -3_000, approved: false });
    expect(await other.update(id, { approved: true })).toMatchObject({ id, approved: true });
    const { status } = await other.send('DELETE', `/transactions/${id}`);
    expect([status, await other.read(id)]).toEqual([200, undefined]);
  });
});

describe('PATCH transactions', () => {
  test('is 200 with transaction_ids, transactions and server_knowledge', async () => {
    const [one, other] = [await budget.create(), await budget.create({ amount: -5_000 })];
    const { knowledge } = budget.ledger;
    const { status, body } = await patch([
      { id: one.id, approved: true },
      { id: other.id, memo: 'changed' },
    ]);
    expect([status, body]).toEqual([
      200,
      {
        data: {
          transaction_ids: [one.id, other.id],
          transactions: [
            { ...one, approved: true },
            { ...other, memo: 'changed' },
          ],
          server_knowledge: knowledge + 1,
        },
      },
    ]);
  });

  test('finds a transaction by import_id when it has no id; the id wins', async () => {
    const one = await budget.create({ import_id: 'a' });
    const other = await budget.create({ import_id: 'b' });
    await patch([
      { import_id: 'a', memo: 'by import id' },
      { id: null, import_id: 'a', approved: true },
      { id: other.id, import_id: 'a', memo: 'by id' },
    ]);
    expect(await budget.read(one.id)).toMatchObject({ memo: 'by import id', approved: true });
    expect(await budget.read(other.id)).toMatchObject({ memo: 'by id', import_id: 'b' });
  });

  test('needs the account too where several accounts have the import_id', async () => {
    await budget.create({ import_id: 'a' });
    const there = await budget.create({ import_id: 'a', account_id: budget.account('Savings') });
    expect(await patchRefused([{ import_id: 'a', memo: 'x' }])).toBe(
      '400 import_id exists on several accounts (index: 0)',
    );
    await patch([{ import_id: 'a', account_id: there.account_id, memo: 'x' }]);
    expect(await budget.read(there.id)).toMatchObject({ memo: 'x' });
  });

  test('is written wholly or not at all, and the 400 names each wrong row', async () => {
    const { id } = await budget.create();
    const rows = [
      { id, memo: 'never' },
      { id: UNKNOWN },
      { import_id: 'unknown' },
      { memo: 'whose?' },
      { id, amount: '1', date: '2026-01-21' },
    ];
    expect(await patchRefused(rows)).toBe(
      '400 id does not exist (index: 1), import_id does not exist (index: 2), ' +
        'id or import_id is required (index: 3), amount must be an integer in milliunits (index: 4)',
    );
  });

  test('names a transaction once that two rows change, one after the other', async () => {
    const { id } = await budget.create();
    const { body } = await patch([
      { id, memo: 'first', amount: -1_000 },
      { id, memo: 'second' },
    ]);
    expect(body).toMatchObject({ data: { transaction_ids: [id], transactions: [{ memo: 'second' }] } });
    expect(budget.balance('Checking')).toBe(499_000);
  });

  test('is 400 for a row whose transaction an earlier row did away with', async () => {
    const here = await budget.create({ payee_id: budget.transferTo('Savings') });
    const rows = [
      { id: here.id, payee_id: null },
      { id: here.transfer_transaction_id, memo: 'gone' },
    ];
    expect(await patchRefused(rows)).toBe('400 id does not exist (index: 1)');
  });
});
