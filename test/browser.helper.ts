/** A real browser for tests, if it is installed. Otherwise they are skipped with a message, or fail with REQUIRE_ALL=1. */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { onTestFinished } from 'vitest';

const executablePath = '/usr/bin/chromium';

const isInstalled = existsSync(executablePath);
const isRequired = process.env['REQUIRE_ALL'] === '1';

/** For `describe.skipIf` and `test.skipIf`. */
export const noBrowser = !isInstalled && !isRequired;

if (noBrowser)
  process.stderr.write(`SKIPPED: tests in a browser, because ${executablePath} does not exist.\n`);

/** Closes when the test has finished. */
export async function launchBrowser(): Promise<Browser> {
  if (!isInstalled) throw new Error(`There is no ${executablePath}.`);
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
