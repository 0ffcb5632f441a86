/** A real browser for tests, if it is installed. Otherwise they are skipped with a message, or fail with REQUIRE_ALL=1. */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, onTestFinished } from 'vitest';

const executablePath = '/usr/bin/chromium';

const isInstalled = existsSync(executablePath);
const isRequired = process.env['REQUIRE_ALL'] === '1';

/** For `describe.skipIf` and `test.skipIf`. */
export const noBrowser = !isInstalled && !isRequired;

if (noBrowser)
  process.stderr.write(`SKIPPED: tests in a browser, because ${executablePath} does not exist.\n`);

/** Of one file: its project runs each file with modules of its own. */
let browser: Browser | undefined;
afterAll(async () => {
  await browser?.close();
});

/** The browser of a test file, because its start takes a second. Each test has contexts of its own, which close at its end. */
export async function openBrowser(): Promise<Browser> {
  if (!isInstalled) throw new Error(`There is no ${executablePath}.`);
  if (!browser?.isConnected()) browser = await launch();
  const opened = browser;
  onTestFinished(async () => {
    for (const context of opened.contexts()) await context.close();
  });
  return opened;
}

function launch(): Promise<Browser> {
  return chromium.launch({
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
}
