import { expect, test } from 'vitest';
import { z } from 'zod';
import { momentOf } from '../../src/base/clock.ts';
import { KeptAnswers } from '../../src/session/kept-answers.ts';
import { MemoryStore, SharedMemory } from '../../src/store/memory-store.ts';
import { ManualClock } from '../manual-clock.helper.ts';

const schema = z.object({ text: z.string() });

/** One process keeps answers, and another one looks for them. */
function start() {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const memory = new SharedMemory();
  const [answers, others] = [0, 1].map(() => new KeptAnswers(new MemoryStore(clock, memory), clock));
  if (!answers || !others) expect.unreachable();
  const set = (request: string, characters: number) =>
    answers.set(request, { data: { text: 'x'.repeat(characters) }, asOf: momentOf(clock) });
  const known = async (...requests: string[]) => {
    const found = await Promise.all(requests.map((request) => others.find(request, schema, () => true)));
    return requests.filter((_, i) => found[i] !== undefined);
  };
  return { set, known };
}

test('the oldest answers are removed when there are too many', async () => {
  const { set, known } = start();
  for (const request of ['a', 'b', 'c']) await set(request, 200_000);
  expect(await known('a', 'b', 'c')).toEqual(['b', 'c']);
});

test('an answer that is larger than the limit is not kept, and removes no other one', async () => {
  const { set, known } = start();
  await set('a', 100);
  await set('b', 600_000);
  expect(await known('a', 'b')).toEqual(['a']);
});
