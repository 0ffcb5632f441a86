import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { bearer, sendRequest } from '../running-service.helper.ts';
import { Budget, startWritingService, type WritingService } from './writing.helper.ts';

let service: WritingService;
let budget: Budget;
beforeAll(async () => {
  service = await startWritingService();
});
afterAll(() => service.close());
beforeEach(() => {
  budget = new Budget(service);
});

describe('import_id', () => {
  test('a transaction with an import_id keeps the payee name as it was sent', async () => {
    expect(await budget.create({ import_id: 'a', payee_name: ' Corner SHOP ' })).toMatchObject({
      import_id: 'a',
      matched_transaction_id: null,
      payee_name: 'Corner SHOP',
      import_payee_name: 'Corner SHOP',
      import_payee_name_original: ' Corner SHOP ',
    });
    expect(await budget.create({ payee_name: 'Corner SHOP' })).toMatchObject({
      import_id: null,
      import_payee_name: null,
      import_payee_name_original: null,
    });
  });

  test('one transaction with an import_id that the account has already gets 409', async () => {
    await budget.create({ import_id: 'a' });
    expect(await budget.createRefused({ import_id: 'a', amount: -1 })).toBe(
      '409 import_id exists on the account already (index: 0)',
    );
  });

  test('an import_id is unique within its account, not within the budget', async () => {
    await budget.create({ import_id: 'a' });
    const other = await budget.create({ import_id: 'a', account_id: budget.account('Savings') });
    expect(other).toMatchObject({ import_id: 'a', account_name: 'Savings' });
  });

  test('an invalid transaction with a duplicate import_id gets 400, not 409', async () => {
    await budget.create({ import_id: 'a' });
    expect(await budget.createRefused({ import_id: 'a', date: '2027-01-01' })).toMatch(/^400 /);
  });

  test('rows with a duplicate import_id are skipped in a list, also when the duplicate is in the list', async () => {
    await budget.create({ import_id: 'a' });
    const rows = ['a', 'b', 'b', 'c'].map((import_id, i) =>
      budget.spending({ import_id, amount: -1_000 - i, payee_name: `Payee ${i}` }),
    );
    const { status, body } = await budget.send('POST', '/transactions', { transactions: rows });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      data: {
        transaction_ids: [expect.any(String), expect.any(String)],
        transactions: [
          { import_id: 'b', amount: -1_001 },
          { import_id: 'c', amount: -1_003 },
        ],
        duplicate_import_ids: ['a', 'b'],
      },
    });
    expect(budget.ledger.payees().map(({ name }) => name)).not.toContain('Payee 0');
    expect(budget.balance('Checking')).toBe(500_000 - 10_000 - 1_001 - 1_003);
  });

  test('the import_id of a deleted transaction can be used again', async () => {
    const { id } = await budget.create({ import_id: 'a' });
    await budget.send('DELETE', `/transactions/${id}`);
    expect(await budget.create({ import_id: 'a' })).toMatchObject({ import_id: 'a' });
  });
});

