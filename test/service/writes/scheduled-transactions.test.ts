import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { addScheduled } from '../../../src/service/ledger/scheduled-transactions.ts';
import { inMilliunits } from '../in-milliunits.helper.ts';
import * as wire from '../wire.helper.ts';
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

const PATH = '/scheduled_transactions';
const Saved = z.strictObject({
  data: z.strictObject({ scheduled_transaction: wire.ScheduledTransactionDetail }),
});

const bill = (fields: Record<string, unknown> = {}) => ({
  account_id: budget.account('Checking'),
  date: '2026-02-01',
  ...fields,
});
const body = (fields: Record<string, unknown>) => ({ scheduled_transaction: fields });

async function save(method: string, path: string, fields?: Record<string, unknown>) {
  const response = await budget.send(method, path, fields && body(fields));
  expect([response.status, response.body]).toEqual([method === 'POST' ? 201 : 200, expect.anything()]);
  return Saved.parse(response.body).data.scheduled_transaction;
}
const create = (fields: Record<string, unknown> = {}) => save('POST', PATH, bill(fields));

const splitBill = () =>
  budget.ledger.commit((state) =>
    addScheduled(state, {
      account_id: budget.account('Checking'),
      date: '2026-02-01',
      amount: -3_000,
      legs: [{ amount: -1_000 }, { amount: -2_000, category_id: budget.category('Fun 1') }],
    }),
  );

describe('POST scheduled_transactions', () => {
  test('POST scheduled_transactions returns 201 with the scheduled transaction, which has date_first and date_next', async () => {
    const { knowledge } = budget.ledger;
    const fields = { amount: -9_990, memo: 'Streaming 🎬', flag_color: 'blue', frequency: 'monthly' };
    const category_id = budget.category('Fun 1');
    const response = await budget.send(
      'POST',
      PATH,
      body(bill({ ...fields, payee_name: 'Screen', category_id })),
    );
    expect([response.status, inMilliunits(response.body)]).toEqual([
      201,
      {
        data: {
          scheduled_transaction: {
            id: expect.any(String),
            date_first: '2026-02-01',
            date_next: '2026-02-01',
            ...fields,
            flag_name: null,
            account_id: budget.account('Checking'),
            payee_id: budget.payee('Screen'),
            category_id,
            transfer_account_id: null,
            deleted: false,
            account_name: 'Checking',
            payee_name: 'Screen',
            category_name: 'Fun 1',
            subtransactions: [],
          },
        },
      },
    ]);
    expect(budget.ledger.knowledge).toBe(knowledge + 1);
    expect(budget.ledger.scheduledTransactions(knowledge)).toHaveLength(1);
    expect(budget.balance('Checking')).toBe(500_000);
  });

  test('POST scheduled_transactions requires account_id and date only, and defaults to once and amount 0', async () => {
    expect(await create()).toMatchObject({ frequency: 'never', amount: 0, payee_id: null, flag_color: null });
  });

  test('a scheduled transaction becomes a transaction when it comes due', async () => {
    const other = new Budget(service);
    const fields = { account_id: other.account('Checking'), date: '2026-01-20', amount: -5_000 };
    await other.send('POST', PATH, body(fields));
    expect(other.balance('Checking')).toBe(500_000);
    other.ledger.advanceTo(Date.parse('2026-01-21T00:00:00Z'));
    expect(other.balance('Checking')).toBe(495_000);
    expect(other.ledger.scheduledTransactions()).toEqual([]);
  });

  test('a scheduled transaction can be a transfer, which has no category', async () => {
    const fields = { payee_id: budget.transferTo('Savings'), category_id: budget.category('Fun 1') };
    expect(await create(fields)).toMatchObject({
      transfer_account_id: budget.account('Savings'),
      category_id: null,
    });
  });

  test('POST scheduled_transactions ignores a payment category, import_id, cleared and approved', async () => {
    const fields = { category_id: budget.category('Card'), import_id: 7, cleared: 'x', approved: 'y' };
    expect(await create(fields)).toMatchObject({ category_id: null });
  });

  test.each(['2026-01-20', '2031-01-20'])(
    'POST scheduled_transactions accepts the date %s, from today to five years ahead',
    async (date) => {
      expect(await create({ date })).toMatchObject({ date_first: date, date_next: date });
    },
  );

  test.each([
    'never',
    'daily',
    'weekly',
    'everyOtherWeek',
    'twiceAMonth',
    'every4Weeks',
    'monthly',
    'everyOtherMonth',
    'every3Months',
    'every4Months',
    'twiceAYear',
    'yearly',
    'everyOtherYear',
  ])('POST scheduled_transactions accepts the frequency %s', async (frequency) => {
    expect(await create({ frequency })).toMatchObject({ frequency });
  });

  test.each([
    [{ account_id: undefined }, 'account_id is required'],
    [{ date: undefined }, 'date is required'],
    [{ date: '2026-01-19' }, 'date must not be in the past or over 5 years ahead'],
    [{ date: '2031-01-21' }, 'date must not be in the past or over 5 years ahead'],
    [{ date: '2026-02-29' }, 'date must be a date in the form YYYY-MM-DD'],
    [{ amount: '1' }, 'amount must be an integer in milliunits'],
    [{ account_id: UNKNOWN }, 'account_id does not exist'],
    [{ payee_id: UNKNOWN }, 'payee_id does not exist'],
    [{ category_id: UNKNOWN }, 'category_id does not exist'],
    [{ payee_id: 'x' }, 'payee must be formatted as a uuid (universally unique identifier)'],
    [{ memo: 'x'.repeat(501) }, 'memo is too long (maximum is 500 characters)'],
    [{ payee_name: 'x'.repeat(201) }, 'payee_name is too long (maximum is 200 characters)'],
    [
      { payee_name: 'Transfer : Savings' },
      "payee_name must not begin with 'Transfer : ', which is a name of the service's own",
    ],
    [{ flag_color: 'pink' }, 'flag_color must be one of red, orange, yellow, green, blue, purple'],
    [{ subtransactions: [{ amount: 0 }] }, 'subtransactions are not possible in a scheduled transaction'],
  ])('POST scheduled_transactions returns 400 with %o: %s', async (fields, problem) => {
    expect(await budget.refusal('POST', PATH, body(bill(fields)))).toBe(`400 ${problem}`);
  });

  test('POST scheduled_transactions returns 400 with an unknown frequency, a closed account, a transfer to the same account, or no body', async () => {
    expect(await budget.refusal('POST', PATH, body(bill({ frequency: 'hourly' })))).toMatch(
      /^400 frequency must be one of never, daily, /,
    );
    expect(await budget.refusal('POST', PATH, body(bill({ account_id: budget.account('Old') })))).toBe(
      '400 account_id is a closed account',
    );
    expect(await budget.refusal('POST', PATH, body(bill({ payee_id: budget.transferTo('Checking') })))).toBe(
      '400 payee_id must not transfer to the account of the transaction itself',
    );
    expect(await budget.refusal('POST', PATH, {})).toBe('400 scheduled_transaction is required');
  });
});

