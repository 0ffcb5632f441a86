import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { yieldTurn } from '../../src/base/clock.ts';

test('of all computations that wait for others, one goes on in each turn of the event loop, in their order', async () => {
  const turns: string[][] = [];
  const compute = async (name: string) => {
    for (let step = 0; step < 3; step += 1) {
      await yieldTurn();
      turns.at(-1)?.push(name);
    }
  };
  const all = Promise.all(['a', 'b', 'c'].map(compute));
  let isDone = false;
  void all.then(() => {
    isDone = true;
  });
  while (!isDone) {
    turns.push([]);
    await setImmediate();
  }
  expect(Math.max(...turns.map(({ length }) => length))).toBe(1);
  expect(turns.flat().join('')).toBe('abcabcabc');
});
