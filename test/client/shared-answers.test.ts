import { expect, test } from 'vitest';
import { SharedAnswers } from '../../src/client/shared-answers.ts';
import { momentOf } from '../../src/platform/clock.ts';
import { MemoryStore, SharedMemory } from '../../src/state/memory-store.ts';
import { ManualClock } from '../manual-clock.helper.ts';

function start() {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const answers = new SharedAnswers(new MemoryStore(clock, new SharedMemory()), clock);
  const set = (request: string, characters: number) =>
    answers.set(request, { data: 'x'.repeat(characters), asOf: momentOf(clock) });
  const known = async (...requests: string[]) => {
    const found = await Promise.all(requests.map((request) => answers.find(request)));
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
