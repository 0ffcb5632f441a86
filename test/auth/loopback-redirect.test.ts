import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  CALLBACK_TIMEOUT_MS,
  type LoopbackOptions,
  listenForRedirect,
} from '../../src/auth/loopback-redirect.ts';
import type { PageText } from '../../src/auth/redirect-pages.ts';
import { BudgetError } from '../../src/errors.ts';
import { unusedUrl } from '../local-server.ts';
import { ManualClock } from '../manual-clock.ts';

const done: PageText = { heading: 'You are signed in', text: 'The token opens "A & <B>".' };

const asked = { url: 'https://app.example.com/oauth/authorize?a=1&state=right', state: 'right' };

/** A listener that waits for the state `right`, and what came of it. */
async function waiting(options: Partial<LoopbackOptions> = {}, finish = async (_: URLSearchParams) => done) {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const redirect = await listenForRedirect({ clock, ...options });
  onTestFinished(() => redirect.close());
  const stop = new AbortController();
  const came: Record<string, string>[] = [];
  const arrival = gate();
  const received = redirect.receive(
    asked,
    (callback) => {
      came.push(Object.fromEntries(callback));
      arrival.open();
      return finish(callback);
    },
    stop.signal,
  );
  received.catch(() => {});
  return { clock, redirect, uri: redirect.uri, stop, came, received, arrived: arrival.opened };
}

