/** Checks of a page as a real browser shows it. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Frame, Page } from 'playwright-core';
import { z } from 'zod';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const found = z.object({
  violations: z.array(z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) })),
});

/** The words that begin on one line and end on another. Addresses may break anywhere. Run in the page. */
const brokenWords = `(() => {
  const broken = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { data, parentElement } = texts.currentNode;
    if (!parentElement.checkVisibility()) continue;
    for (const { 0: word, index } of data.matchAll(/(?<!:\\/\\/\\S*)[\\p{L}\\p{N}_]+/gu)) {
      const range = document.createRange();
      range.setStart(texts.currentNode, index);
      range.setEnd(texts.currentNode, index + word.length);
      if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) broken.push(word);
    }
  }
  return broken;
})()`;

type Shown = Page | Frame;

/**
 * Calls `check` with the page as on a phone, a tablet and a computer, and dark on the last one, with a name of that look and
 * with what finds faults in it. axe takes a second, so it is asked for the narrowest page and for the dark one, which is wide.
 * A theme changes colours only.
 */
export async function inEveryLook(
  page: Page,
  check: (look: string, faultsIn: (page: Shown) => Promise<string[]>) => Promise<void>,
): Promise<void> {
  const looks = [
    [360, 'light', pageFaults],
    [800, 'light', layoutFaults],
    [1_280, 'light', layoutFaults],
    [1_280, 'dark', pageFaults],
  ] as const;
  for (const [width, colorScheme, faultsIn] of looks) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    await check(`${width}-${colorScheme}`, faultsIn);
  }
}

/** What axe finds, and the faults of the layout. */
export async function pageFaults(page: Shown): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe);
  const { violations } = found.parse(await page.evaluate('axe.run()'));
  return [
    ...violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`),
    ...(await layoutFaults(page)),
  ];
}

/** Words that are broken, and what is wider than the window. */
export async function layoutFaults(page: Shown): Promise<string[]> {
  const words = z.array(z.string()).parse(await page.evaluate(brokenWords));
  const excess = z.number().parse(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
  return [...words.map((word) => `broken: ${word}`), ...(excess > 0 ? [`${excess} pixels too wide`] : [])];
}
