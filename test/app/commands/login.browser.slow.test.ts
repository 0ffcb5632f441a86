import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { OAuth } from '../../../src/auth/oauth.ts';
import { BudgetError } from '../../../src/base/errors.ts';
import { noBrowser, openBrowser } from '../../browser.helper.ts';
import { unusedUrl } from '../../local-server.helper.ts';
import { bearer } from '../../service/running-service.helper.ts';
import { codeIn, type Printed, personal, startSigningIn } from './signing-in.helper.ts';

/** A person with a browser, and the steps of a sign-in in it. */
async function atBrowser(options: BrowserContextOptions = {}) {
  const signingIn = await startSigningIn();
  const browser = await openBrowser();
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const { email, password } = signingIn.service.signIn;
  let terminal: Printed | undefined;

  const login: typeof signingIn.login = (...args) => {
    const started = signingIn.login(...args);
    terminal = started.printed;
    return started;
  };
  /** From the start page to the sign-in form of the service. */
  const visit = async (url: string) => {
    await page.goto(url);
    await page.getByLabel('Code from the terminal').fill(codeIn(terminal?.stderr ?? ''));
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel('Email address').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };
  const decide = (decision: 'Allow' | 'Deny') =>
    page.getByRole('button', { name: decision, exact: true }).click();
  const allow = async (url: string) => {
    await visit(url);
    await decide('Allow');
  };

  return { ...signingIn, login, page, visit, decide, allow };
}

/** A folder for screenshots of the pages, if set. */
const pictures = process.env['PICTURES'];

async function picture(page: Page, name: string) {
  if (pictures === undefined) return;
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: `${pictures}/${name}-${colorScheme}.png` });
  }
}

const heading = (page: Page, text: string) => page.getByRole('heading', { level: 1, name: text }).waitFor();
const textOf = (page: Page) => page.locator('main').innerText();

