import { expect, test } from 'vitest';
import { withoutIds } from '../../src/answers/pending-change.ts';

test('an entity without ids keeps an amount that the service stores under the key "id"', () => {
  const loan = { id: 'acc-1', name: 'Loan', debt_escrow_amounts: { id: 12_000 } };
  expect(withoutIds([loan])).toEqual([{ ...loan, id: '' }]);
});
