import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import type { Operation } from '../../src/operations/operation.ts';
import {
  listAccountTransactions,
  listCategoryTransactions,
  listMonthTransactions,
  listPayeeTransactions,
  listTransactions,
} from '../../src/operations/transactions.ts';
import { encodeRequest } from '../../src/session/http/codec.ts';

test('list_transactions accepts the two types of the service and no other', () => {
  expect(listTransactions.input.shape.type.safeParse('uncategorized').success).toBe(true);
  expect(listTransactions.input.shape.type.safeParse('unapproved').success).toBe(true);
  expect(listTransactions.input.shape.type.safeParse('approved').success).toBe(false);
});

const lists = [
  listTransactions,
  listAccountTransactions,
  listCategoryTransactions,
  listPayeeTransactions,
  listMonthTransactions,
];

const ids = { account_id: 'a', category_id: 'c', payee_id: 'p', month: 'current' };

const inputOf = (operation: Operation, args: JsonObject = {}) => {
  const inPath = Object.entries(ids).filter(([name]) => name in operation.input.shape);
  return operation.input.parse({ ...Object.fromEntries(inPath), ...args });
};

test.each(lists)(
  '$name asks the service for all transactions if the caller gave no since_date, because newer services begin one year ago',
  (operation) => {
    const input = { ...inputOf(operation), budget_id: 'b' };
    expect(encodeRequest(operation, input, 'https://service.example/v1').url).toMatch(
      /[?&]since_date=1970-01-01/,
    );
  },
);

test.each(lists)('$name sends until_date', (operation) => {
  const input = { ...inputOf(operation, { until_date: '2026-10-31' }), budget_id: 'b' };
  expect(encodeRequest(operation, input, 'https://service.example/v1').url).toMatch(
    /[?&]until_date=2026-10-31/,
  );
});

test.each(lists)(
  '$name removes what an older service answers after until_date, and sorts the others, newest first and by id within a day',
  (operation: Operation) => {
    const [first, second] = ['a', 'b'].map((id) => ({ id, date: '2026-10-30' }));
    const [last, after] = ['2026-10-31', '2026-11-01'].map((date) => ({ id: 'c', date }));
    const data = { transactions: [first, second, last, after].toReversed(), server_knowledge: 7 };
    const input = inputOf(operation, { until_date: '2026-10-31' });
    expect(operation.arrange?.(data, input)).toEqual({ ...data, transactions: [last, first, second] });
    expect(operation.arrange?.(data, inputOf(operation))).toEqual({
      ...data,
      transactions: [after, last, first, second],
    });
  },
);

const days = { today: '2026-11-21', ofService: '2026-11-21' };

test.each(lists)('$name refuses a since_date after until_date', (operation: Operation) => {
  const dates = { since_date: '2026-11-02', until_date: '2026-11-01' };
  expect(operation.check?.(inputOf(operation, dates), days)).toEqual([
    'since_date 2026-11-02 is after until_date 2026-11-01',
  ]);
  expect(operation.check?.(inputOf(operation, { until_date: '2026-11-01' }), days)).toEqual([]);
});
