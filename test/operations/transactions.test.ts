import { expect, test } from 'vitest';
import { listTransactions } from '../../src/operations/transactions.ts';

test('list_transactions accepts the two types of the service and no other', () => {
  expect(listTransactions.input.shape.type.safeParse('uncategorized').success).toBe(true);
  expect(listTransactions.input.shape.type.safeParse('unapproved').success).toBe(true);
  expect(listTransactions.input.shape.type.safeParse('approved').success).toBe(false);
});
