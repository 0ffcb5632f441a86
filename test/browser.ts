/** A real browser for tests, where there is one. Elsewhere they are skipped, loudly; with REQUIRE_ALL=1 they fail. */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { onTestFinished } from 'vitest';

const executablePath = '/usr/bin/chromium';

const isThere = existsSync(executablePath);
const isRequired = process.env['REQUIRE_ALL'] === '1';

/** For `describe.skipIf` and `test.skipIf`. */
export const noBrowser = !isThere && !isRequired;

if (noBrowser) process.stderr.write(`SKIPPED: tests in a browser, for there is no ${executablePath}.\n`);

/** Ends with the test that launches it. */
export async function launchBrowser(): Promise<Browser> {
  if (!isThere) throw new Error(`There is no ${executablePath}.`);
  const browser = await chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  onTestFinished(() => browser.close());
  return browser;
}
