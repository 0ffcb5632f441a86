/** Files of banks in many dialects, written from known rows, are read as they were written. */
import { expect, it } from 'vitest';
import { dialects } from './bank-dialects.helper.ts';
import { bankFile, bytesOf, expectedOf } from './bank-file.helper.ts';
import { isAsked, readFile, textRows } from './read-file.helper.ts';

const SEEDS = [1, 2, 3];

const files = Object.entries(dialects).flatMap(([name, dialect]) =>
  SEEDS.map((seed) => ({ name: `${name}, ${seed}`, file: bankFile(dialect, 1_000 * seed + name.length) })),
);

it('no file is read wrongly, at most 3 % are refused, and at most 5 % need a question', () => {
  const wrong: unknown[] = [];
  let [refused, asked] = [0, 0];
  for (const { name, file } of files) {
    const read = readFile(file.dialect, bytesOf(file));
    if (typeof read === 'string') refused += 1;
    else if (isAsked(read)) asked += 1;
    else if (JSON.stringify(textRows(read)) !== JSON.stringify(expectedOf(file)))
      wrong.push([name, textRows(read), expectedOf(file)]);
  }
  expect(wrong).toEqual([]);
  expect(files.length).toBeGreaterThanOrEqual(120);
  expect(refused).toBeLessThanOrEqual(0.03 * files.length);
  expect(asked).toBeLessThanOrEqual(0.05 * files.length);
});
