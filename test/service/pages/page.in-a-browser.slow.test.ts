import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { noBrowser, openBrowser } from '../../browser.helper.ts';
import { Client, tokensOf } from '../oauth/client.helper.ts';
import { bearer, type RunningService, startTestService } from '../running-service.helper.ts';

let service: RunningService;
let client: Client;
let application: Server;
/** The address of the application. Its port differs from the service's, so it is another origin. */
let redirect_uri: string;
beforeAll(async () => {
  service = await startTestService({ transactions: 10 });
  client = new Client(service, {
    name: 'Charts',
    redirectUris: ['http://127.0.0.1/callback'],
    selectsDefaultBudget: true,
  });
  application = createServer((_request, response) => response.end('Back at the application')).listen(
    0,
    '127.0.0.1',
  );
  await once(application, 'listening');
  const address = application.address();
  if (address === null || typeof address === 'string') throw new Error('not listening on a port');
  redirect_uri = `http://127.0.0.1:${address.port}/callback`;
});
afterAll(async () => {
  application.close();
  application.closeAllConnections();
  await service.close();
});

/** A user with a keyboard and a browser that runs no scripts. */
class KeyboardUser {
  readonly page: Page;
  /** Messages of the browser console, except those about status codes other than 2xx. */
  readonly consoleErrors: string[] = [];

  private constructor(page: Page) {
    this.page = page;
    page.on('console', (message) => {
      if (!message.text().startsWith('Failed to load resource')) this.consoleErrors.push(message.text());
    });
  }

  static async open(path: string): Promise<KeyboardUser> {
    const browser = await openBrowser();
    const page = await browser.newPage({ javaScriptEnabled: false, viewport: { width: 320, height: 640 } });
    await page.goto(service.appUrl + path);
    return new KeyboardUser(page);
  }

  /** Presses Tab until the element with this name has the focus. */
  async tabTo(name: string | RegExp): Promise<void> {
    const element = this.page
      .getByLabel(name, { exact: true })
      .or(this.page.getByRole('button', { name, exact: true }));
    for (let presses = 0; presses < 40; presses++) {
      await this.page.keyboard.press('Tab');
      if (await element.and(this.page.locator(':focus')).count()) return;
    }
    throw new Error(`No Tab reaches ${name}`);
  }

  async press(name: string | RegExp): Promise<void> {
    await this.tabTo(name);
    const navigation = this.page.waitForEvent('framenavigated');
    await this.page.keyboard.press('Enter');
    await navigation;
    await this.page.waitForLoadState();
  }

  async type(label: string, text: string): Promise<void> {
    await this.tabTo(label);
    await this.page.keyboard.type(text);
  }

  async signIn({ email, password } = service.signIn): Promise<void> {
    await this.type('Email address', email);
    await this.type('Password', password);
    await this.press('Sign in');
  }

  get heading(): Promise<string> {
    return this.page.getByRole('heading', { level: 1 }).innerText();
  }

  get alert(): Promise<string> {
    return this.page.getByRole('alert').and(this.page.locator(':focus')).innerText();
  }
}