describe('PUT scheduled_transactions/{id}', () => {
  test('PUT scheduled_transactions/{id} returns 200, requires account_id and date, and keeps absent fields', async () => {
    const before = await create({ amount: -1_000, memo: 'x', frequency: 'monthly', payee_name: 'Baker' });
    const path = `${PATH}/${before.id}`;
    const saved = await save('PUT', path, bill({ amount: -2_000 }));
    expect(inMilliunits(saved)).toEqual({ ...Object(inMilliunits(before)), amount: -2_000 });
    expect(await budget.refusal('PUT', path, body({ amount: -3_000 }))).toBe(
      '400 account_id is required, date is required',
    );
  });

  test('PUT scheduled_transactions/{id} with another date starts a new series', async () => {
    const { id } = await create({ frequency: 'weekly' });
    expect(await save('PUT', `${PATH}/${id}`, bill({ date: '2026-03-03' }))).toMatchObject({
      date_first: '2026-03-03',
      date_next: '2026-03-03',
      frequency: 'weekly',
    });
  });

  test('PUT scheduled_transactions/{id} can start and end a transfer, but not to the same account', async () => {
    const { id } = await create();
    const path = `${PATH}/${id}`;
    const transfer = bill({ payee_id: budget.transferTo('Savings') });
    expect(await save('PUT', path, transfer)).toMatchObject({ payee_name: 'Transfer : Savings' });
    expect(await budget.refusal('PUT', path, body(bill({ account_id: budget.account('Savings') })))).toBe(
      '400 account_id must not be the account that the transaction transfers to',
    );
    expect(await save('PUT', path, bill({ payee_id: null }))).toMatchObject({ transfer_account_id: null });
  });

  test('PUT scheduled_transactions/{id} keeps legs, amount and category of a split', async () => {
    const { id } = splitBill();
    const before = budget.ledger.scheduledTransaction(id);
    const fields = { amount: -1, category_id: budget.category('Fun 2'), subtransactions: [], memo: 'new' };
    const saved = await save('PUT', `${PATH}/${id}`, bill(fields));
    expect(inMilliunits(saved)).toEqual({ ...before, memo: 'new' });
  });

  test('PUT scheduled_transactions/{id} returns 400 with an invalid date, and 404.2 for an unknown id', async () => {
    const { id } = await create();
    expect(await budget.refusal('PUT', `${PATH}/${id}`, body(bill({ date: '2026-01-19' })))).toBe(
      '400 date must not be in the past or over 5 years ahead',
    );
    expect(await budget.refusal('PUT', `${PATH}/${UNKNOWN}`, body(bill()))).toBe(
      '404.2 The scheduled transaction does not exist.',
    );
  });
});

describe('DELETE scheduled_transactions/{id}', () => {
  test('DELETE scheduled_transactions/{id} returns 200 with the deleted scheduled transaction, and 404.2 the second time', async () => {
    const { id } = splitBill();
    const { knowledge } = budget.ledger;
    const before = budget.ledger.scheduledTransaction(id);
    const deleted = inMilliunits(await save('DELETE', `${PATH}/${id}`));
    const subtransactions = before?.subtransactions.map((leg) => ({ ...leg, deleted: true }));
    expect(deleted).toEqual({ ...before, subtransactions, deleted: true });
    expect(budget.ledger.scheduledTransactions(knowledge)).toEqual([deleted]);
    expect(await budget.refusal('DELETE', `${PATH}/${id}`)).toBe(
      '404.2 The scheduled transaction does not exist.',
    );
  });
});
