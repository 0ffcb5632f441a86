import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addScheduled } from '../../../src/service/ledger/scheduled-transactions.ts';
import { addTransaction } from '../../../src/service/ledger/transactions.ts';
import { inMilliunits } from '../in-milliunits.helper.ts';
import { Budget, startWritingService, UNKNOWN, type WritingService } from './writing.helper.ts';

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
const putRefused = (id: string, fields: unknown) =>
  budget.refusal('PUT', `/transactions/${id}`, { transaction: fields });

describe('PUT transactions/{id}', () => {
  test('PUT transactions/{id} returns 200 with transaction and server_knowledge, and changes only the given fields', async () => {
    const before = await budget.create({ payee_name: 'Baker', memo: 'bread', flag_color: 'red' });
    const { knowledge } = budget.ledger;
    const { status, body } = await budget.send('PUT', `/transactions/${before.id}`, {
      transaction: { amount: -4_000, approved: true },
    });
    const transaction = { ...Object(inMilliunits(before)), amount: -4_000, approved: true };
    expect([status, inMilliunits(body)]).toEqual([
      200,
      {
        data: { transaction, server_knowledge: knowledge + 1 },
      },
    ]);
    expect(budget.balance('Checking')).toBe(496_000);
  });

  test('PUT transactions/{id} accepts a transaction as it was read, an old one or one on a closed account too', async () => {
    const split = await budget.create({
      subtransactions: [{ amount: -10_000, category_id: budget.category('Fun 1') }],
    });
    const transfer = await budget.create({ payee_id: budget.transferTo('Card') });
    const imported = await budget.create({ import_id: 'a', payee_name: 'X', amount: -1 });
    const { id } = budget.ledger.commit((state) =>
      addTransaction(state, { account_id: budget.account('Old'), date: '2019-05-05', amount: -1 }),
    );
    const old = await budget.read(id);
    if (old === undefined) throw new Error('not there');
    for (const before of [split, transfer, imported, old]) {
      expect(await budget.update(before.id, before)).toEqual(before);
    }
    budget.expectBalanced();
  });

  test('PUT transactions/{id} removes payee, category, memo and flag with null', async () => {
    const fields = {
      payee_name: 'Baker',
      category_id: budget.category('Fun 1'),
      memo: 'x',
      flag_color: 'red',
    };
    const { id } = await budget.create(fields);
    const cleared = { payee_id: null, category_id: null, memo: null, flag_color: null };
    expect(await budget.update(id, cleared)).toMatchObject({
      ...cleared,
      payee_name: null,
      category_name: null,
    });
  });

  test('PUT transactions/{id} finds or creates a payee by name', async () => {
    const { id } = await budget.create({ payee_name: 'Baker' });
    expect(await budget.update(id, { payee_name: 'butcher' })).toMatchObject({ payee_name: 'Butcher' });
    expect(await budget.update(id, { payee_name: 'Someone' })).toMatchObject({ payee_name: 'Someone' });
    expect(await budget.update(id, { payee_name: null })).toMatchObject({ payee_name: 'Someone' });
  });

  test('PUT transactions/{id} never changes import_id', async () => {
    const { id } = await budget.create({ import_id: 'a' });
    expect(await budget.update(id, { import_id: 'b' })).toMatchObject({ import_id: 'a' });
  });

  test('PUT transactions/{id} ignores a payment category', async () => {
    const { id } = await budget.create({ category_id: budget.category('Fun 1') });
    expect(await budget.update(id, { category_id: budget.category('Card') })).toMatchObject({
      category_name: 'Fun 1',
    });
  });

  test('PUT transactions/{id} moves a transaction to another account, but not to a closed one', async () => {
    const { id } = await budget.create();
    expect(await budget.update(id, { account_id: budget.account('Savings') })).toMatchObject({
      account_name: 'Savings',
    });
    expect([budget.balance('Checking'), budget.balance('Savings')]).toEqual([500_000, -10_000]);
    expect(await putRefused(id, { account_id: budget.account('Old') })).toBe(
      '400 account_id is a closed account (index: 0)',
    );
  });

  test('an update that moves a transaction to an account with the same import_id gets 409 alone and 400 in a list', async () => {
    const { id } = await budget.create({ import_id: 'a' });
    const savingsTransaction = await budget.create({ import_id: 'a', account_id: budget.account('Savings') });
    const move = { account_id: savingsTransaction.account_id };
    expect(await putRefused(id, move)).toBe('409 import_id exists on the account already');
    expect(await patchRefused([{ id, ...move }])).toBe(
      '400 import_id exists on the account already (index: 0)',
    );
  });

  test.each([
    [{ date: '2026-01-22' }, 'date must not be in the future or over 5 years ago'],
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
  ])('PUT and PATCH transactions return 400 with %o', async (fields, problem) => {
    const { id } = await budget.create();
    expect(await putRefused(id, fields)).toBe(`400 ${problem} (index: 0)`);
    expect(await patchRefused([{ id }, { id, ...fields }])).toBe(`400 ${problem} (index: 1)`);
  });

  test('PUT transactions/{id} returns 400 without a transaction in the body', async () => {
    const { id } = await budget.create();
    expect(await budget.refusal('PUT', `/transactions/${id}`, {})).toMatch(/^400 /);
    expect(await putRefused(id, [])).toBe('400 the transaction must be an object (index: 0)');
  });

  test('PUT transactions/{id} returns 404.2 for an unknown id', async () => {
    expect(await putRefused(UNKNOWN, {})).toBe('404.2 The transaction does not exist.');
  });

  test('the transaction of a scheduled one, whose id ends in a date, can be read, updated and deleted', async () => {
    const second = new Budget(service);
    const account_id = second.account('Checking');
    const scheduled = second.ledger.commit((state) =>
      addScheduled(state, { account_id, date: '2026-01-20', amount: -3_000 }),
    );
    second.ledger.advanceTo(Date.parse('2026-01-21T12:00:00Z'));
    const id = `${scheduled.id}_2026-01-20`;
    expect(await second.read(id)).toMatchObject({ amount: -3_000, approved: false });
    expect(await second.update(id, { approved: true })).toMatchObject({ id, approved: true });
    const { status } = await second.send('DELETE', `/transactions/${id}`);
    expect([status, await second.read(id)]).toEqual([200, undefined]);
  });
});

