import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { documents, readReadme } from './readme.ts';

test('the README and docs/hosting.md list tools, prompts and settings as their tables have them (npm run generate)', () => {
  for (const { text, generated } of documents()) expect(text).toBe(generated);
});

/** The rows of the table that `npm run bench -- tokens --write` has written into a text. */
const tokenRows = (text: string) =>
  /<!-- tokens -->(.*)<!-- \/tokens -->/s
    .exec(text)?.[1]
    ?.split('\n')
    .filter((line) => line.startsWith('|')) ?? [];

test('the rows of tokens in the README are those of docs/answers.md, and all meet their bounds', () => {
  const all = tokenRows(readFileSync(new URL('../docs/answers.md', import.meta.url), 'utf8'));
  const main = tokenRows(readReadme());
  expect(main.length).toBeGreaterThan(2);
  expect(all).toEqual(expect.arrayContaining(main));
  expect(all.filter((line) => line.includes('missed'))).toEqual([]);
});
