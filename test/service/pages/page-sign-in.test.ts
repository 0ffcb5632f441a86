import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RunningService, startTestService } from '../running-service.helper.ts';
import { TestBrowser } from './test-browser.helper.ts';

const page = '/settings/developer';

let service: RunningService;
let browser: TestBrowser;
beforeAll(async () => {
  service = await startTestService({ transactions: 10 });
});
beforeEach(() => {
  browser = new TestBrowser(service);
});
afterAll(() => service.close());

describe('all pages', () => {
  test.each(['signed in', 'not signed in'])(
    'a page has headers against scripts, frames, caches and referrers: %s',
    async (state) => {
      const response =
        state === 'signed in' ? await browser.signIn(page, service.signIn) : await browser.get(page);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'content-type': 'text/html; charset=UTF-8',
      });
      expect(response.headers.get('Content-Security-Policy')).toMatch(
        /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
      );
      expect(response.text).not.toMatch(/<script|javascript:|\son\w+=|\s(src|href|style)=/i);
    },
  );

  test.each([page, '/oauth/authorize'])(
    'a page cannot be read by pages of another origin: %s',
    async (path) => {
      for (const method of ['GET', 'OPTIONS']) {
        const response = await fetch(service.appUrl + path, {
          method,
          headers: { Origin: 'https://app.example' },
        });
        expect(response.headers.has('Access-Control-Allow-Origin')).toBe(false);
      }
    },
  );

  test('a page has a language, a title, one heading and a label for each field', async () => {
    const { text } = await browser.get(page);
    expect(text).toMatch(/^<!doctype html>\n<html lang="en"/);
    expect(text).toContain('<title>Sign in – Budget service</title>');
    expect(text.match(/<h1>/g)).toHaveLength(1);
    for (const id of ['email', 'password']) expect(text).toContain(`<label for="${id}">`);
  });
});

describe('sign-in', () => {
  const attempt = (fields: Record<string, string> = {}) =>
    browser.send(page, { intent: 'sign-in', ...service.signIn, ...fields });

  test('a user signs in with the email address in any case and the password', async () => {
    await browser.get(page);
    const { status, location } = await attempt({ email: ' Demo@Example.COM ' });
    expect([status, location.href]).toEqual([303, service.appUrl + page]);
    expect((await browser.get(page)).text).toContain('<h1>Developer settings</h1>');
  });

  test.each([{ password: 'wrong' }, { password: '' }, { email: 'nobody@example.com' }, { email: '' }])(
    'a failed sign-in does not reveal whether the email address or the password is wrong: %j',
    async (fields) => {
      await browser.get(page);
      const { status, text } = await attempt(fields);
      expect(status).toBe(422);
      expect(text).toMatch(
        /role="alert" tabindex="-1" autofocus>The email address or the password is wrong\./,
      );
      expect(text).toContain('<title>Error: Sign in');
      expect((await browser.get(page)).text).toContain('<h1>Sign in</h1>');
    },
  );

  test('the sign-in page repeats the email address, escaped, and never the password', async () => {
    await browser.get(page);
    const { text } = await attempt({ email: '"><b>x</b>', password: 'typed-secret' });
    expect(text).toContain('value="&quot;&gt;&lt;b&gt;x&lt;/b&gt;"');
    expect(text).not.toContain('typed-secret');
  });

  test.each(['often@example.com', 'unknown@example.com'])(
    'sign-in is refused for 15 minutes after five failures, even with the right password: %s',
    async (email) => {
      const password = 'right';
      if (email.startsWith('often')) service.access.addUser([], { email, password });
      await browser.get(page);
      for (let failures = 0; failures < 5; failures++) {
        expect((await attempt({ email, password: 'wrong' })).status).toBe(422);
      }
      const response = await attempt({ email, password });
      expect(response.status).toBe(429);
      expect(response.text).toContain('Wait 15 minutes');
      service.clock.advance(15 * 60_000);
      expect((await attempt({ email, password })).status).toBe(email.startsWith('often') ? 303 : 422);
    },
  );

  test('the limit of attempts applies to concurrent attempts', async () => {
    const email = 'hurried@example.com';
    await browser.get(page);
    const response = await Promise.all(
      Array.from({ length: 8 }, () => attempt({ email, password: 'wrong' })),
    );
    expect(response.filter(({ status }) => status === 422)).toHaveLength(5);
  });

  test('a successful sign-in resets the count of failures', async () => {
    await browser.get(page);
    for (let round = 0; round < 3; round++) {
      for (let failures = 0; failures < 3; failures++) await attempt({ password: 'wrong' });
      expect((await attempt()).status).toBe(303);
      await browser.get(page);
      await browser.send(page, { intent: 'sign-out' });
      await browser.get(page);
    }
  });

  test('a sign-in form without the CSRF token of the page is refused', async () => {
    await browser.get(page);
    const response = await attempt({ csrf: 'foreign' });
    expect(response.status).toBe(403);
    expect((await browser.get(page)).text).toContain('<h1>Sign in</h1>');
  });

  test('a user without a password cannot sign in', async () => {
    service.access.addUser([]);
    await browser.get(page);
    expect((await attempt({ email: '', password: '' })).status).toBe(422);
  });
});

describe('sessions', () => {
  test('the session cookie is HttpOnly and SameSite=Lax, and is replaced at sign-in', async () => {
    const { headers } = await browser.get(page);
    expect(headers.get('Set-Cookie')).toMatch(/^budget_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
    const before = browser.cookies;
    await browser.send(page, { intent: 'sign-in', ...service.signIn });
    expect(browser.cookies).not.toBe(before);
  });

  test('a session ends after an hour, and a form sent later has no effect', async () => {
    await browser.signIn(page, service.signIn);
    service.clock.advance(3_599_999);
    expect((await browser.get(page)).text).toContain('<h1>Developer settings</h1>');
    service.clock.advance(1);
    const { text } = await browser.send(page, {
      intent: 'create-token',
      label: 'x',
      password: service.signIn.password,
    });
    expect(text).toContain('You have been signed out.');
    expect(service.access.personalTokensOf(service.user)).toHaveLength(1);
  });

  test('signing out ends the session for copies of its cookie too', async () => {
    await browser.signIn(page, service.signIn);
    const oldCookie = browser.cookies;
    await browser.send(page, { intent: 'sign-out' });
    for (const Cookie of [oldCookie, browser.cookies]) {
      const response = await fetch(service.appUrl + page, { headers: { Cookie } });
      expect(await response.text()).toContain('<h1>Sign in</h1>');
    }
  });

  test('an invented cookie is not signed in', async () => {
    const response = await fetch(service.appUrl + page, { headers: { Cookie: 'budget_session=made-up' } });
    expect(await response.text()).toContain('<h1>Sign in</h1>');
  });
});

test('a form that is too large is refused', async () => {
  await browser.get(page);
  expect((await browser.send(page, { email: 'x'.repeat(70_000) })).status).toBe(413);
});
