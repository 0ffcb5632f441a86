/** The links and the paths in the documents lead to something, and the index names every document. */
import { existsSync, readdirSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { readDocument } from './documents.ts';

const isThere = (path: string) => existsSync(new URL(`../${path}`, import.meta.url));

const folders = ['', 'docs/', '.github/', 'test/'];
const paths = folders.flatMap((folder) =>
  readdirSync(new URL(`../${folder}`, import.meta.url))
    .filter((file) => file.endsWith('.md'))
    .map((file) => folder + file),
);

/** As GitHub makes it from a heading. */
const anchorOf = (heading: string) =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\s-]/gu, '')
    .replaceAll(/\s/g, '-');

const anchorsIn = (path: string) =>
  [...readDocument(path).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading));

function leads(from: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? from : posix.join(posix.dirname(from), path);
  return isThere(target) && (anchor === undefined || anchorsIn(target).includes(anchor));
}

test.each(paths)('the links in %s lead to files and headings', (path) => {
  const links = [...readDocument(path).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map(
    ([, link = '']) => link,
  );
  expect(links.filter((link) => !leads(path, link))).toEqual([]);
});

test.each(paths)('the files of the code that %s names exist', (path) => {
  const named = [...readDocument(path).matchAll(/`((?:[\w.-]+\/)*[\w.-]+\.ts)`/g)].map(
    ([, file = '']) => file,
  );
  // A name without a folder is most often that of a file in a folder that was named before.
  const isWhole = (file: string) => file.includes('/') || path === 'test/README.md';
  const isMissing = (file: string) => !['', 'src/', 'test/'].some((root) => isThere(root + file));
  expect(named.filter(isWhole).filter(isMissing)).toEqual([]);
});

test('docs/README.md has every document of its folder', () => {
  const documents = paths.filter((path) => path.startsWith('docs/')).map((path) => posix.basename(path));
  const index = readDocument('docs/README.md');
  expect(documents.filter((file) => file !== 'README.md' && !index.includes(`](${file})`))).toEqual([]);
});
