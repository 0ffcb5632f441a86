import { expect, test } from 'vitest';
import { z } from 'zod';
import { BudgetReplica } from '../../src/model/replica/budget-replica.ts';
import { isOfBudget, KeptAnswers } from '../../src/session/kept-answers.ts';
import { MemoryStore } from '../../src/store/memory-store.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { directReader } from '../model/replica/service-reader.helper.ts';
import { smallLedger } from '../service/ledger/random-changes.helper.ts';

const movements = z.object({ money_movements: z.array(z.object({ id: z.string(), amount: z.number() })) });
const data = { money_movements: [{ id: 'm', amount: 1 }] };
const asOf = { wall: 1_000, monotonic: 1_000 };

async function started() {
  const ledger = smallLedger();
  const replica = BudgetReplica.load(await directReader(ledger).export(), ledger.state.today);
  const { knowledge } = replica;
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const answers = new KeptAnswers(new MemoryStore(clock), clock);
  const find = (request: string, { lacksWrite = false, highest = knowledge } = {}) =>
    answers.find(request, movements, (kept) => isOfBudget(kept, { replica, lacksWrite }, highest));
  return { answers, find, knowledge };
}

test('an answer is used as long as the knowledge of the budget stays the same', async () => {
  const { answers, find, knowledge } = await started();
  await answers.set('movements', { data, knowledge, asOf });
  expect(await find('movements')).toEqual({ data, knowledge, asOf });
  expect(await find('other movements')).toBeUndefined();
});

test('an answer from before a change of the budget is not used', async () => {
  const { answers, find, knowledge } = await started();
  await answers.set('movements', { data, knowledge: knowledge - 1, asOf });
  expect(await find('movements')).toBeUndefined();
});

test('an answer from before a reset of the service is not used', async () => {
  const { answers, find, knowledge } = await started();
  await answers.set('movements', { data, knowledge: knowledge + 5, asOf });
  expect(await find('movements')).toBeUndefined();
  expect(await find('movements', { highest: knowledge + 5 })).toMatchObject({ data });
});

test('no answer is used while the budget may lack a write of this process', async () => {
  const { answers, find, knowledge } = await started();
  await answers.set('movements', { data, knowledge, asOf });
  expect(await find('movements', { lacksWrite: true })).toBeUndefined();
});

test('the answers that were not used for longest are forgotten when there are too many', async () => {
  const { answers, find, knowledge } = await started();
  const large = { money_movements: [{ id: 'x'.repeat(2 ** 20), amount: 1 }] };
  for (const request of ['one', 'two', 'three']) await answers.set(request, { data: large, knowledge, asOf });
  await find('one');
  await answers.set('four', { data: large, knowledge, asOf });
  const found: string[] = [];
  for (const request of ['one', 'two', 'three', 'four']) if (await find(request)) found.push(request);
  expect(found).toEqual(['one', 'three', 'four']);
});