describe.skipIf(noBrowser)('budget-mcp login --oauth', () => {
  test('login --oauth signs in through the browser and stores a valid pair of tokens', async () => {
    const { service, store, page, login, visit, decide } = await atBrowser();
    const { ended, printed } = login(
      { oauth: true },
      {
        async openBrowser(url) {
          await visit(url);
          await page.getByLabel('Household').check();
          await decide('Allow');
        },
      },
    );
    await ended;
    await heading(page, 'You are signed in');
    expect(await textOf(page)).toContain(
      'The token gives access to the budgets "Household", "Japan Trip".\n\nYou can close this tab.',
    );
    await picture(page, 'code');

    const signIn = await store.read('default');
    if (signIn?.kind !== 'authorization_code') throw new Error('Another sign-in was stored.');
    const { baseUrl, appUrl, client, clock } = service;
    expect(signIn).toMatchObject({ baseUrl, appUrl, ...client, scope: 'full' });
    expect(signIn.expiresAt).toBe(clock.now() + 7_200_000);
    const used = await fetch(`${baseUrl}/budgets/default`, { headers: bearer(signIn.accessToken) });
    expect(used.status).toBe(200);

    expect(printed.stdout).toContain('You are signed in. The token gives access to the budgets "Household"');
    expect(printed.stderr).toContain('/callback/start\n');
    expect(printed.stderr).not.toContain('/oauth/authorize');
    for (const secret of [signIn.accessToken, signIn.refreshToken, client.clientSecret])
      expect(printed.stdout + printed.stderr).not.toContain(secret);
  });

  test('login --oauth leaves no code in the address bar', async () => {
    const { page, login, allow } = await atBrowser();
    await login({ oauth: true }, { openBrowser: allow }).ended;
    await heading(page, 'You are signed in');
    await page.waitForURL(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  });

  test('login --oauth asks for a mistyped code again', async () => {
    const { page, login, allow } = await atBrowser();
    const openBrowser = async (url: string) => {
      await page.goto(url);
      await picture(page, 'start');
      await page.getByLabel('Code from the terminal').fill('AAAA-AAAA');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').filter({ hasText: 'That is not the code in the terminal.' }).waitFor();
      await picture(page, 'start-again');
      await allow(url);
    };
    await login({ oauth: true }, { openBrowser }).ended;
    await heading(page, 'You are signed in');
  });

  test('login --oauth works without scripts', async () => {
    const { page, login, allow } = await atBrowser({ javaScriptEnabled: false });
    await login({ oauth: true }, { openBrowser: allow }).ended;
    await heading(page, 'You are signed in');
  });

  test('login --oauth --read-only requests the scope read-only and gets a token that cannot write', async () => {
    const { service, store, page, login, visit, decide } = await atBrowser();
    const openBrowser = async (url: string) => {
      await visit(url);
      await page.getByText('read-only access').waitFor();
      await decide('Allow');
    };
    const { ended, printed } = login({ oauth: true }, { openBrowser }, { readOnly: true });
    await ended;
    expect(printed.stdout).toContain(
      'The token gives access to the budgets "Household", "Japan Trip", for reading only.',
    );
    const signIn = await store.read('default');
    expect(signIn).toMatchObject({ scope: 'read-only' });
    const written = await fetch(`${service.baseUrl}/budgets/last-used/transactions/import`, {
      method: 'POST',
      headers: bearer(signIn?.accessToken ?? ''),
    });
    expect(written.status).toBe(403);
  });

  test('login --oauth stores nothing if the person declines, and says so in the browser and the terminal', async () => {
    const { service, store, page, login, visit, decide } = await atBrowser();
    await store.write('default', personal(service.baseUrl));
    const openBrowser = async (url: string) => {
      await visit(url);
      await decide('Deny');
    };
    const { ended } = login({ oauth: true }, { openBrowser });
    await expect(ended).rejects.toMatchObject({ code: 'sign_in_declined' });
    await heading(page, 'You are not signed in');
    expect(await textOf(page)).toContain('Access was declined in the browser. Nothing was stored.');
    await picture(page, 'declined');
    expect(await store.read('default')).toEqual(personal(service.baseUrl));
  });

  test('login --oauth refuses a foreign callback in the same browser, and then accepts the right one', async () => {
    const { store, page, login, allow } = await atBrowser();
    const openBrowser = async (url: string) => {
      const redirectUri = url.replace(/\/start$/, '');
      await page.goto(`${redirectUri}?code=foreign&state=foreign`);
      await heading(page, 'This is not the expected answer');
      await picture(page, 'foreign');
      await page.waitForURL(redirectUri);
      await allow(url);
    };
    await login({ oauth: true }, { openBrowser }).ended;
    await heading(page, 'You are signed in');
    expect(await store.read('default')).toMatchObject({ kind: 'authorization_code' });
  });

  test('login --oauth refuses a second callback while the first is processed', async () => {
    const { page, login, allow, budgetsOf } = await atBrowser();
    const callbacks: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/callback?')) callbacks.push(request.url());
    });
    const again = await page.context().newPage();
    const { ended } = login(
      { oauth: true },
      {
        openBrowser: allow,
        async budgetsOf(credential, signal) {
          // Another address, because the browser would wait for the first response of the same one.
          await again.goto(`${callbacks[0]}&again`);
          await heading(again, 'This sign-in was already answered');
          return budgetsOf(credential, signal);
        },
      },
    );
    await ended;
    await heading(page, 'You are signed in');
    expect(callbacks).toHaveLength(1);
  });

  test('login --oauth says in the browser too if the sign-in could not be stored', async () => {
    const { store, page, login, allow } = await atBrowser();
    const locked = new BudgetError('sign_in_failed', 'The keychain is locked.');
    store.write = () => Promise.reject(locked);
    await expect(login({ oauth: true }, { openBrowser: allow }).ended).rejects.toBe(locked);
    await heading(page, 'You are not signed in');
    expect(await textOf(page)).toContain('The keychain is locked.');
  });

  test('login --oauth uses exactly the registered redirect URI', async () => {
    const { service, store, login, allow } = await atBrowser();
    const redirectUri = `${(await unusedUrl()).replace('127.0.0.1', 'localhost')}/oauth/back`;
    const strict = { name: 'Strict', redirectUris: [redirectUri] };
    const { clientId, clientSecret } = service.oauth.applications.register(service.user, strict);
    const ours = { clientId, clientSecret };
    await login({ oauth: true, redirectUri }, { openBrowser: allow }, ours).ended;
    expect(await store.read('default')).toMatchObject(ours);
  });

  test('login --oauth prints the address if no browser can be opened, and works with it', async () => {
    const { page, login, allow } = await atBrowser();
    const { ended, printed } = login({ oauth: true });
    await printed.until('No browser could be opened');
    await allow(/http:\S+/.exec(printed.stderr)?.[0] ?? '');
    await ended;
    await heading(page, 'You are signed in');
  });

  test('login --oauth --no-browser opens no browser, and can be cancelled while it waits', async () => {
    const { store, stop, login } = await atBrowser();
    let opened = false;
    const openBrowser = async () => {
      opened = true;
    };
    const { ended, printed } = login({ oauth: true, browser: false }, { openBrowser });
    await printed.until('asks for this code');
    stop.abort();
    await expect(ended).rejects.toMatchObject({ code: 'cancelled' });
    expect(opened).toBe(false);
    expect(await store.read('default')).toBeUndefined();
    await expect(fetch(/http:\S+/.exec(printed.stderr)?.[0] ?? '')).rejects.toThrow('fetch failed');
  });
});

