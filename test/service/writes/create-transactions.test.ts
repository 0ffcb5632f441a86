import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
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

describe('POST transactions with one transaction', () => {
  test('POST transactions returns 201 with transaction_ids, transaction and server_knowledge, and updates the balances', async () => {
    const knowledge = budget.ledger.knowledge;
    const category_id = budget.category('Fun 1');
    const fields = {
      account_id: budget.account('Checking'),
      date: '2026-01-19',
      amount: -12_340,
      payee_id: budget.payee('Baker'),
      category_id,
      memo: 'Brot 🥖 خبز',
      cleared: 'cleared',
      approved: true,
      flag_color: 'red',
    };
    const { status, body } = await budget.send('POST', '/transactions', { transaction: fields });
    expect(status).toBe(201);
    expect(inMilliunits(body)).toEqual({
      data: {
        transaction_ids: [expect.any(String)],
        transaction: {
          id: expect.any(String),
          ...fields,
          flag_name: null,
          transfer_account_id: null,
          transfer_transaction_id: null,
          matched_transaction_id: null,
          import_id: null,
          import_payee_name: null,
          import_payee_name_original: null,
          debt_transaction_type: null,
          deleted: false,
          account_name: 'Checking',
          payee_name: 'Baker',
          category_name: 'Fun 1',
          subtransactions: [],
        },
        server_knowledge: knowledge + 1,
      },
    });
    expect(budget.balance('Checking')).toBe(487_660);
    expect(budget.ledger.category(category_id)).toMatchObject({ activity: -12_340, balance: -12_340 });
    expect(budget.ledger.accounts(knowledge).map(({ name }) => name)).toEqual(['Checking']);
  });

  test('POST transactions requires account_id, date and amount only', async () => {
    expect(await budget.create()).toMatchObject({
      cleared: 'uncleared',
      approved: false,
      flag_color: null,
      payee_id: null,
      category_id: null,
      memo: null,
    });
  });

  test.each([
    [{ account_id: undefined }, 'account_id is required'],
    [{ date: undefined }, 'date is required'],
    [{ amount: undefined }, 'amount is required'],
    [{ account_id: 'x' }, 'account must be formatted as a uuid (universally unique identifier)'],
    [{ payee_id: 'x' }, 'payee must be formatted as a uuid (universally unique identifier)'],
    [{ category_id: 7 }, 'category must be formatted as a uuid (universally unique identifier)'],
    [{ account_id: null }, 'account must be formatted as a uuid (universally unique identifier)'],
    [{ account_id: UNKNOWN }, 'account_id does not exist'],
    [{ payee_id: UNKNOWN }, 'payee_id does not exist'],
    [{ category_id: UNKNOWN }, 'category_id does not exist'],
    [{ date: '2026-02-30' }, 'date must be a date in the form YYYY-MM-DD'],
    [{ date: '20.1.2026' }, 'date must be a date in the form YYYY-MM-DD'],
    [{ date: '2026-01-22' }, 'date must not be in the future or over 5 years ago'],
    [{ date: '2021-01-19' }, 'date must not be in the future or over 5 years ago'],
    [{ amount: 1.5 }, 'amount must be an integer in milliunits'],
    [{ amount: '-10000' }, 'amount must be an integer in milliunits'],
    [{ amount: null }, 'amount must be an integer in milliunits'],
    [{ amount: 1e21 }, 'amount must be an integer in milliunits'],
    [{ amount: 2 ** 53 }, 'amount must be an integer in milliunits'],
    [{ memo: 'x'.repeat(501) }, 'memo is too long (maximum is 500 characters)'],
    [{ memo: 7 }, 'memo must be text'],
    [{ payee_name: 'x'.repeat(201) }, 'payee_name is too long (maximum is 200 characters)'],
    [{ import_id: 'x'.repeat(37) }, 'import_id is too long (maximum is 36 characters)'],
    [{ cleared: 'pending' }, 'cleared must be one of cleared, uncleared, reconciled'],
    [{ approved: 'yes' }, 'approved must be true or false'],
    [{ flag_color: 'pink' }, 'flag_color must be one of red, orange, yellow, green, blue, purple'],
    [{ subtransactions: 'none' }, 'subtransactions must be a list'],
  ])('POST transactions returns 400 with %o: %s', async (fields, problem) => {
    expect(await budget.createRefused(fields)).toBe(`400 ${problem} (index: 0)`);
  });

  test('POST transactions returns 400 with all problems, joined by commas', async () => {
    expect(await budget.createRefused({ payee_id: 'x', memo: 'x'.repeat(501), amount: 0.5 })).toBe(
      '400 amount must be an integer in milliunits (index: 0), ' +
        'payee must be formatted as a uuid (universally unique identifier) (index: 0), ' +
        'memo is too long (maximum is 500 characters) (index: 0)',
    );
    expect(
      await budget.createRefused({ account_id: UNKNOWN, date: '2026-01-22', category_id: UNKNOWN }),
    ).toBe(
      '400 account_id does not exist (index: 0), ' +
        'date must not be in the future or over 5 years ago (index: 0), category_id does not exist (index: 0)',
    );
  });

  test('the maximum length of a text is counted in characters, not in code units', async () => {
    const fields = { memo: '🥖'.repeat(500), payee_name: '🥐'.repeat(200), import_id: 'x'.repeat(36) };
    const { payee_name, memo, import_id } = await budget.create(fields);
    expect({ payee_name, memo, import_id }).toEqual(fields);
  });

  test('POST transactions accepts dates from five years ago to today', async () => {
    expect((await budget.create({ date: '2026-01-20' })).date).toBe('2026-01-20');
    expect((await budget.create({ date: '2021-01-20' })).date).toBe('2021-01-20');
    expect(budget.ledger.summary().first_month).toBe('2021-01-01');
    budget.expectBalanced();
  });

  test('POST transactions converts -0 to 0 and accepts 1e3 and 1.0', async () => {
    for (const [literal, amount] of [
      ['-0', 0],
      ['1e3', 1000],
      ['-7.0', -7],
    ] as const) {
      const json = JSON.stringify({ transaction: budget.spending({ amount: 'AMOUNT' }) });
      const { body } = await budget.send('POST', '/transactions', json.replace('"AMOUNT"', literal));
      expect(body).toMatchObject({ data: { transaction: { amount } } });
    }
  });

  test('an empty flag_color means no flag, and a flag has its name', async () => {
    budget.ledger.commit((state) => state.setFlagName('blue', 'Holiday'));
    expect(await budget.create({ flag_color: '' })).toMatchObject({ flag_color: null, flag_name: null });
    expect(await budget.create({ flag_color: 'blue' })).toMatchObject({ flag_name: 'Holiday' });
  });

  test('POST transactions returns 400 for a closed account and for a transfer to one', async () => {
    expect(await budget.createRefused({ account_id: budget.account('Old') })).toBe(
      '400 account_id is a closed account (index: 0)',
    );
    expect(await budget.createRefused({ payee_id: budget.transferTo('Old') })).toBe(
      '400 payee_id transfers to a closed account (index: 0)',
    );
  });

  test('payment categories, Uncategorized, and any category on a tracking account are ignored', async () => {
    expect(await budget.create({ category_id: budget.category('Card') })).toMatchObject({
      category_id: null,
    });
    expect(await budget.create({ category_id: budget.category('Uncategorized') })).toMatchObject({
      category_id: null,
    });
    const onTrackingAccount = { account_id: budget.account('House'), category_id: budget.category('Fun 1') };
    expect(await budget.create(onTrackingAccount)).toMatchObject({
      category_id: null,
      account_name: 'House',
    });
  });

  test('POST transactions ignores unknown fields', async () => {
    expect(await budget.create({ colour: 'red', deleted: true })).toMatchObject({ deleted: false });
  });
});

