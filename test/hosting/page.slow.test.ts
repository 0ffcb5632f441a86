/**
 * Every page of a hosted server in Chromium, at the widths of a phone, a tablet and a computer, light and dark. With
 * `PICTURES=folder` the pages are also stored as pictures.
 */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { noBrowser, openBrowser } from '../browser.helper.ts';
import { serveHttp } from '../local-server.helper.ts';
import { inEveryLook } from '../page-faults.helper.ts';
import { startPassingProxy } from '../programs/passing-proxy.helper.ts';
import { startComposed } from './composed.helper.ts';
import { OAuthClient } from './oauth-client.helper.ts';

const folder = process.env['PICTURES'];

async function start() {
  const page = await (await openBrowser()).newPage();
  const refused: string[] = [];
  page.on('console', (message) => {
    if (/Content.Security.Policy/.test(message.text())) refused.push(message.text());
  });
  let isListBroken = false;
  const hosting = await startComposed({
    reachAt: async (baseUrl) => {
      const { origin, pathname } = new URL(baseUrl);
      const proxy = await startPassingProxy(origin, async ({ path, deliver }) => {
        if (!(isListBroken && path.endsWith('/budgets'))) await deliver();
      });
      return proxy + pathname;
    },
  });
  const { issuer } = hosting;
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  return {
    hosting,
    page,
    refused,
    open: (path: string) => page.goto(issuer + path),
    press,
    async signIn(decision: 'Allow' | 'Deny' = 'Allow') {
      await page.goto(`${issuer}/account`);
      await press('Sign in');
      const { email, password } = hosting.service.signIn;
      await page
        .getByLabel('Password')
        .or(page.getByRole('button', { name: decision, exact: true }))
        .waitFor();
      if (await page.getByLabel('Password').count()) {
        await page.getByLabel('Email').fill(email);
        await page.getByLabel('Password').fill(password);
        await press('Sign in');
      }
      await press(decision);
      await page.waitForURL((url) => url.origin === issuer);
    },
    breakList() {
      isListBroken = true;
    },
  };
}

const look = (page: Page, name: string) =>
  inEveryLook(page, async (look, faultsIn) => {
    expect(await faultsIn(page), `${name}-${look}`).toEqual([]);
    if (folder !== undefined)
      await page.screenshot({ path: `${folder}/${name}-${look}.png`, fullPage: true });
  });

const row = (payee_name: string) => ({ account_id: 'Checking', date: 'today', amount: -12.5, payee_name });

describe.skipIf(noBrowser)('in a real browser', () => {
  it('the pages of a person who has an account have no fault in any of their states', async () => {
    const { hosting, page, refused, open, press, signIn, breakList } = await start();
    await open('/');
    await look(page, 'root');
    await page.getByRole('link', { name: 'Your account' }).click();
    await look(page, 'sign-in');
    await signIn('Deny');
    expect(await page.getByRole('alert').innerText()).toContain('Sign in again');
    await look(page, 'sign-in-declined');

    await signIn();
    await look(page, 'account-empty');
    for (const decision of ['allow-reading', 'allow', 'allow'] as const) {
      const client_name =
        decision === 'allow' ? 'Claude' : 'Assistant with quite a long name for a telephone';
      const client = await OAuthClient.register(hosting, { client_name });
      const { access_token: token } = await client.tokens({}, { decision });
      hosting.clock.advance(60_000);
      if (decision === 'allow')
        for (const payee of ['Bakery', 'Bookshop'])
          await hosting.call(token, 'create_transactions', { transactions: [row(payee)] });
    }
    await open('/account');
    await page.getByRole('button', { name: 'End access of "Claude" no. 1' }).click();
    await expect.poll(() => page.getByRole('status').innerText()).toContain('has ended');
    for (const summary of await page.locator('summary').all()) await summary.click();
    await look(page, 'account');

    await page
      .getByLabel('Time zone')
      .selectOption('America/Argentina/Buenos_Aires')
      .catch(() => {});
    await page.getByLabel('Time zone').selectOption('America/North_Dakota/New_Salem');
    await page.getByLabel('Applications ask me').selectOption('writes');
    await press('Save');
    /** Whether the person sees it without scrolling. */
    const isInView = async (role: 'status' | 'alert') => {
      const { y = -1 } = (await page.getByRole(role).boundingBox()) ?? {};
      return y >= 0 && y < 800;
    };
    expect(await isInView('status')).toBe(true);
    expect(await page.getByRole('status').innerText()).toContain('Your settings are saved.');
    expect(await page.getByLabel('Time zone').inputValue()).toBe('America/North_Dakota/New_Salem');
    await look(page, 'account-saved');

    // As a form of an earlier page would send it.
    await page.evaluate(`time_zone.append(new Option('Berlin', 'Berlin', true, true))`);
    await press('Save');
    expect(await page.locator('#time_zone-problem').innerText()).toBe('This time zone is not known here.');
    expect(await isInView('alert')).toBe(true);
    await look(page, 'account-mistake');

    await open('/account');
    breakList();
    await press('Sign out of this page');
    await look(page, 'signed-out');
    await signIn();
    expect(await page.locator('main').innerText()).toContain('could not be read');
    await look(page, 'account-without-list');

    await page.getByRole('link', { name: 'Delete everything about me …' }).click();
    await look(page, 'delete');
    await page.getByRole('link', { name: 'Keep everything' }).click();
    await page.getByRole('link', { name: 'Delete everything about me …' }).click();
    await press('Delete everything');
    expect(await page.getByRole('status').innerText()).toContain('is deleted');
    await look(page, 'deleted');
    expect(refused).toEqual([]);
  });

  it('the pages that ask for consent and the errors have no fault', async () => {
    const { hosting, page, refused, open } = await start();
    const host = await serveHttp((_, response) => response.end('Back in the application.'));
    const client = await OAuthClient.register(hosting, {
      client_name: 'Claude',
      redirect_uris: [`${host.url}/callback/with/quite/a/long/path?and=parameters`],
    });
    await page.goto(client.url().href);
    await look(page, 'consent');
    const styles = await page.evaluate<string[]>(
      `[...document.querySelectorAll('button')].map((button) => {
        const { color, backgroundColor, borderColor, fontWeight } = getComputedStyle(button);
        return [color, backgroundColor, borderColor, fontWeight, button.offsetHeight].join(' ');
      })`,
    );
    expect(styles).toHaveLength(3);
    expect(new Set(styles).size).toBe(1);
    await page.goto(client.url({ scope: 'budget:read' }).href);
    await look(page, 'consent-reading');
    await page.goto(client.url({ prompt: 'none' }).href);
    await look(page, 'refused');
    await open('/interaction/unknown');
    await look(page, 'expired');
    await open('/account/callback?state=other');
    await look(page, 'account-expired');
    expect(refused).toEqual([]);
  });
});