describe('matching of imports', () => {
  const createManual = () =>
    budget.create({ payee_name: 'Tea House', category_id: budget.category('Fun 1'), date: '2026-01-10' });

  test('an import that matches a transaction is merged with it, and the user’s values are kept', async () => {
    const { id } = await createManual();
    const imported = await budget.create({
      import_id: 'a',
      payee_name: 'TEA HSE 0815',
      category_id: budget.category('Fun 2'),
      memo: 'card',
      cleared: 'cleared',
      date: '2026-01-12',
    });
    expect(imported).toMatchObject({
      id,
      date: '2026-01-10',
      payee_name: 'Tea House',
      category_name: 'Fun 1',
      memo: 'card',
      cleared: 'cleared',
      approved: false,
      import_id: 'a',
      import_payee_name: 'TEA HSE 0815',
      import_payee_name_original: 'TEA HSE 0815',
      matched_transaction_id: expect.any(String),
    });
    expect(imported.matched_transaction_id).not.toBe(id);
    expect(budget.balance('Checking')).toBe(490_000);
    expect(budget.ledger.payees().map(({ name }) => name)).not.toContain('TEA HSE 0815');
    budget.expectBalanced();
  });

  test('a transaction is matched once, and a second import of the same amount is created', async () => {
    const { id } = await createManual();
    expect(await budget.create({ import_id: 'a' })).toMatchObject({ id });
    expect((await budget.create({ import_id: 'b' })).id).not.toBe(id);
    expect(budget.balance('Checking')).toBe(480_000);
  });

  test('an import is matched to the transaction nearest by date', async () => {
    await createManual();
    const { id } = await budget.create({ date: '2026-01-15' });
    expect(await budget.create({ import_id: 'a', date: '2026-01-14' })).toMatchObject({ id });
  });

  test.each([
    ['2025-12-25', '2026-01-04', true],
    ['2025-12-25', '2026-01-05', false],
    ['2026-01-04', '2025-12-25', true],
    ['2026-01-05', '2025-12-25', false],
    ['2026-01-10', '2026-01-20', true],
  ])(
    'an import is matched within ten days: entered on %s, imported on %s: %s',
    async (date, importedOn, isMatched) => {
      const { id } = await budget.create({ date });
      const imported = await budget.create({ import_id: 'a', date: importedOn });
      expect(imported.id === id).toBe(isMatched);
      expect(imported.matched_transaction_id !== null).toBe(isMatched);
    },
  );

  test.each([
    ['another amount', () => ({ amount: -10_001 })],
    ['another account', () => ({ account_id: budget.account('Savings') })],
  ])('an import is not matched with %s', async (_, change) => {
    await createManual();
    expect((await budget.create({ import_id: 'a', ...change() })).matched_transaction_id).toBeNull();
  });

  test('a transaction without an import_id is never matched', async () => {
    const [first, other] = [await createManual(), await createManual()];
    expect(first.id).not.toBe(other.id);
  });
});

describe('POST transactions/import', () => {
  const Imported = z.strictObject({ data: z.strictObject({ transaction_ids: z.array(z.string()) }) });

  test('POST transactions/import returns 200 without ids when there is nothing to import', async () => {
    const { knowledge } = budget.ledger;
    const { status, body } = await budget.send('POST', '/transactions/import');
    expect([status, body]).toEqual([200, { data: { transaction_ids: [] } }]);
    expect(budget.ledger.knowledge).toBe(knowledge);
  });

  test('POST transactions/import returns 201 with the ids of the transactions that the banks of linked accounts reported', async () => {
    const [household] = service.user.ledgers;
    if (!household) throw new Error('no household');
    const linked = household.accounts().filter(({ direct_import_linked }) => direct_import_linked);
    expect(linked.map(({ name }) => name)).toEqual(['Checking']);
    const account = () => household.account(linked[0]?.id ?? '');
    const before = { balance: account()?.balance ?? 0, rows: household.transactions(undefined).length };
    expect(household.transactions(undefined).some(({ import_id }) => import_id !== null)).toBe(false);

    const path = `/budgets/${household.id}/transactions/import`;
    const init = { method: 'POST', headers: bearer(service.accessToken) };
    const { status, body } = await sendRequest(service, path, init);
    const { transaction_ids } = Imported.parse(body).data;
    expect([status, transaction_ids.length]).toEqual([201, 4]);
    const rows = transaction_ids.map((id) => household.transaction(id));
    expect(rows[2]).toMatchObject({
      account_name: 'Checking',
      date: '2026-01-19',
      amount: -29_950,
      cleared: 'cleared',
      approved: false,
      import_id: 'YNAB:-29950:2026-01-19:1',
      import_payee_name: 'TINKER & SONS REPAIRS',
      payee_name: 'TINKER & SONS REPAIRS',
    });
    expect(rows.map((row) => row?.amount)).toEqual([-41_370, -12_800, -29_950, 64_000]);
    expect(account()?.balance).toBe(before.balance - 41_370 - 12_800 - 29_950 + 64_000);
    expect(household.transactions(undefined)).toHaveLength(before.rows + 4);
    expect((await sendRequest(service, path, init)).body).toEqual({ data: { transaction_ids: [] } });
  });
});