describe('PATCH transactions', () => {
  test('PATCH transactions returns 209 with transaction_ids, transactions and server_knowledge', async () => {
    const [first, second] = [await budget.create(), await budget.create({ amount: -5_000 })];
    const { knowledge } = budget.ledger;
    const { status, body } = await patch([
      { id: first.id, approved: true },
      { id: second.id, memo: 'changed' },
    ]);
    expect([status, body]).toEqual([
      209,
      {
        data: {
          transaction_ids: [first.id, second.id],
          transactions: [
            { ...first, approved: true },
            { ...second, memo: 'changed' },
          ],
          server_knowledge: knowledge + 1,
        },
      },
    ]);
  });

  test('PATCH transactions finds a transaction by id, or by import_id without an id', async () => {
    const first = await budget.create({ import_id: 'a' });
    const second = await budget.create({ import_id: 'b' });
    await patch([
      { import_id: 'a', memo: 'by import id' },
      { id: null, import_id: 'a', approved: true },
      { id: second.id, import_id: 'a', memo: 'by id' },
    ]);
    expect(await budget.read(first.id)).toMatchObject({ memo: 'by import id', approved: true });
    expect(await budget.read(second.id)).toMatchObject({ memo: 'by id', import_id: 'b' });
  });

  test('PATCH transactions requires account_id when several accounts have the import_id', async () => {
    await budget.create({ import_id: 'a' });
    const savingsTransaction = await budget.create({ import_id: 'a', account_id: budget.account('Savings') });
    expect(await patchRefused([{ import_id: 'a', memo: 'x' }])).toBe(
      '400 import_id exists on several accounts (index: 0)',
    );
    await patch([{ import_id: 'a', account_id: savingsTransaction.account_id, memo: 'x' }]);
    expect(await budget.read(savingsTransaction.id)).toMatchObject({ memo: 'x' });
  });

  test('PATCH transactions is atomic, and the 400 names each invalid row', async () => {
    const { id } = await budget.create();
    const rows = [
      { id, memo: 'never' },
      { id: UNKNOWN },
      { import_id: 'unknown' },
      { memo: 'whose?' },
      { id, amount: '1', date: '2026-01-22' },
    ];
    expect(await patchRefused(rows)).toBe(
      '400 id does not exist (index: 1), import_id does not exist (index: 2), ' +
        'id or import_id is required (index: 3), amount must be an integer in milliunits (index: 4)',
    );
  });

  test('PATCH transactions returns a transaction once when two rows change it in order', async () => {
    const { id } = await budget.create();
    const { body } = await patch([
      { id, memo: 'first', amount: -1_000 },
      { id, memo: 'second' },
    ]);
    expect(body).toMatchObject({ data: { transaction_ids: [id], transactions: [{ memo: 'second' }] } });
    expect(budget.balance('Checking')).toBe(499_000);
  });

  test('PATCH transactions returns 400 for a row whose transaction an earlier row removed', async () => {
    const transfer = await budget.create({ payee_id: budget.transferTo('Savings') });
    const rows = [
      { id: transfer.id, payee_id: null },
      { id: transfer.transfer_transaction_id, memo: 'x' },
    ];
    expect(await patchRefused(rows)).toBe('400 id does not exist (index: 1)');
  });
});
