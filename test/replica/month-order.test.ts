import { expect, it } from 'vitest';
import { BudgetReplica } from '../../src/replica/budget-replica.ts';
import { smallLedger } from '../service/ledger/random-changes.ts';
import { directReader } from './service-reader.ts';

it.each([
  ['oldest first', false],
  ['newest first', true],
])('an earlier month in a delta is sorted among months that come %s', async (_, isNewestFirst) => {
  const { budget, server_knowledge } = await directReader(smallLedger()).export();
  const [month = expect.unreachable()] = budget.months;
  const later = { ...month, month: '2099-12-01' };
  const months = isNewestFirst ? [later, month] : [month, later];
  const replica = BudgetReplica.load({ server_knowledge, budget: { ...budget, months } }, '2026-01-20');
  const [first = expect.unreachable()] = budget.months;
  const earlier = { ...first, month: '1999-12-01', categories: [] };
  replica.apply({ server_knowledge, budget: { ...budget, months: [earlier] } }, '2026-01-20');
  const listed = replica.months.list().map(({ month }) => month);
  const sorted = listed.toSorted();
  expect(listed).toEqual(isNewestFirst ? sorted.toReversed() : sorted);
  expect(listed).toContain('1999-12-01');
  expect(replica.export().months.map(({ month }) => month)).toEqual(listed);
});
