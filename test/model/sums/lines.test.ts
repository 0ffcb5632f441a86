import { expect, it } from 'vitest';
import { linesOf } from '../../../src/model/sums/lines.ts';
import { leg, transaction } from '../../answers/samples.helper.ts';

it('a transaction without legs is one line', () => {
  const one = transaction();
  expect(linesOf(one)).toEqual([one]);
});

it('a split has a line for each leg, and none for itself', () => {
  const legs = [leg(), leg({ id: 'leg-2', amount: -12_100 })];
  expect(linesOf(transaction({ subtransactions: legs }))).toEqual(legs);
});
