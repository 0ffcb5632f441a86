import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bundleViews } from '../../.ci/bundle-views.ts';
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';

const MAX_BYTES = 40 * 1024;

test('each view is one HTML file of at most 40 KB that loads nothing and has no height of the screen', async () => {
  const directory = await temporaryDirectory();
  await bundleViews(directory);
  const views = readdirSync(join(directory, 'views')).toSorted();
  expect(views).toEqual([
    'forecast.html',
    'month.html',
    'report.html',
    'statements.html',
    'transactions.html',
    'write.html',
  ]);
  for (const view of views) {
    const html = readFileSync(join(directory, 'views', view), 'utf8');
    expect(Buffer.byteLength(html), view).toBeLessThanOrEqual(MAX_BYTES);
    // The namespace of SVG is a name, not an address.
    expect(html.replaceAll('http://www.w3.org/2000/svg', '')).not.toMatch(
      /https?:|\bsrc=|\bhref=|@import|url\(|\d(vh|dvh)\b|\beval\b|innerHTML/,
    );
  }
});
