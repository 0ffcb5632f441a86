import { expect, it } from 'vitest';
import { sumsByPayee } from '../../../src/features/search/find-transactions.ts';
import { BudgetReplica } from '../../../src/model/replica/budget-replica.ts';
import { directReader } from '../../model/replica/service-reader.helper.ts';
import { smallLedger } from '../../service/ledger/random-changes.helper.ts';

const ledger = smallLedger();
const replica = BudgetReplica.load(await directReader(ledger).export(), ledger.state.today);
const [example] = replica.transactions.list({}).filter((row) => row.subtransactions.length === 0);
if (!example) throw new Error('The book has no transaction.');
const row = (payee_id: string | null, amount: number) => ({
  ...example,
  payee_id,
  payee_name: payee_id,
  amount,
});

it('each payee has the number and the sum of its rows, the largest sum first', () => {
  expect(sumsByPayee([row('a', -1), row('b', -5), row('a', 3), row('b', -4)])).toEqual([
    { id: 'b', name: 'b', transactions: 2, sum: -9 },
    { id: 'a', name: 'a', transactions: 2, sum: 2 },
  ]);
});

it('only what matches of a split counts', () => {
  const part = { ...row('a', -10), matching_amount: -3 };
  expect(sumsByPayee([part, row('a', -1), row('b', -1), row('b', -1)])[0]).toMatchObject({
    id: 'a',
    sum: -4,
  });
});

it.each([
  ['of one payee', ['a', 'a']],
  ['of more than five payees', [...'abcdefabcdef']],
  ['that are mostly the only one of their payee', ['a', 'b', 'c', 'a']],
  ['of which one has no payee', ['a', 'a', 'b', 'b', null]],
] as const)('there are no sums for rows %s', (_, payees) => {
  expect(sumsByPayee(payees.map((payee) => row(payee, -1)))).toEqual([]);
});

it('there are no sums if a leg has a payee of its own', () => {
  const leg = { ...example, transaction_id: 'x', payee_id: 'b' };
  const split = { ...row('a', -1), subtransactions: [leg] };
  expect(sumsByPayee([split, row('a', -1), row('c', -1), row('c', -1)])).toEqual([]);
});
