/** The page in Chromium. With `PICTURES=folder` its states are also stored as pictures. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { SignInPageDeps } from '../../src/auth/sign-in-page.ts';
import { noBrowser, openBrowser } from '../browser.helper.ts';
import { inEveryLook } from '../page-faults.helper.ts';
import { noKeychain, openPageForPerson } from './opened-page.helper.ts';
import { codeSignIn } from './signed-in.helper.ts';

const folder = process.env['PICTURES'];

async function start(options: Partial<SignInPageDeps> = {}) {
  const opened = await openPageForPerson(options);
  const browser = await openBrowser();
  const page = await browser.newPage();
  const refused: string[] = [];
  page.on('console', (message) => {
    if (/Content.Security.Policy/.test(message.text())) refused.push(message.text());
  });
  return { ...opened, browser, page, refused };
}

const look = (page: Page, name: string): Promise<void> =>
  inEveryLook(page, async (look, faultsIn) => {
    expect(await faultsIn(page), `${name}-${look}`).toEqual([]);
    if (folder !== undefined)
      await page.screenshot({ path: `${folder}/${name}-${look}.png`, fullPage: true });
  });

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();

async function choose(page: Page): Promise<void> {
  await heading(page, 'Choose your default budget');
  await look(page, 'sign-in-page-budget');
  await page.getByRole('button', { name: 'Choose this budget' }).click();
  await heading(page, 'You are signed in');
}

describe.skipIf(noBrowser)('in a real browser a person', () => {
  test('chooses the service, corrects a mistake, agrees to a file and is signed in', async () => {
    const { service, files, visitor, page, refused } = await start({
      service: undefined,
      store: noKeychain(),
    });
    await page.goto(visitor.url);
    await look(page, 'sign-in-page');
    await page.getByLabel('Another one').check();
    await page.getByLabel('Address of its interface').fill(service.baseUrl);
    await page.getByLabel('Personal access token').fill('mistyped');
    await page.getByLabel('Store the sign-in unencrypted').check();
    await page.getByRole('button', { name: 'Sign in with this token' }).click();
    await page.getByRole('alert').waitFor();
    await look(page, 'sign-in-page-mistake');
    await page.getByLabel('Personal access token').fill(service.accessToken);
    await page.keyboard.press('Enter');
    await choose(page);
    await look(page, 'sign-in-page-done');
    expect(await files.read('default')).toMatchObject({ baseUrl: service.baseUrl });
    expect(refused).toEqual([]);
  });

  test('goes on to the service with the application of the earlier sign-in, and comes back', async () => {
    const { service, clock, store, visitor, page, refused } = await start();
    const before = codeSignIn(service, clock);
    await store.write('default', before);
    await page.goto(visitor.url);
    await look(page, 'sign-in-page-application');
    await page.getByRole('button', { name: 'Continue to the service' }).click();
    const { email, password } = service.signIn;
    await page.getByLabel('Email address').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await choose(page);
    const after = await store.read('default');
    expect(after?.kind).toBe('authorization_code');
    expect(after?.id).not.toBe(before.id);
    expect(refused).toEqual([]);
  });

  test('opens the page in a second browser, which ends it in both', async () => {
    const { browser, visitor, page } = await start();
    await page.goto(visitor.url);
    const other = await (await browser.newContext()).newPage();
    await other.goto(visitor.url);
    await heading(other, 'This page has ended');
    await look(other, 'sign-in-page-ended');
    await page.reload();
    await heading(page, 'This page has ended');
  });
});