describe('payees of new transactions', () => {
  test('payee_name refers to the payee of that name, ignoring case, or to a new one', async () => {
    const payees = budget.ledger.payees().length;
    expect(await budget.create({ payee_name: ' bAKER ' })).toMatchObject({
      payee_id: budget.payee('Baker'),
      payee_name: 'Baker',
    });
    expect(budget.ledger.payees()).toHaveLength(payees);
    const { payee_id } = await budget.create({ payee_name: ' Fish & Chips ' });
    expect(budget.ledger.payee(payee_id ?? '')).toMatchObject({ name: 'Fish & Chips' });
    expect(await budget.create({ payee_id: null, payee_name: 'fish & chips' })).toMatchObject({ payee_id });
    expect(budget.ledger.payees()).toHaveLength(payees + 1);
  });

  test('payee_name is ignored when payee_id is present', async () => {
    const fields = { payee_id: budget.payee('Baker'), payee_name: 'Transfer : Savings' };
    expect(await budget.create(fields)).toMatchObject({ payee_name: 'Baker', transfer_account_id: null });
  });

  test('a blank payee_name means no payee', async () => {
    expect(await budget.create({ payee_name: '  ' })).toMatchObject({ payee_id: null });
  });

  test.each([
    ['Transfer : Savings', 'Transfer : '],
    ['transfer : savings', 'Transfer : '],
    ['Starting Balance', 'Starting Balance'],
    ['Starting Balance 2', 'Starting Balance'],
    ['Manual Balance Adjustment', 'Manual Balance Adjustment'],
    [' Reconciliation Balance Adjustment', 'Reconciliation Balance Adjustment'],
  ])('payee_name cannot be %s', async (payee_name, reserved) => {
    expect(await budget.createRefused({ payee_name })).toBe(
      `400 payee_name must not begin with '${reserved}', which is a name of the service's own (index: 0)`,
    );
  });

  test('several rows with one new payee_name create one payee', async () => {
    const rows = ['New', 'new', 'NEW '].map((payee_name) => budget.spending({ payee_name }));
    await budget.send('POST', '/transactions', { transactions: rows });
    expect(budget.ledger.payees().filter(({ name }) => /new/i.test(name))).toHaveLength(1);
  });
});