async function get(url: string, init?: RequestInit) {
  const response = await fetch(url, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** With a Host header of its own, which `fetch` does not allow. */
async function getAs(host: string, url: string): Promise<{ status: number; headers: IncomingHttpHeaders }> {
  const sent = request(url, { headers: { host } }).end();
  const [response] = await once(sent, 'response');
  response.resume();
  return { status: response.statusCode, headers: response.headers };
}

/** What a finish waits for until a test lets it go on. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

/** It counts who sleeps. */
class SleepersClock extends ManualClock {
  sleepers = 0;

  override async sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    this.sleepers += 1;
    await super.sleep(milliseconds, signal).finally(() => {
      this.sleepers -= 1;
    });
  }
}

describe('the listener for one callback', () => {
  test('hands over the parameters and shows what became of them', async () => {
    const { uri, came, received } = await waiting();
    expect(uri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    const { status, text } = await get(`${uri}?code=c1&state=right`);
    expect(status).toBe(200);
    expect(text).toContain('<h1>You are signed in</h1>');
    await received;
    expect(came).toEqual([{ code: 'c1', state: 'right' }]);
  });

  test('shows text from outside as text', async () => {
    const { uri } = await waiting();
    const { text } = await get(`${uri}?code=c1&state=right`);
    expect(text).toContain('The token opens &quot;A &amp; &lt;B&gt;&quot;.');
  });

  test.each(['?code=c1&state=wrong', '?code=c1', '', '?state='])(
    'refuses a foreign callback (%j) and goes on waiting for the right one',
    async (query) => {
      const { uri, came, received } = await waiting();
      const { status, text } = await get(uri + query);
      expect(status).toBe(400);
      expect(text).toContain('This is not the answer that is waited for');
      expect(came).toEqual([]);
      await get(`${uri}?code=c2&state=right`);
      await received;
      expect(came).toEqual([{ code: 'c2', state: 'right' }]);
    },
  );

  test('refuses a second callback', async () => {
    const { opened, open } = gate();
    const { uri, came, received, arrived } = await waiting({}, () => opened.then(() => done));
    const first = get(`${uri}?code=c1&state=right`);
    await arrived;
    const second = await get(`${uri}?code=c2&state=right`);
    expect(second.status).toBe(409);
    expect(second.text).toContain('This sign-in has come back already');
    open();
    expect((await first).text).toContain('You are signed in');
    await received;
    expect(came).toEqual([{ code: 'c1', state: 'right' }]);
  });

  test('answers to no other name, so that no page of elsewhere can be made to point at it', async () => {
    const { uri, came } = await waiting();
    const { port } = new URL(uri);
    for (const host of ['attacker.example', `attacker.example:${port}`, `localhost:${port}`, '127.0.0.1'])
      expect(await getAs(host, `${uri}?code=c1&state=right`)).toMatchObject({ status: 421 });
    expect(came).toEqual([]);
  });

  test('answers at no other path and to no other method', async () => {
    const { uri, came } = await waiting();
    expect(await get(uri.replace('callback', '?code=c1&state=right'))).toMatchObject({ status: 404 });
    expect(await get(`${uri}?code=c1&state=right`, { method: 'HEAD' })).toMatchObject({ status: 405 });
    expect(await get(uri, { method: 'POST', body: 'code=c1&state=right' })).toMatchObject({ status: 405 });
    expect(came).toEqual([]);
  });

  test('lets its pages fetch nothing, be framed by nobody and tell nobody their address', async () => {
    const { uri } = await waiting();
    for (const query of ['?code=c1&state=wrong', '?code=c1&state=right']) {
      const { headers } = await get(uri + query);
      expect(headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; .*frame-ancestors 'none'$/,
      );
      expect(headers.get('content-security-policy')).not.toContain('unsafe-inline');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('cache-control')).toBe('no-store');
    }
  });

  test('tells in the browser why a sign-in failed, and fails as it did', async () => {
    const failure = new BudgetError('sign_in_declined', 'Access was declined in the browser.');
    const { uri, received } = await waiting({}, () => Promise.reject(failure));
    const { text } = await get(`${uri}?error=access_denied&state=right`);
    expect(text).toContain('You are not signed in');
    expect(text).toContain('Access was declined in the browser. Nothing was kept.');
    await expect(received).rejects.toBe(failure);
  });

  test('does not tell the browser what went wrong inside', async () => {
    const { uri, received } = await waiting({}, () => Promise.reject(new TypeError('undefined is not 42')));
    expect((await get(`${uri}?code=c1&state=right`)).text).not.toContain('42');
    await expect(received).rejects.toThrow('undefined is not 42');
  });

  test('finishes for a browser that has gone away', async () => {
    const { opened, open } = gate();
    const { uri, received, arrived } = await waiting({}, () => opened.then(() => done));
    const leave = new AbortController();
    const left = get(`${uri}?code=c1&state=right`, { signal: leave.signal });
    await arrived;
    leave.abort();
    await expect(left).rejects.toThrow();
    open();
    await received;
  });

  test('gives up after five minutes', async () => {
    const { clock, received } = await waiting();
    expect(CALLBACK_TIMEOUT_MS).toBe(5 * 60_000);
    clock.advance(CALLBACK_TIMEOUT_MS);
    await expect(received).rejects.toThrow('Nobody came back within 5 minutes.');
  });

  test('does not give up on a callback that came in time', async () => {
    const { opened, open } = gate();
    const { clock, uri, received, arrived } = await waiting({}, () => opened.then(() => done));
    const page = get(`${uri}?code=c1&state=right`);
    await arrived;
    clock.advance(CALLBACK_TIMEOUT_MS);
    open();
    await received;
    expect((await page).text).toContain('You are signed in');
  });

  test('can be cancelled, before it waits and while it does', async () => {
    const { stop, received, redirect } = await waiting();
    stop.abort();
    await expect(received).rejects.toMatchObject({ code: 'cancelled' });
    const again = redirect.receive(asked, async () => done, stop.signal);
    await expect(again).rejects.toMatchObject({ code: 'cancelled' });
  });

  test.each<[string, (given: Awaited<ReturnType<typeof waiting>>) => Promise<unknown>]>([
    ['the callback has come', ({ uri }) => get(`${uri}?code=c1&state=right`)],
    ['it is closed', ({ redirect }) => redirect.close()],
  ])('holds nothing up any more once %s', async (_, end) => {
    const clock = new SleepersClock('2026-11-21T12:00:00Z');
    const given = await waiting({ clock });
    expect(clock.sleepers).toBe(1);
    await end(given);
    await given.received.catch((error: unknown) => expect(error).toMatchObject({ code: 'cancelled' }));
    expect(clock.sleepers).toBe(0);
  });

  test('ends every connection when it is closed, and closing again does nothing', async () => {
    const { opened } = gate();
    const { uri, redirect, arrived } = await waiting({}, () => opened.then(() => done));
    const hanging = get(`${uri}?code=c1&state=right`);
    await arrived;
    await redirect.close();
    await redirect.close();
    await expect(hanging).rejects.toThrow();
    await expect(get(uri)).rejects.toThrow();
  });

  test.each(['127.0.0.1', 'localhost'])('listens as %s where exactly that is registered', async (name) => {
    const { port } = new URL(await unusedUrl());
    const { uri, received, came } = await waiting({ uri: `http://${name}:${port}/oauth/back` });
    expect(uri).toBe(`http://${name}:${port}/oauth/back`);
    const reached = `http://127.0.0.1:${port}/oauth/back?code=c1&state=right`;
    expect(await getAs(`${name}:${port}`, reached)).toMatchObject({ status: 200 });
    await received;
    expect(came).toHaveLength(1);
  });

  test('says so where the port is taken', async () => {
    const { uri } = await waiting();
    await expect(waiting({ uri })).rejects.toMatchObject({
      code: 'sign_in_failed',
      message: `Port ${new URL(uri).port} of 127.0.0.1 cannot be listened on.`,
    });
  });
});

describe('the page where a sign-in starts', () => {
  const typed = (url: string, code: string, origin = new URL(url).origin) =>
    get(url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin },
      body: new URLSearchParams({ code }).toString(),
    });
  /** With one letter changed. */
  const nearly = (code: string) => (code.startsWith('B') ? 'C' : 'B') + code.slice(1);

  test('asks for the code of the terminal and shows neither the code nor where it leads', async () => {
    const { redirect } = await waiting();
    const { url, code } = redirect.start;
    expect(url).toBe(`${redirect.uri}/start`);
    expect(code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    const { status, text } = await get(url);
    expect(status).toBe(200);
    expect(text).toContain('<label for="code">Code from the terminal</label>');
    for (const secret of [code, 'app.example.com', 'right']) expect(text).not.toContain(secret);
  });

  test('has another code each time', async () => {
    const [one, other] = [await waiting(), await waiting()];
    expect(one.redirect.start.code).not.toBe(other.redirect.start.code);
  });

  test.each<[string, (code: string) => string]>([
    ['as it is shown', (code) => code],
    ['in small letters', (code) => code.toLowerCase()],
    ['without the hyphen', (code) => code.replace('-', '')],
    ['with spaces', (code) => ` ${code.replace('-', ' ')} `],
  ])('goes on to the service when the code is typed %s', async (_, type) => {
    const { redirect } = await waiting();
    const { status, text } = await typed(redirect.start.url, type(redirect.start.code));
    expect(status).toBe(200);
    expect(text).toContain('content="0; url=https://app.example.com/oauth/authorize?a=1&amp;state=right"');
  });

  test('says that a code is wrong, tells nothing, and takes the right one after it', async () => {
    const { redirect, uri, received } = await waiting();
    const { url, code } = redirect.start;
    for (const wrong of ['', nearly(code), code.slice(0, -1), `${code}B`]) {
      const { status, text } = await typed(url, wrong);
      expect(status).toBe(403);
      expect(text).toContain('That is not the code in the terminal.');
      expect(text).not.toContain('app.example.com');
    }
    expect((await typed(url, code)).text).toContain('app.example.com');
    await get(`${uri}?code=c1&state=right`);
    await received;
  });

  test('ends the sign-in after five wrong codes, and takes not even the right one then', async () => {
    const { redirect, received, uri, came } = await waiting();
    const { url, code } = redirect.start;
    const guesses = await Promise.all(Array.from({ length: 20 }, () => typed(url, nearly(code))));
    expect(guesses.map(({ status }) => status)).toEqual(guesses.map(() => 403));
    const again = guesses.filter(({ text }) => text.includes('Type it again'));
    expect(again).toHaveLength(4);
    await expect(received).rejects.toMatchObject({
      code: 'sign_in_failed',
      message: expect.stringMatching(/^A wrong code was typed 5 times at http:.*another user or program/),
    });
    const late = await typed(url, code);
    expect(late.text).toContain('This sign-in has ended');
    expect(late.text).not.toContain('app.example.com');
    expect(await get(`${uri}?code=c1&state=right`)).toMatchObject({ status: 409 });
    expect(came).toEqual([]);
  });

  test.each(['null', 'https://attacker.example', 'http://127.0.0.1'])(
    'counts no code that a page from %s sends, and does not take it',
    async (origin) => {
      const { redirect } = await waiting();
      const { url, code } = redirect.start;
      for (let count = 0; count < 6; count += 1)
        expect(await typed(url, nearly(code), origin)).toMatchObject({ status: 403 });
      expect((await typed(url, code, origin)).text).not.toContain('app.example.com');
      expect((await typed(url, code)).text).toContain('app.example.com');
    },
  );

  test('is at 127.0.0.1 although the redirect URI has another name, which another user could answer to', async () => {
    const { port } = new URL(await unusedUrl());
    for (const path of ['/', '/start', '/oauth/back/']) {
      const { redirect } = await waiting({ uri: `http://localhost:${port}${path}` });
      const { url } = redirect.start;
      expect(new URL(url).origin).toBe(`http://127.0.0.1:${port}`);
      expect(new URL(url).pathname).not.toBe(path);
      expect(await get(url)).toMatchObject({ status: 200 });
      expect(await getAs(`localhost:${port}`, url)).not.toMatchObject({ status: 200 });
      await redirect.close();
    }
  });

  test('runs no script, is framed by nobody and sends its form to this machine only', async () => {
    const { redirect } = await waiting();
    const { headers, text } = await get(redirect.start.url);
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; .*form-action 'self'; frame-ancestors 'none'$/,
    );
    expect(text).not.toContain('<script');
    const onward = await typed(redirect.start.url, redirect.start.code);
    expect(onward.headers.get('referrer-policy')).toBe('no-referrer');
    expect(onward.headers.get('cache-control')).toBe('no-store');
  });

  test('answers to no other name and no other method', async () => {
    const { redirect } = await waiting();
    expect(await getAs('attacker.example', redirect.start.url)).toMatchObject({ status: 421 });
    expect(await get(redirect.start.url, { method: 'PUT' })).toMatchObject({ status: 405 });
  });
});

