import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Browser, View } from './browser.helper.ts';
import { type Hosting, startHosting } from './hosting.helper.ts';
import { OAuthClient, tokensOf } from './oauth-client.helper.ts';

async function start() {
  const hosting = await startHosting();
  const client = await OAuthClient.register(hosting);
  const browser = hosting.browser();
  return { hosting, client, browser, consent: await browser.open(client.url()) };
}

const post = (browser: Browser, { url }: View, fields: Record<string, string>, headers = {}) =>
  browser.open(url, { method: 'POST', body: new URLSearchParams(fields), headers });

const csrfOf = ({ text }: View) => /name="csrf" value="([^"]*)"/.exec(text)?.[1] ?? '';

/** The page of the budgeting service on which a person allows the request. */
async function upstreamConsent(hosting: Hosting, browser: Browser, consent: View): Promise<View> {
  const signIn = await browser.submit(consent, { decision: 'allow' });
  return browser.submit(signIn, { intent: 'sign-in', ...hosting.service.signIn });
}

/** Where the budgeting service sends the browser. The browser does not go there. */
async function callbackUrl(hosting: Hosting, browser: Browser, consent: View): Promise<URL> {
  const page = await upstreamConsent(hosting, browser, consent);
  const body = new URLSearchParams({ csrf: csrfOf(page), intent: 'allow' });
  const response = await browser.request(page.url, { method: 'POST', body });
  return new URL(response.headers.get('location') ?? '');
}

describe('the page that asks for consent', () => {
  it('cannot be shown in a frame, runs no script and leaks no address', async () => {
    const { consent } = await start();
    expect(consent.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self' http:\/\/127\.0\.0\.1:\d+ http:\/\/127\.0\.0\.1; base-uri 'none'; frame-ancestors 'none'$/,
    );
    expect(consent.headers.get('x-frame-options')).toBe('DENY');
    expect(consent.headers.get('referrer-policy')).toBe('no-referrer');
    expect(consent.headers.get('cache-control')).toBe('no-store');
    expect(consent.text).not.toContain('<script');
  });

  it('is shown only in the browser that made the request', async () => {
    const { hosting, consent } = await start();
    const other = await hosting.browser().open(consent.url);
    expect(other.status).toBe(400);
    expect(other.text).not.toContain('name="decision"');
  });

  it('is the only way to a code: the address after it gives none before the decision', async () => {
    const { hosting, browser, consent } = await start();
    const uid = consent.url.pathname.split('/').at(-1);
    const view = await browser.open(`${hosting.issuer}/oauth/authorize/${uid}`);
    expect(view.text).toContain('name="decision"');
    expect(browser.visited.join()).not.toContain('code=');
  });

  it.each(['none', 'login', 'consent', 'login consent'])(
    'cannot be skipped with the prompt %s',
    async (prompt) => {
      const { client, browser } = await start();
      const view = await browser.open(client.url({ prompt }));
      if (prompt === 'none') expect(view.text).toContain('(login_required)');
      else expect(view.text).toContain('name="decision"');
    },
  );

  it('does not take a decision from the address', async () => {
    const { browser, consent } = await start();
    const view = await browser.open(`${consent.url}?decision=allow&csrf=${csrfOf(consent)}`);
    expect(view.text).toContain('name="decision"');
  });
});

describe('a form that the person did not send', () => {
  it.each([
    ['no CSRF token', () => ({ decision: 'allow' })],
    ['an invented CSRF token', (csrf: string) => ({ decision: 'allow', csrf: csrf.replace(/./g, 'A') })],
    ['another decision', (csrf: string) => ({ decision: 'allow-everything', csrf })],
  ])('with %s decides nothing', async (_, fieldsOf) => {
    const { browser, consent } = await start();
    const view = await post(browser, consent, fieldsOf(csrfOf(consent)));
    expect(view.status).toBe(400);
    expect(view.url.href).toBe(consent.url.href);
  });

  it('with the CSRF token of another request decides nothing', async () => {
    const { client, browser, consent } = await start();
    const other = await browser.open(client.url());
    expect((await post(browser, consent, { decision: 'allow', csrf: csrfOf(other) })).status).toBe(400);
  });

  it('from another browser decides nothing, even with the right CSRF token', async () => {
    const { hosting, consent } = await start();
    const fields = { decision: 'allow', csrf: csrfOf(consent) };
    expect((await post(hosting.browser(), consent, fields)).status).toBe(400);
  });

  it('from another site decides nothing', async () => {
    const { browser, consent } = await start();
    const fields = { decision: 'allow', csrf: csrfOf(consent) };
    const view = await post(browser, consent, fields, { 'sec-fetch-site': 'cross-site' });
    expect(view.status).toBe(400);
  });

  it('that is too large is not read', async () => {
    const { browser, consent } = await start();
    const fields = { decision: 'allow', csrf: csrfOf(consent), more: 'x'.repeat(10_000) };
    expect((await post(browser, consent, fields)).status).toBe(413);
  });
});

