import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BudgetError } from '../../../src/base/errors.ts';
import { getAccount, listAccounts } from '../../../src/operations/accounts.ts';
import { getBudget, getUser } from '../../../src/operations/budgets.ts';
import { getCategory } from '../../../src/operations/categories.ts';
import { listMoneyMovements } from '../../../src/operations/money-movements.ts';
import type { Operation } from '../../../src/operations/operation.ts';
import { createTransactions } from '../../../src/operations/transaction-writes.ts';
import {
  getTransaction,
  listAccountTransactions,
  listTransactions,
} from '../../../src/operations/transactions.ts';
import { decodeResponse, encodeRequest } from '../../../src/session/http/codec.ts';
import type { HttpResponse } from '../../../src/session/http/http-sender.ts';
import { transaction } from '../../answers/samples.helper.ts';

const BASE = 'https://api.example.com/v1';

function answer(body: unknown, status = 200): HttpResponse {
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  return { status, headers, body: JSON.stringify(body) };
}

function errorOf(act: () => unknown): BudgetError {
  try {
    act();
  } catch (error) {
    if (error instanceof BudgetError) return error;
    throw error;
  }
  throw new Error('It succeeded.');
}

describe('encodeRequest', () => {
  test('encodeRequest puts path parameters into the path and the rest into the query, and accepts JSON', () => {
    const input = { budget_id: 'b-1', since_date: '2026-11-01', type: 'unapproved' };
    expect(encodeRequest(listTransactions, input, BASE)).toEqual({
      method: 'GET',
      url: `${BASE}/budgets/b-1/transactions?since_date=2026-11-01&type=unapproved`,
      headers: { accept: 'application/json' },
      maxBytes: 256 * 2 ** 20,
    });
  });

  test('encodeRequest allows a response of the size that the operation may need', () => {
    const mebibytesOf = (operation: Operation) =>
      (encodeRequest(operation, { budget_id: 'b-1', account_id: 'a-1' }, BASE).maxBytes ?? 0) / 2 ** 20;
    const growing = [getBudget, listTransactions, listAccountTransactions, listMoneyMovements];
    expect(growing.map(mebibytesOf)).toEqual([256, 256, 256, 256]);
    expect([getUser, listAccounts, getAccount].map(mebibytesOf)).toEqual([16, 16, 16]);
  });

  test('encodeRequest omits undefined fields, and also the question mark if there are no others', () => {
    const input = { budget_id: 'b-1', since_date: undefined, type: undefined };
    expect(encodeRequest(listTransactions, input, BASE).url).toBe(`${BASE}/budgets/b-1/transactions`);
  });

  test('encodeRequest sends the values false and 0', () => {
    const { searchParams } = new URL(encodeRequest(getUser, { include: false, last: 0 }, BASE).url);
    expect([...searchParams]).toEqual([
      ['include', 'false'],
      ['last', '0'],
    ]);
  });

  test('encodeRequest escapes characters that would end a path segment or the path', () => {
    const { url } = encodeRequest(getAccount, { budget_id: 'a/b', account_id: 'c?d#e%2Ff' }, BASE);
    expect(url).toBe(`${BASE}/budgets/a%2Fb/accounts/c%3Fd%23e%252Ff`);
  });

  test.each(['.', '..', '', undefined, '\ud800'])('encodeRequest refuses %j as an id', (account_id) => {
    const error = errorOf(() => encodeRequest(getAccount, { budget_id: 'b-1', account_id }, BASE));
    expect(error.code).toBe('invalid_input');
  });

  test('encodeRequest keeps every other id as one path segment', () => {
    const special = fc.constantFrom('.', '/', '%', '%2e', '?', '#', '\\', ' ', '\n');
    const id = fc
      .oneof(fc.string({ unit: 'binary', minLength: 1 }), fc.string({ unit: special, minLength: 1 }))
      .filter((text) => text !== '.' && text !== '..');
    fc.assert(
      fc.property(id, (account_id) => {
        const { pathname, search, hash } = new URL(
          encodeRequest(getAccount, { budget_id: 'b-1', account_id }, BASE).url,
        );
        const segments = pathname.split('/');
        expect(segments.slice(0, -1).join('/')).toBe('/v1/budgets/b-1/accounts');
        expect(decodeURIComponent(segments.at(-1) ?? '')).toBe(account_id);
        expect(search + hash).toBe('');
      }),
    );
  });

  test('encodeRequest keeps every value of the query', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (since_date) => {
        const { searchParams } = new URL(
          encodeRequest(listTransactions, { budget_id: 'b', since_date }, BASE).url,
        );
        expect([...searchParams]).toEqual([['since_date', since_date]]);
      }),
    );
  });
});