describe('the listener for a fragment', () => {
  const form = (origin?: string, body = 'access_token=t1&state=right'): RequestInit => ({
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...(origin && { origin }) },
    body,
  });

  test('takes the parameters from its own page', async () => {
    const { uri, came, received } = await waiting({ inFragment: true });
    const { status, text } = await get(uri, form(new URL(uri).origin));
    expect({ status, body: JSON.parse(text) }).toEqual({ status: 200, body: done });
    await received;
    expect(came).toEqual([{ access_token: 't1', state: 'right' }]);
  });

  test.each([undefined, 'null', 'https://attacker.example', 'http://127.0.0.1'])(
    'takes nothing from the origin %s',
    async (origin) => {
      const { uri, came } = await waiting({ inFragment: true });
      expect(await get(uri, form(origin))).toMatchObject({ status: 403 });
      expect(came).toEqual([]);
    },
  );

  test('refuses a foreign state and goes on waiting', async () => {
    const { uri, came, received } = await waiting({ inFragment: true });
    const { origin } = new URL(uri);
    expect(await get(uri, form(origin, 'access_token=t2&state=wrong'))).toMatchObject({ status: 400 });
    await get(uri, form(origin));
    await received;
    expect(came).toEqual([{ access_token: 't1', state: 'right' }]);
  });

  test('takes no more than a sign-in is made of', async () => {
    const { uri, came } = await waiting({ inFragment: true });
    const body = `state=right&access_token=${'t'.repeat(20_000)}`;
    await expect(get(uri, form(new URL(uri).origin, body))).rejects.toThrow();
    expect(came).toEqual([]);
  });

  test('hears of an error in the query as well', async () => {
    const { uri, came, received } = await waiting({ inFragment: true });
    await get(`${uri}?error=access_denied&state=right`);
    await received;
    expect(came).toEqual([{ error: 'access_denied', state: 'right' }]);
  });
});
