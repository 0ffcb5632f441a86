import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonInTurns } from '../../src/service/json-in-turns.ts';

test('the text is that of JSON.stringify', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), async (value) => {
      expect(await jsonInTurns(value)).toBe(JSON.stringify(value));
    }),
  );
  const missing = { first: undefined, second: 1 };
  expect(await jsonInTurns(missing)).toBe('{"second":1}');
});

test('of many rows none is left out, and other work runs before the last ones', async () => {
  const rows = Array.from({ length: 250 }, (_, nth) => ({ nth }));
  let turns = 0;
  let isDone = false;
  const count = () => {
    if (isDone) return;
    turns += 1;
    setImmediate(count);
  };
  setImmediate(count);
  const text = await jsonInTurns({ data: { rows } });
  isDone = true;
  expect(text).toBe(JSON.stringify({ data: { rows } }));
  expect(turns).toBeGreaterThanOrEqual(3);
});
