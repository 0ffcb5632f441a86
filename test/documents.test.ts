import { expect, test } from 'vitest';
import { documents, readDocument } from './documents.ts';

test.each(documents())('$path has the tables of today (npm run generate)', ({ text, generated }) => {
  expect(text).toBe(generated);
});

test.each(['README.md', 'docs/architecture.md'])('%s has at most 150 lines', (path) => {
  expect(readDocument(path).trimEnd().split('\n').length).toBeLessThanOrEqual(150);
});

/** The rows of the table that `npm run bench -- tokens --write` has written into a text. */
const tokenRows = (text: string) =>
  /<!-- tokens -->(.*)<!-- \/tokens -->/s
    .exec(text)?.[1]
    ?.split('\n')
    .filter((line) => line.startsWith('|')) ?? [];

test('the rows of tokens in docs/performance.md are those of docs/answers.md, and all meet their bounds', () => {
  const all = tokenRows(readDocument('docs/answers.md'));
  const main = tokenRows(readDocument('docs/performance.md'));
  expect(main.length).toBeGreaterThan(2);
  expect(all).toEqual(expect.arrayContaining(main));
  expect(all.filter((line) => line.includes('missed'))).toEqual([]);
});
