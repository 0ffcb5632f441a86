import { expect, it } from 'vitest';
import { BudgetReplica } from '../../src/replica/budget-replica.ts';
import { smallLedger } from '../service/ledger/random-changes.ts';
import { asked } from './asked.ts';

it.each([
  ['oldest first', false],
  ['newest first', true],
])(
  'an earlier month that a delta brings takes its place among months that come %s',
  async (_, isNewestFirst) => {
    const { budget, server_knowledge } = await asked(smallLedger()).export();
    const [month = expect.unreachable()] = budget.months;
    const later = { ...month, month: '2099-12-01' };
    const months = isNewestFirst ? [later, month] : [month, later];
    const replica = BudgetReplica.load({ server_knowledge, budget: { ...budget, months } }, '2026-01-20');
    const [first = expect.unreachable()] = budget.months;
    const earlier = { ...first, month: '1999-12-01', categories: [] };
    replica.apply({ server_knowledge, budget: { ...budget, months: [earlier] } }, '2026-01-20');
    const listed = replica.months.list().map((each) => each.month);
    const sorted = listed.toSorted();
    expect(listed).toEqual(isNewestFirst ? sorted.toReversed() : sorted);
    expect(listed).toContain('1999-12-01');
    expect(replica.export().months.map((each) => each.month)).toEqual(listed);
  },
);