describe('decodeResponse, for a success', () => {
  const account = {
    id: 'a-1',
    name: 'Checking',
    type: 'checking',
    on_budget: true,
    closed: false,
    balance: -12_340,
    cleared_balance: 0,
    uncleared_balance: -12_340,
    deleted: false,
  };

  test('decodeResponse returns the data with amounts in milliunits as they were sent', () => {
    const { account: decoded } = decodeResponse(getAccount, answer({ data: { account } }));
    expect(decoded).toMatchObject(account);
  });

  test('decodeResponse accepts every status of success', () => {
    expect(decodeResponse(getUser, answer({ data: { user: { id: 'u-1' } } }, 209))).toEqual({
      user: { id: 'u-1' },
    });
  });

  test('decodeResponse returns null for a missing field that may be null', () => {
    const { account: decoded } = decodeResponse(getAccount, answer({ data: { account } }));
    expect(decoded).toMatchObject({ note: null, last_reconciled_at: null, debt_interest_rates: null });
  });

  test('decodeResponse accepts fields and values of a later version of the service', () => {
    const later = { ...account, type: 'crypto', balance_formatted: '-$12.34' };
    const body = { data: { account: later, server_time: 1 }, meta: {} };
    expect(decodeResponse(getAccount, answer(body)).account).toMatchObject({ ...account, type: 'crypto' });
  });

  test.each([
    ['a thing without its id', { data: { account: { ...account, id: undefined } } }, 'data.account.id'],
    ['null where null is not allowed', { data: { account: null } }, 'data.account'],
    ['no field data', { account }, 'data'],
    ['the body null', null, 'the body'],
    ['a list as its body', [], 'the body'],
  ])('decodeResponse names the path of the problem if a response has %s', (_, body, path) => {
    const error = errorOf(() => decodeResponse(getAccount, answer(body)));
    expect(error.code).toBe('unexpected_response');
    expect(error.message).toMatch(`get_account is not as specified: ${path}: `);
  });

  test('decodeResponse names the position of a row of a write that cannot be read, and leaves none out', () => {
    const transactions = [transaction(), { ...transaction(), amount: null }];
    const body = { data: { transaction_ids: [], transactions, server_knowledge: 1 } };
    expect(errorOf(() => decodeResponse(createTransactions, answer(body))).message).toMatch(
      'data.transactions.1.amount: ',
    );
    expect(decodeResponse(listTransactions, answer(body))).toMatchObject({
      transactions: [transaction()],
      gaps: [{ kind: 'transaction', id: 'trx-1', fields: { amount: null }, left_out: true }],
    });
  });

  test.each(['9007199254740993', '-9007199254740993', '1e21', '0.5', '"1"'])(
    'decodeResponse takes %s for no amount, and does not round it',
    (amount) => {
      const decoded = (operation: Operation, data: object, field: string) => {
        const body = JSON.stringify({ data }).replace(
          new RegExp(`"${field}":-?\\d+`),
          `"${field}":${amount}`,
        );
        return decodeResponse(operation, { status: 200, headers: {}, body });
      };
      const error = errorOf(() => decoded(getTransaction, { transaction: transaction() }, 'amount'));
      expect(error.message).toMatch('data.transaction.amount: ');
      expect(decoded(getAccount, { account }, 'balance')).toMatchObject({
        account: { ...account, balance: 0 },
        gaps: [{ kind: 'account', name: account.name, fields: { balance: 0 }, left_out: false }],
      });
    },
  );

  test('decodeResponse accepts the largest integer that can be parsed exactly', () => {
    const balance = Number.MAX_SAFE_INTEGER;
    const decoded = decodeResponse(getAccount, answer({ data: { account: { ...account, balance } } }));
    expect(decoded.account.balance).toBe(9_007_199_254_740_991);
  });

  test('decodeResponse accepts an unknown goal type', () => {
    const flags = { hidden: false, deleted: false };
    const amounts = { budgeted: 0, activity: 0, balance: 0 };
    const category = { id: 'c', category_group_id: 'g', name: 'Fun', ...flags, ...amounts, goal_type: 'NEW' };
    expect(decodeResponse(getCategory, answer({ data: { category } })).category).toMatchObject({
      goal_type: 'NEW',
      goal_target: null,
    });
  });
});