describe('the callback of the budgeting service', () => {
  it('is worth nothing in another browser, and stays valid in the right one', async () => {
    const { hosting, client, browser, consent } = await start();
    const callback = await callbackUrl(hosting, browser, consent);
    const other = hosting.browser();
    expect((await other.open(callback)).status).toBe(400);
    const { url } = await browser.open(callback);
    expect((await client.exchange(url.searchParams.get('code') ?? '')).status).toBe(200);
  });

  it('is worth nothing in the browser of a victim who is in the middle of another sign-in', async () => {
    const { hosting, client, browser, consent } = await start();
    const callback = await callbackUrl(hosting, browser, consent);
    const victim = hosting.browser();
    await victim.submit(await victim.open(client.url()), { decision: 'allow' });
    const view = await victim.open(callback);
    expect(view.status).toBe(400);
    expect(victim.visited.join()).not.toContain('127.0.0.1/callback');
  });

  it('cannot bring the code of another sign-in', async () => {
    const { hosting, client, browser, consent } = await start();
    const attacker = hosting.browser();
    const stolen = await callbackUrl(hosting, attacker, await attacker.open(client.url()));
    const own = await callbackUrl(hosting, browser, consent);
    own.searchParams.set('code', stolen.searchParams.get('code') ?? '');
    const view = await browser.open(own);
    expect(view.status).toBe(502);
    expect(browser.visited.join()).not.toContain('127.0.0.1/callback');
  });

  it('works once', async () => {
    const { hosting, browser, consent } = await start();
    const callback = await callbackUrl(hosting, browser, consent);
    expect((await browser.open(callback)).status).toBe(0);
    expect((await browser.open(callback)).status).toBe(400);
  });

  it.each([
    ['no state', (url: URL) => url.searchParams.delete('state')],
    ['another state', (url: URL) => url.searchParams.set('state', 'x'.repeat(43))],
    ['two codes', (url: URL) => url.searchParams.append('code', 'x')],
    ['two states', (url: URL) => url.searchParams.append('state', 'x')],
    ['no code', (url: URL) => url.searchParams.delete('code')],
    ['an error', (url: URL) => url.searchParams.set('error', 'server_error')],
  ])('with %s gives the client no code', async (_, change) => {
    const { hosting, browser, consent } = await start();
    const callback = await callbackUrl(hosting, browser, consent);
    change(callback);
    const view = await browser.open(callback);
    expect(view.status).toBeGreaterThanOrEqual(400);
    expect(browser.visited.join()).not.toContain('127.0.0.1/callback');
    expect(hosting.bugs).toEqual([]);
  });

  it('ends after 15 minutes', async () => {
    const { hosting, browser, consent } = await start();
    const callback = await callbackUrl(hosting, browser, consent);
    hosting.clock.advance(16 * 60_000);
    expect((await browser.open(callback)).status).toBe(400);
  });

  it('clears its cookie, and leaves no session with this server', async () => {
    const { hosting, browser, consent } = await start();
    await browser.open(await callbackUrl(hosting, browser, consent));
    const names = browser.cookies.map(({ name }) => name);
    expect(names.filter((name) => /sign-in|session|resume/.test(name) && name !== 'budget_session')).toEqual(
      [],
    );
    expect(browser.cookies.every(({ isHttpOnly }) => isHttpOnly)).toBe(true);
  });
});

it('what the person decided first counts, not what they decide on the page when they go back after it', async () => {
  const { hosting, client, browser, consent } = await start();
  const callback = await callbackUrl(hosting, browser, consent);
  const { url } = await browser.open(callback);
  const tokens = tokensOf(await client.exchange(url.searchParams.get('code') ?? ''));
  const again = await browser.submit(consent, { decision: 'deny' });
  expect(again.status).toBe(400);
  expect(z.string().parse(tokens.scope)).toBe('budget:read budget:write');
});
