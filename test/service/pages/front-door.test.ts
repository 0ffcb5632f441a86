import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RunningService, startTestService } from '../running-service.ts';
import { Visitor } from './visitor.ts';

const page = '/settings/developer';

let service: RunningService;
let visitor: Visitor;
beforeAll(async () => {
  service = await startTestService({ transactions: 10 });
});
beforeEach(() => {
  visitor = new Visitor(service);
});
afterAll(() => service.close());

describe('every page', () => {
  test.each(['signed in', 'not signed in'])(
    'can run no script, be framed, kept or named to others: %s',
    async (who) => {
      const seen = who === 'signed in' ? await visitor.signIn(page, service.signIn) : await visitor.get(page);
      expect(Object.fromEntries(seen.headers)).toMatchObject({
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'content-type': 'text/html; charset=UTF-8',
      });
      expect(seen.headers.get('Content-Security-Policy')).toMatch(
        /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
      );
      expect(seen.text).not.toMatch(/<script|javascript:|\son\w+=|\s(src|href|style)=/i);
    },
  );

  test.each([page, '/oauth/authorize'])('is not for pages of another origin: %s', async (path) => {
    for (const method of ['GET', 'OPTIONS']) {
      const response = await fetch(service.appUrl + path, {
        method,
        headers: { Origin: 'https://app.example' },
      });
      expect(response.headers.has('Access-Control-Allow-Origin')).toBe(false);
    }
  });

  test('is a document with a language, a title, one heading and a label for each field', async () => {
    const { text } = await visitor.get(page);
    expect(text).toMatch(/^<!doctype html>\n<html lang="en"/);
    expect(text).toContain('<title>Sign in – Budget service</title>');
    expect(text.match(/<h1>/g)).toHaveLength(1);
    for (const id of ['email', 'password']) expect(text).toContain(`<label for="${id}">`);
  });
});

describe('to sign in', () => {
  const attempt = (fields: Record<string, string> = {}) =>
    visitor.send(page, { intent: 'sign-in', ...service.signIn, ...fields });

  test('needs the email address, in whatever case, and the password', async () => {
    await visitor.get(page);
    const { status, location } = await attempt({ email: ' Demo@Example.COM ' });
    expect([status, location.href]).toEqual([303, service.appUrl + page]);
    expect((await visitor.get(page)).text).toContain('<h1>Developer settings</h1>');
  });

  test.each([{ password: 'wrong' }, { password: '' }, { email: 'nobody@example.com' }, { email: '' }])(
    'fails plainly, without telling which of the two is wrong: %j',
    async (fields) => {
      await visitor.get(page);
      const { status, text } = await attempt(fields);
      expect(status).toBe(422);
      expect(text).toMatch(
        /role="alert" tabindex="-1" autofocus>The email address or the password is wrong\./,
      );
      expect(text).toContain('<title>Error: Sign in');
      expect((await visitor.get(page)).text).toContain('<h1>Sign in</h1>');
    },
  );

  test('gives back what was typed as text, and never the password', async () => {
    await visitor.get(page);
    const { text } = await attempt({ email: '"><b>x</b>', password: 'typed-secret' });
    expect(text).toContain('value="&quot;&gt;&lt;b&gt;x&lt;/b&gt;"');
    expect(text).not.toContain('typed-secret');
  });

  test.each(['often@example.com', 'unknown@example.com'])(
    'is refused after five failures in a quarter of an hour, even with the right password: %s',
    async (email) => {
      const password = 'right';
      if (email.startsWith('often')) service.access.addUser([], { email, password });
      await visitor.get(page);
      for (let failures = 0; failures < 5; failures++) {
        expect((await attempt({ email, password: 'wrong' })).status).toBe(422);
      }
      const seen = await attempt({ email, password });
      expect(seen.status).toBe(429);
      expect(seen.text).toContain('Wait 15 minutes');
      service.clock.advance(15 * 60_000);
      expect((await attempt({ email, password })).status).toBe(email.startsWith('often') ? 303 : 422);
    },
  );

  test('holds the limit for attempts that are made at once', async () => {
    const email = 'hurried@example.com';
    await visitor.get(page);
    const seen = await Promise.all(Array.from({ length: 8 }, () => attempt({ email, password: 'wrong' })));
    expect(seen.filter(({ status }) => status === 422)).toHaveLength(5);
  });

  test('is forgiven its failures once it succeeds', async () => {
    await visitor.get(page);
    for (let round = 0; round < 3; round++) {
      for (let failures = 0; failures < 3; failures++) await attempt({ password: 'wrong' });
      expect((await attempt()).status).toBe(303);
      await visitor.get(page);
      await visitor.send(page, { intent: 'sign-out' });
      await visitor.get(page);
    }
  });

  test('needs the own page before it', async () => {
    await visitor.get(page);
    const seen = await attempt({ csrf: 'foreign' });
    expect(seen.status).toBe(403);
    expect((await visitor.get(page)).text).toContain('<h1>Sign in</h1>');
  });

  test('is not open to users without a password', async () => {
    service.access.addUser([]);
    await visitor.get(page);
    expect((await attempt({ email: '', password: '' })).status).toBe(422);
  });
});

describe('a session', () => {
  test('is a cookie that no script and no foreign form can use, and that is new once signed in', async () => {
    const { headers } = await visitor.get(page);
    expect(headers.get('Set-Cookie')).toMatch(/^budget_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
    const before = visitor.cookies;
    await visitor.send(page, { intent: 'sign-in', ...service.signIn });
    expect(visitor.cookies).not.toBe(before);
  });

  test('ends after an hour, and what was sent afterwards is not done', async () => {
    await visitor.signIn(page, service.signIn);
    service.clock.advance(3_599_999);
    expect((await visitor.get(page)).text).toContain('<h1>Developer settings</h1>');
    service.clock.advance(1);
    const { text } = await visitor.send(page, {
      intent: 'create-token',
      label: 'x',
      password: service.signIn.password,
    });
    expect(text).toContain('You have been signed out.');
    expect(service.access.personalTokensOf(service.user)).toHaveLength(1);
  });

  test('ends when the user signs out, for whoever kept its cookie as well', async () => {
    await visitor.signIn(page, service.signIn);
    const kept = visitor.cookies;
    await visitor.send(page, { intent: 'sign-out' });
    for (const Cookie of [kept, visitor.cookies]) {
      const response = await fetch(service.appUrl + page, { headers: { Cookie } });
      expect(await response.text()).toContain('<h1>Sign in</h1>');
    }
  });

  test('is nobody else’s by a made-up cookie', async () => {
    const response = await fetch(service.appUrl + page, { headers: { Cookie: 'budget_session=made-up' } });
    expect(await response.text()).toContain('<h1>Sign in</h1>');
  });
});

test('a form that is far too large is refused', async () => {
  await visitor.get(page);
  expect((await visitor.send(page, { email: 'x'.repeat(70_000) })).status).toBe(413);
});