describe.skipIf(noBrowser)('budget-mcp login --implicit', () => {
  test('login --implicit reads the token from the fragment and says when it ends', async () => {
    const { service, store, page, login, allow } = await atBrowser();
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    const { ended, printed } = login({ implicit: true }, { openBrowser: allow }, { clientSecret: undefined });
    await ended;
    await heading(page, 'You are signed in');
    expect(await textOf(page)).toMatch(
      /It ends .*, in 120 minutes, and cannot be renewed: sign in again then\./,
    );
    expect(printed.stdout).toMatch(/It ends .*, in 120 minutes, and cannot be renewed: sign in again then\./);
    await picture(page, 'implicit');

    const signIn = await store.read('default');
    if (signIn?.kind !== 'implicit') throw new Error('Another sign-in was stored.');
    const { baseUrl, appUrl, client, clock } = service;
    expect(signIn).toMatchObject({ baseUrl, appUrl, clientId: client.clientId, scope: 'full' });
    expect(signIn.expiresAt).toBe(clock.now() + 7_200_000);
    expect(page.url()).toMatch(/\/callback$/);
    const origins = requests.map((url) => new URL(url).origin);
    expect(new Set(origins)).toEqual(new Set([appUrl, new URL(page.url()).origin]));
  });

  test('login --implicit says what to do if scripts are off', async () => {
    const { stop, page, login, allow } = await atBrowser({ javaScriptEnabled: false });
    const { ended } = login({ implicit: true }, { openBrowser: allow });
    await page.locator('noscript p', { hasText: 'Allow scripts for this address and reload' }).waitFor();
    await picture(page, 'no-scripts');
    stop.abort();
    await expect(ended).rejects.toMatchObject({ code: 'cancelled' });
  });

  test('login --implicit refuses a fragment with a foreign state, and stores nothing if the person declines', async () => {
    const { store, page, login, visit, decide } = await atBrowser();
    const openBrowser = async (url: string) => {
      await page.goto(`${url.replace(/\/start$/, '')}#access_token=t1&state=foreign`);
      await heading(page, 'This is not the expected answer');
      await visit(url);
      await decide('Deny');
    };
    const { ended } = login({ implicit: true }, { openBrowser });
    await expect(ended).rejects.toMatchObject({ code: 'sign_in_declined' });
    await heading(page, 'You are not signed in');
    expect(await store.read('default')).toBeUndefined();
  });
});

test.skipIf(noBrowser)('a sign-in by --oauth can be refreshed', async () => {
  const { service, store, login, allow, send } = await atBrowser();
  await login({ oauth: true }, { openBrowser: allow }).ended;
  const signIn = await store.read('default');
  if (signIn?.kind !== 'authorization_code') throw new Error('Another sign-in was stored.');
  const pair = await new OAuth({ clock: service.clock, send }).refresh(signIn);
  const used = await fetch(`${service.baseUrl}/user`, { headers: bearer(pair.accessToken) });
  expect(used.status).toBe(200);
});
