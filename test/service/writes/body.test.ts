import { request } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Budget, startWritingService, UNKNOWN, type WritingService } from './writing.helper.ts';

let service: WritingService;
let budget: Budget;
beforeAll(async () => {
  service = await startWritingService({ maxTransactions: 20 });
});
afterAll(() => service.close());
beforeEach(() => {
  budget = new Budget(service);
});

const ALL: [method: string, path: string][] = [
  ['POST', '/accounts'],
  ['PATCH', `/categories/${UNKNOWN}`],
  ['PATCH', `/months/current/categories/${UNKNOWN}`],
  ['PATCH', `/payees/${UNKNOWN}`],
  ['POST', '/transactions'],
  ['PATCH', '/transactions'],
  ['PUT', `/transactions/${UNKNOWN}`],
  ['POST', '/scheduled_transactions'],
  ['PUT', `/scheduled_transactions/${UNKNOWN}`],
];
const WITHOUT_BODY: [method: string, path: string][] = [
  ['POST', '/transactions/import'],
  ['DELETE', `/transactions/${UNKNOWN}`],
  ['DELETE', `/scheduled_transactions/${UNKNOWN}`],
];

describe('read-only tokens', () => {
  test.each([...ALL, ...WITHOUT_BODY])(
    'a read-only token gets 403.3 on %s %s, before the body is checked',
    async (method, path) => {
      const readOnlyBudget = new Budget(service, { scope: 'read-only' });
      expect(await readOnlyBudget.refusal(method, path, method === 'DELETE' ? undefined : 'not JSON')).toBe(
        '403.3 The access token is for reading only.',
      );
    },
  );

  test('a read-only token can read', async () => {
    const readOnlyBudget = new Budget(service, { scope: 'read-only' });
    expect((await readOnlyBudget.send('GET', '/transactions')).status).toBe(200);
  });
});

describe('request bodies', () => {
  test.each(ALL)(
    'a body must be JSON with the content type application/json: %s %s',
    async (method, path) => {
      const type = (value: string) => ({ 'Content-Type': value });
      expect(await budget.refusal(method, path)).toBe('400 The body is missing.');
      expect(await budget.refusal(method, path, '{"transaction":')).toBe('400 The body is not valid JSON.');
      expect(await budget.refusal(method, path, '{}', type('text/plain'))).toBe(
        '400 The body must be sent with the content type application/json.',
      );
      for (const value of [[], 'null', '"x"', '7']) {
        expect(await budget.refusal(method, path, value)).toBe('400 the body must be an object');
      }
    },
  );

  test('the content type can contain a character set', async () => {
    const headers = { 'Content-Type': 'Application/JSON; charset=utf-8' };
    const body = { transaction: budget.spending() };
    expect((await budget.send('POST', '/transactions', body, headers)).status).toBe(201);
  });

  test.each([
    [{}, 'the body must have transaction or transactions'],
    [{ transaction: null, transactions: null }, 'the body must have transaction or transactions'],
    [
      { transaction: {}, transactions: [] },
      'the body must have either transaction or transactions, not both',
    ],
    [{ transactions: {} }, 'transactions must be a list'],
    [{ transactions: [] }, 'transactions is empty'],
    [{ transaction: [] }, 'the transaction must be an object (index: 0)'],
    [{ transaction: 'x' }, 'the transaction must be an object (index: 0)'],
  ])(
    'the body of POST transactions must have either transaction or transactions: %o',
    async (body, problem) => {
      expect(await budget.refusal('POST', '/transactions', body)).toContain(problem);
    },
  );

  test('the body of POST transactions can have null for the other of the two', async () => {
    const body = { transaction: budget.spending(), transactions: null };
    expect((await budget.send('POST', '/transactions', body)).status).toBe(201);
  });

  test.each([
    [{}, 'transactions is required'],
    [{ transactions: [] }, 'transactions is empty'],
    [{ transactions: null }, 'transactions must be a list'],
  ])('the body of PATCH transactions must have transactions: %o', async (body, problem) => {
    expect(await budget.refusal('PATCH', '/transactions', body)).toBe(`400 ${problem}`);
  });

  test('a body of more than 5 MB gets 403.4, with or without Content-Length', async () => {
    const refusal = '403.4 The body of a request may have 5 MB at most.';
    const body = JSON.stringify({ transaction: { memo: 'x'.repeat(5 * 1024 * 1024) } });
    expect(await budget.refusal('POST', '/transactions', body)).toBe(refusal);
    expect(await chunked(`/budgets/${budget.ledger.id}/transactions`, body)).toBe(403);
  });

  test('a body that is not UTF-8 gets 400', async () => {
    expect(await chunked(`/budgets/${budget.ledger.id}/transactions`, Buffer.from([0x22, 0xff, 0x22]))).toBe(
      400,
    );
  });
});

describe('data limits', () => {
  test('a request can contain at most 1,000 rows', async () => {
    const rows = Array.from({ length: 1_001 }, () => ({}));
    const refusal = '403.4 A request may bring 1000 transactions at most.';
    for (const method of ['POST', 'PATCH']) {
      expect(await budget.refusal(method, '/transactions', { transactions: rows })).toBe(refusal);
      const fewer = await budget.refusal(method, '/transactions', { transactions: rows.slice(1) });
      expect(fewer).toMatch(/^400 .*\(index: 999\)$/);
    }
  });

  test('a budget cannot exceed its transaction limit, and other sides of transfers and opening balances count', async () => {
    const refusal = '403.4 A budget may have 20 transactions at most.';
    const count = () => budget.ledger.state.transactions.size;
    const rows = Array.from({ length: 19 - count() }, () => budget.spending());
    expect((await budget.send('POST', '/transactions', { transactions: rows })).status).toBe(201);
    expect(await budget.createRefused({ payee_id: budget.transferTo('Savings') })).toBe(refusal);
    const { id } = await budget.create();
    expect(count()).toBe(20);
    expect(await budget.createRefused({})).toBe(refusal);
    const account = { name: 'New', type: 'cash', balance: 1 };
    expect(await budget.refusal('POST', '/accounts', { account })).toBe(refusal);
    expect(await budget.update(id, { memo: 'still' })).toMatchObject({ memo: 'still' });
    expect((await budget.send('DELETE', `/transactions/${id}`)).status).toBe(200);
    expect(await budget.create()).toMatchObject({ amount: -10_000 });
  });

  test('the sum of all amounts stays within the exact integers of JSON', async () => {
    const refusal = '403.4 The amounts of this budget would become too large.';
    await budget.create({ amount: -1 });
    expect(await budget.createRefused({ amount: Number.MAX_SAFE_INTEGER })).toBe(refusal);
    const quarter = Math.floor(Number.MAX_SAFE_INTEGER / 4);
    expect(await budget.createRefused({ amount: quarter })).toBe(refusal);
    const legs = [{ amount: quarter }, { amount: -quarter }];
    expect(await budget.createRefused({ amount: 0, subtransactions: legs })).toBe(refusal);
    const path = `/months/current/categories/${budget.category('Fun 1')}`;
    expect(await budget.refusal('PATCH', path, { category: { budgeted: -quarter } })).toBe(refusal);
    expect(await budget.create({ amount: 2 ** 50 })).toMatchObject({ amount: 2 ** 50 });
    budget.expectBalanced();
  });
});

/**
 * The status of a POST without Content-Length. The service may close the connection before the whole body was sent.
 */
function chunked(path: string, body: string | Uint8Array): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { ...budget.headers, 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' };
    const post = request(service.baseUrl + path, { method: 'POST', headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    post.on('error', reject);
    post.end(body);
  });
}
