import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { addScheduled } from '../../../src/service/ledger/scheduled-transactions.ts';
import * as wire from '../wire.ts';
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

const PATH = '/scheduled_transactions';
const Saved = z.strictObject({
  data: z.strictObject({ scheduled_transaction: wire.ScheduledTransactionDetail }),
});

const bill = (said: Record<string, unknown> = {}) => ({
  account_id: budget.account('Checking'),
  date: '2026-02-01',
  ...said,
});
const body = (said: Record<string, unknown>) => ({ scheduled_transaction: said });

async function save(method: string, path: string, said?: Record<string, unknown>) {
  const answer = await budget.send(method, path, said && body(said));
  expect([answer.status, answer.body]).toEqual([method === 'POST' ? 201 : 200, expect.anything()]);
  return Saved.parse(answer.body).data.scheduled_transaction;
}
const create = (said: Record<string, unknown> = {}) => save('POST', PATH, bill(said));

const splitBill = () =>
  budget.ledger.commit((books) =>
    addScheduled(books, {
      account_id: budget.account('Checking'),
      date: '2026-02-01',
      amount: -3_000,
      legs: [{ amount: -1_000 }, { amount: -2_000, category_id: budget.category('Fun 1') }],
    }),
  );

describe('POST scheduled_transactions', () => {
  test('is 201 with scheduled_transaction alone: date_first and date_next, never date', async () => {
    const { knowledge } = budget.ledger;
    const said = { amount: -9_990, memo: 'Streaming 🎬', flag_color: 'blue', frequency: 'monthly' };
    const category_id = budget.category('Fun 1');
    const answer = await budget.send(
      'POST',
      PATH,
      body(bill({ ...said, payee_name: 'Screen', category_id })),
    );
    expect([answer.status, answer.body]).toEqual([
      201,
      {
        data: {
          scheduled_transaction: {
            id: expect.any(String),
            date_first: '2026-02-01',
            date_next: '2026-02-01',
            ...said,
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

  test('needs only account_id and date: once, of no amount', async () => {
    expect(await create()).toMatchObject({ frequency: 'never', amount: 0, payee_id: null, flag_color: null });
  });

  test('enters the register when it comes due', async () => {
    const other = new Budget(service);
    const said = { account_id: other.account('Checking'), date: '2026-01-20', amount: -5_000 };
    await other.send('POST', PATH, body(said));
    expect(other.balance('Checking')).toBe(500_000);
    other.ledger.advanceTo(Date.parse('2026-01-21T00:00:00Z'));
    expect(other.balance('Checking')).toBe(495_000);
    expect(other.ledger.scheduledTransactions()).toEqual([]);
  });

  test('may be a transfer, which has no category', async () => {
    const said = { payee_id: budget.transferTo('Savings'), category_id: budget.category('Fun 1') };
    expect(await create(said)).toMatchObject({
      transfer_account_id: budget.account('Savings'),
      category_id: null,
    });
  });

  test('ignores a payment category, and import_id, cleared and approved', async () => {
    const said = { category_id: budget.category('Card'), import_id: 7, cleared: 'x', approved: 'y' };
    expect(await create(said)).toMatchObject({ category_id: null });
  });

  test.each(['2026-01-20', '2031-01-20'])('takes %s: today, and five years ahead', async (date) => {
    expect(await create({ date })).toMatchObject({ date_first: date, date_next: date });
  });

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
  ])('takes the frequency %s', async (frequency) => {
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
  ])('is 400 with %o: %s', async (said, problem) => {
    expect(await budget.refusal('POST', PATH, body(bill(said)))).toBe(`400 ${problem}`);
  });

  test('is 400 with an unknown frequency, a closed account, a transfer to itself, no body of its own', async () => {
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
  test('is 200, needs account_id and date, and leaves what it does not say', async () => {
    const before = await create({ amount: -1_000, memo: 'x', frequency: 'monthly', payee_name: 'Baker' });
    const path = `${PATH}/${before.id}`;
    expect(await save('PUT', path, bill({ amount: -2_000 }))).toEqual({ ...before, amount: -2_000 });
    expect(await budget.refusal('PUT', path, body({ amount: -3_000 }))).toBe(
      '400 account_id is required, date is required',
    );
  });

  test('begins anew with another date', async () => {
    const { id } = await create({ frequency: 'weekly' });
    expect(await save('PUT', `${PATH}/${id}`, bill({ date: '2026-03-03' }))).toMatchObject({
      date_first: '2026-03-03',
      date_next: '2026-03-03',
      frequency: 'weekly',
    });
  });

  test('makes and ends a transfer, but none to its own account', async () => {
    const { id } = await create();
    const path = `${PATH}/${id}`;
    const transfer = bill({ payee_id: budget.transferTo('Savings') });
    expect(await save('PUT', path, transfer)).toMatchObject({ payee_name: 'Transfer : Savings' });
    expect(await budget.refusal('PUT', path, body(bill({ account_id: budget.account('Savings') })))).toBe(
      '400 account_id must not be the account that the transaction transfers to',
    );
    expect(await save('PUT', path, bill({ payee_id: null }))).toMatchObject({ transfer_account_id: null });
  });

  test('leaves the legs of a split, and its amount and category', async () => {
    const { id } = splitBill();
    const before = budget.ledger.scheduledTransaction(id);
    const said = { amount: -1, category_id: budget.category('Fun 2'), subtransactions: [], memo: 'new' };
    expect(await save('PUT', `${PATH}/${id}`, bill(said))).toEqual({ ...before, memo: 'new' });
  });

  test('is 400 with a wrong date, and 404.2 for an unknown id', async () => {
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
  test('is 200 with the scheduled transaction, deleted, and then 404.2', async () => {
    const { id } = splitBill();
    const { knowledge } = budget.ledger;
    const before = budget.ledger.scheduledTransaction(id);
    const deleted = await save('DELETE', `${PATH}/${id}`);
    const subtransactions = before?.subtransactions.map((leg) => ({ ...leg, deleted: true }));
    expect(deleted).toEqual({ ...before, subtransactions, deleted: true });
    expect(budget.ledger.scheduledTransactions(knowledge)).toEqual([deleted]);
    expect(await budget.refusal('DELETE', `${PATH}/${id}`)).toBe(
      '404.2 The scheduled transaction does not exist.',
    );
  });
});