describe.skipIf(noBrowser)('pages in a browser without scripts, by keyboard only', () => {
  test('a user signs in, chooses a default budget and allows an application by keyboard', async () => {
    const keyboardUser = await KeyboardUser.open(client.authorize({ redirect_uri, state: 'mine' }));
    await keyboardUser.signIn();
    expect(await keyboardUser.heading).toBe('Allow Charts to use your budgets?');
    const group = keyboardUser.page.getByRole('group', { name: 'Default budget' });
    expect(await group.getByRole('radio').count()).toBe(3);
    await keyboardUser.tabTo('None');
    await keyboardUser.page.keyboard.press('ArrowDown');
    await keyboardUser.page.keyboard.press('ArrowDown');
    await keyboardUser.press('Allow');

    expect(await keyboardUser.page.innerText('body')).toBe('Back at the application');
    const { searchParams } = new URL(keyboardUser.page.url());
    expect(searchParams.get('state')).toBe('mine');
    const { access_token } = tokensOf(
      await client.exchange(searchParams.get('code') ?? '', { redirect_uri }),
    );
    const response = await fetch(`${service.baseUrl}/budgets`, { headers: bearer(access_token) });
    expect(await response.json()).toMatchObject({ data: { default_budget: { name: 'Japan Trip' } } });
    expect(keyboardUser.consoleErrors).toEqual([]);
  });

  test('a user allows an application read-only access with the implicit grant by keyboard', async () => {
    const request = { redirect_uri, response_type: 'token', scope: 'read-only', state: 'mine' };
    const keyboardUser = await KeyboardUser.open(client.authorize(request));
    await keyboardUser.signIn();
    expect(await keyboardUser.heading).toBe('Allow Charts to read your budgets?');
    expect(await keyboardUser.page.innerText('main')).toContain('for reading only');
    await keyboardUser.press('Allow');
    const answer = new URLSearchParams(new URL(keyboardUser.page.url()).hash.slice(1));
    expect(answer.get('state')).toBe('mine');
    expect(await client.status(answer.get('access_token') ?? '')).toBe(200);
    expect(keyboardUser.consoleErrors).toEqual([]);
  });

  test('a user denies access with the button or with Enter in the form', async () => {
    const keyboardUser = await KeyboardUser.open(client.authorize({ redirect_uri, state: 'mine' }));
    await keyboardUser.signIn();
    await keyboardUser.press('None');
    expect(new URL(keyboardUser.page.url()).search).toMatch(/^\?error=access_denied&.*state=mine$/);
    await keyboardUser.page.goto(service.appUrl + client.authorize({ redirect_uri }));
    await keyboardUser.press('Deny');
    expect(new URL(keyboardUser.page.url()).search).toMatch(/^\?error=access_denied&/);
    expect(keyboardUser.consoleErrors).toEqual([]);
  });

  test('a wrong password shows a focused error message', async () => {
    const keyboardUser = await KeyboardUser.open(client.authorize({ redirect_uri }));
    await keyboardUser.signIn({ ...service.signIn, password: 'wrong' });
    expect(await keyboardUser.alert).toBe('The email address or the password is wrong.');
    await keyboardUser.signIn({ email: '', password: service.signIn.password });
    expect(await keyboardUser.heading).toBe('Allow Charts to use your budgets?');
  });

  test('a user sees that an application in Restricted Mode has reached its limit, and goes back to it', async () => {
    const fullClient = new Client(service, { name: 'Crowded', redirectUris: ['http://127.0.0.1/callback'] });
    const registered = service.oauth.applications.find(fullClient.id);
    const signIn = { email: 'late@example.com', password: 'late' };
    const user = service.access.addUser([], signIn);
    if (!registered) throw new Error('not registered');
    for (let tokens = 0; tokens < 25; tokens++) {
      service.oauth.authorizations.grantToken({ application: registered, user });
    }
    const keyboardUser = await KeyboardUser.open(fullClient.authorize({ redirect_uri }));
    await keyboardUser.signIn(signIn);
    expect(await keyboardUser.alert).toBe(
      'Crowded is in Restricted Mode: it may have 25 access tokens for users other than its owner, and has reached that limit.',
    );
    await keyboardUser.press('Back to Crowded');
    expect(new URL(keyboardUser.page.url()).search).toMatch(/^\?error=access_denied&/);
  });

  test('a user creates a personal access token, sees it once, and revokes it', async () => {
    const keyboardUser = await KeyboardUser.open('/settings/developer');
    await keyboardUser.signIn();
    await keyboardUser.type('Name of the token', 'Spreadsheet');
    await keyboardUser.type('Your password, to confirm', service.signIn.password);
    await keyboardUser.press('Make token');
    const token = await keyboardUser.page.getByRole('status').getByRole('code').innerText();
    const status = async () => (await fetch(`${service.baseUrl}/user`, { headers: bearer(token) })).status;
    expect(await status()).toBe(200);

    await keyboardUser.page.goto(`${service.appUrl}/settings/developer`);
    expect(await keyboardUser.page.content()).not.toContain(token);
    await keyboardUser.press(/^Revoke Spreadsheet,/);
    expect(await keyboardUser.page.getByRole('status').innerText()).toContain('The token is revoked.');
    expect(await status()).toBe(401);
    expect(keyboardUser.consoleErrors).toEqual([]);
  });

  test.each(['/settings/developer', 'consent'])('the page %s fits a narrow screen', async (path) => {
    const keyboardUser = await KeyboardUser.open(
      path === 'consent' ? client.authorize({ redirect_uri }) : path,
    );
    await keyboardUser.signIn();
    const width = await keyboardUser.page.evaluate<number>('document.documentElement.scrollWidth');
    expect(width).toBe(320);
  });
});
