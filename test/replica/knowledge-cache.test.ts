import { expect, test } from 'vitest';
import { BudgetReplica } from '../../src/replica/budget-replica.ts';
import { KnowledgeCache } from '../../src/replica/knowledge-cache.ts';
import { smallLedger } from '../service/ledger/random-changes.helper.ts';
import { directReader } from './service-reader.helper.ts';

const data = { money_movements: [{ id: 'm', amount: 1 }] };

async function started() {
  const ledger = smallLedger();
  const replica = BudgetReplica.load(await directReader(ledger).export(), ledger.state.today);
  const { knowledge } = replica;
  const cache = new KnowledgeCache();
  const budget = { replica, asOf: { wall: 2_000, monotonic: 2_000 }, lacksWrite: false };
  return { cache, budget, knowledge };
}

test('a response is valid as long as the knowledge of the budget stays the same, and as new as the budget', async () => {
  const { cache, budget, knowledge } = await started();
  cache.set('movements', { data, knowledge, asOf: 1_000 });
  expect(cache.find('movements', budget, knowledge)).toEqual({ data, knowledge, asOf: 2_000 });
  expect(cache.find('other movements', budget, knowledge)).toBeUndefined();
});

test('a response from before a change of the budget is not used', async () => {
  const { cache, budget, knowledge } = await started();
  cache.set('movements', { data, knowledge: knowledge - 1, asOf: 1_000 });
  expect(cache.find('movements', budget, knowledge)).toBeUndefined();
});

test('a response from before a reset of the service is not used', async () => {
  const { cache, budget, knowledge } = await started();
  cache.set('movements', { data, knowledge: knowledge + 5, asOf: 1_000 });
  expect(cache.find('movements', budget, knowledge)).toBeUndefined();
  expect(cache.find('movements', budget, knowledge + 5)).toMatchObject({ data });
});

test('no response is used while the budget may lack a write of this process', async () => {
  const { cache, budget, knowledge } = await started();
  cache.set('movements', { data, knowledge, asOf: 1_000 });
  expect(cache.find('movements', { ...budget, lacksWrite: true }, knowledge)).toBeUndefined();
});

test('the cache forgets the responses that were not used for longest when it is full', async () => {
  const { cache, budget, knowledge } = await started();
  const large = { money_movements: [{ id: 'x'.repeat(2 ** 20), amount: 1 }] };
  for (const request of ['one', 'two', 'three']) cache.set(request, { data: large, knowledge, asOf: 1 });
  cache.find('one', budget, knowledge);
  cache.set('four', { data: large, knowledge, asOf: 1 });
  const found = ['one', 'two', 'three', 'four'].filter((request) => cache.find(request, budget, knowledge));
  expect(found).toEqual(['one', 'three', 'four']);
});
