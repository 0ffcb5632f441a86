import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchBrowser, noBrowser } from '../../browser.ts';
import { Client, tokensOf } from '../oauth/client.ts';
import { bearer, type RunningService, startTestService } from '../running-service.ts';

let service: RunningService;
let client: Client;
let application: Server;
/** Where the application listens: another port, and so another origin than the service. */
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

/** A person with a keyboard, in a browser that runs no scripts. */
class Person {
  readonly page: Page;
  /** What the browser complains about, responses of a status other than 2xx aside. */
  readonly complaints: string[] = [];

  private constructor(page: Page) {
    this.page = page;
    page.on('console', (message) => {
      if (!message.text().startsWith('Failed to load resource')) this.complaints.push(message.text());
    });
  }

  static async open(path: string): Promise<Person> {
    const browser = await launchBrowser();
    const page = await browser.newPage({ javaScriptEnabled: false, viewport: { width: 320, height: 640 } });
    await page.goto(service.appUrl + path);
    return new Person(page);
  }

  /** Presses Tab until what is focused is called so. */
  async tabTo(name: string | RegExp): Promise<void> {
    const wanted = this.page
      .getByLabel(name, { exact: true })
      .or(this.page.getByRole('button', { name, exact: true }));
    for (let presses = 0; presses < 40; presses++) {
      await this.page.keyboard.press('Tab');
      if (await wanted.and(this.page.locator(':focus')).count()) return;
    }
    throw new Error(`No Tab reaches ${name}`);
  }

  async press(name: string | RegExp): Promise<void> {
    await this.tabTo(name);
    const left = this.page.waitForEvent('framenavigated');
    await this.page.keyboard.press('Enter');
    await left;
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

describe.skipIf(noBrowser)('in a browser without scripts, by keyboard alone', () => {
  test('a person signs in, picks a default budget and lets an application in', async () => {
    const person = await Person.open(client.authorize({ redirect_uri, state: 'mine' }));
    await person.signIn();
    expect(await person.heading).toBe('Allow Charts to use your budgets?');
    const group = person.page.getByRole('group', { name: 'Default budget' });
    expect(await group.getByRole('radio').count()).toBe(3);
    await person.tabTo('None');
    await person.page.keyboard.press('ArrowDown');
    await person.page.keyboard.press('ArrowDown');
    await person.press('Allow');

    expect(await person.page.innerText('body')).toBe('Back at the application');
    const { searchParams } = new URL(person.page.url());
    expect(searchParams.get('state')).toBe('mine');
    const { access_token } = tokensOf(
      await client.exchange(searchParams.get('code') ?? '', { redirect_uri }),
    );
    const response = await fetch(`${service.baseUrl}/budgets`, { headers: bearer(access_token) });
    expect(await response.json()).toMatchObject({ data: { default_budget: { name: 'Japan Trip' } } });
    expect(person.complaints).toEqual([]);
  });

  test('a person lets an application in by the implicit grant, for reading only', async () => {
    const request = { redirect_uri, response_type: 'token', scope: 'read-only', state: 'mine' };
    const person = await Person.open(client.authorize(request));
    await person.signIn();
    expect(await person.heading).toBe('Allow Charts to read your budgets?');
    expect(await person.page.innerText('main')).toContain('for reading only');
    await person.press('Allow');
    const answer = new URLSearchParams(new URL(person.page.url()).hash.slice(1));
    expect(answer.get('state')).toBe('mine');
    expect(await client.status(answer.get('access_token') ?? '')).toBe(200);
    expect(person.complaints).toEqual([]);
  });

  test('a person denies, which Enter in the form does as well', async () => {
    const person = await Person.open(client.authorize({ redirect_uri, state: 'mine' }));
    await person.signIn();
    await person.press('None');
    expect(new URL(person.page.url()).search).toMatch(/^\?error=access_denied&.*state=mine$/);
    await person.page.goto(service.appUrl + client.authorize({ redirect_uri }));
    await person.press('Deny');
    expect(new URL(person.page.url()).search).toMatch(/^\?error=access_denied&/);
    expect(person.complaints).toEqual([]);
  });

  test('a person whose password is wrong is told so, where the focus is', async () => {
    const person = await Person.open(client.authorize({ redirect_uri }));
    await person.signIn({ ...service.signIn, password: 'wrong' });
    expect(await person.alert).toBe('The email address or the password is wrong.');
    await person.signIn({ email: '', password: service.signIn.password });
    expect(await person.heading).toBe('Allow Charts to use your budgets?');
  });

  test('a person is told that an application in Restricted Mode has no room, and goes back', async () => {
    const crowded = new Client(service, { name: 'Crowded', redirectUris: ['http://127.0.0.1/callback'] });
    const registered = service.oauth.applications.find(crowded.id);
    const signIn = { email: 'late@example.com', password: 'late' };
    const user = service.access.addUser([], signIn);
    if (!registered) throw new Error('not registered');
    for (let tokens = 0; tokens < 25; tokens++) {
      service.oauth.authorizations.grantToken({ application: registered, user });
    }
    const person = await Person.open(crowded.authorize({ redirect_uri }));
    await person.signIn(signIn);
    expect(await person.alert).toBe(
      'Crowded is in Restricted Mode: it may have 25 access tokens for users other than its owner, and has reached that limit.',
    );
    await person.press('Back to Crowded');
    expect(new URL(person.page.url()).search).toMatch(/^\?error=access_denied&/);
  });

  test('a person makes a personal token, sees it once, and revokes it', async () => {
    const person = await Person.open('/settings/developer');
    await person.signIn();
    await person.type('Name of the token', 'Spreadsheet');
    await person.type('Your password, to confirm', service.signIn.password);
    await person.press('Make token');
    const token = await person.page.getByRole('status').getByRole('code').innerText();
    const status = async () => (await fetch(`${service.baseUrl}/user`, { headers: bearer(token) })).status;
    expect(await status()).toBe(200);

    await person.page.goto(`${service.appUrl}/settings/developer`);
    expect(await person.page.content()).not.toContain(token);
    await person.press(/^Revoke Spreadsheet,/);
    expect(await person.page.getByRole('status').innerText()).toContain('The token is revoked.');
    expect(await status()).toBe(401);
    expect(person.complaints).toEqual([]);
  });

  test.each(['/settings/developer', 'consent'])('%s fits a narrow screen', async (path) => {
    const person = await Person.open(path === 'consent' ? client.authorize({ redirect_uri }) : path);
    await person.signIn();
    const width = await person.page.evaluate<number>('document.documentElement.scrollWidth');
    expect(width).toBe(320);
  });
});