describe('POST transactions with a list', () => {
  test('POST transactions with a list returns 201 with transaction_ids, transactions, duplicate_import_ids and server_knowledge', async () => {
    const { knowledge } = budget.ledger;
    const rows = [-1_000, -2_000].map((amount) => budget.spending({ amount }));
    const { status, body } = await budget.send('POST', '/transactions', { transactions: rows });
    expect([status, body]).toEqual([
      201,
      {
        data: {
          transaction_ids: [expect.any(String), expect.any(String)],
          transactions: [
            expect.objectContaining({ amount: -1_000 }),
            expect.objectContaining({ amount: -2_000 }),
          ],
          duplicate_import_ids: [],
          server_knowledge: knowledge + 1,
        },
      },
    ]);
    expect(budget.balance('Checking')).toBe(497_000);
  });

  test('a transaction of tomorrow in UTC is accepted, as it is today in the east', async () => {
    expect(await budget.create({ date: '2026-01-21' })).toMatchObject({ date: '2026-01-21' });
  });

  test('POST transactions with a list is atomic, and the 400 names each invalid row', async () => {
    const rows = [
      budget.spending({ payee_name: 'Never made' }),
      budget.spending({ memo: 'x'.repeat(501) }),
      budget.spending({ payee_id: budget.transferTo('Savings') }),
      budget.spending({ date: '2026-02-01', category_id: UNKNOWN }),
      'row',
    ];
    expect(await budget.refusal('POST', '/transactions', { transactions: rows })).toBe(
      '400 memo is too long (maximum is 500 characters) (index: 1), ' +
        'date must not be in the future or over 5 years ago (index: 3), ' +
        'category_id does not exist (index: 3), the transaction must be an object (index: 4)',
    );
  });
});
