import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  CALLBACK_TIMEOUT_MS,
  type LoopbackOptions,
  listenForRedirect,
} from '../../src/auth/loopback-redirect.ts';
import type { PageText } from '../../src/auth/redirect-pages.ts';
import { BudgetError } from '../../src/base/errors.ts';
import { unusedUrl } from '../local-server.helper.ts';
import { ManualClock } from '../manual-clock.helper.ts';

const done: PageText = { heading: 'You are signed in', text: 'The token opens "A & <B>".' };

const authorization = { url: 'https://app.example.com/oauth/authorize?a=1&state=right', state: 'right' };

/** A listener that waits for the state `right`, and its result. */
async function waiting(options: Partial<LoopbackOptions> = {}, finish = async (_: URLSearchParams) => done) {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const redirect = await listenForRedirect({ clock, ...options });
  onTestFinished(() => redirect.close());
  const stop = new AbortController();
  const callbacks: Record<string, string>[] = [];
  const arrival = gate();
  const received = redirect.receive(
    authorization,
    (callback) => {
      callbacks.push(Object.fromEntries(callback));
      arrival.open();
      return finish(callback);
    },
    stop.signal,
  );
  received.catch(() => {});
  return { clock, redirect, uri: redirect.uri, stop, callbacks, received, arrived: arrival.opened };
}

async function get(url: string, init?: RequestInit) {
  const response = await fetch(url, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Sends a custom Host header, which `fetch` does not allow. */
async function getAs(host: string, url: string): Promise<{ status: number; headers: IncomingHttpHeaders }> {
  const sent = request(url, { headers: { host } }).end();
  const [response] = await once(sent, 'response');
  response.resume();
  return { status: response.statusCode, headers: response.headers };
}

/** Lets a test decide when `finish` continues. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

/** Counts pending sleeps. */
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
  test('the listener passes on the parameters of the callback and shows the result', async () => {
    const { uri, callbacks, received } = await waiting();
    expect(uri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    const { status, text } = await get(`${uri}?code=c1&state=right`);
    expect(status).toBe(200);
    expect(text).toContain('<h1>You are signed in</h1>');
    await received;
    expect(callbacks).toEqual([{ code: 'c1', state: 'right' }]);
  });

  test('the result page shows text from outside as plain text', async () => {
    const { uri } = await waiting();
    const { text } = await get(`${uri}?code=c1&state=right`);
    expect(text).toContain('The token opens &quot;A &amp; &lt;B&gt;&quot;.');
  });

  test.each(['?code=c1&state=wrong', '?code=c1', '', '?state='])(
    'the listener refuses a foreign callback (%j) and continues to wait for the right one',
    async (query) => {
      const { uri, callbacks, received } = await waiting();
      const { status, text } = await get(uri + query);
      expect(status).toBe(400);
      expect(text).toContain('This is not the expected answer');
      expect(callbacks).toEqual([]);
      await get(`${uri}?code=c2&state=right`);
      await received;
      expect(callbacks).toEqual([{ code: 'c2', state: 'right' }]);
    },
  );

  test('the listener refuses a second callback', async () => {
    const { opened, open } = gate();
    const { uri, callbacks, received, arrived } = await waiting({}, () => opened.then(() => done));
    const first = get(`${uri}?code=c1&state=right`);
    await arrived;
    const second = await get(`${uri}?code=c2&state=right`);
    expect(second.status).toBe(409);
    expect(second.text).toContain('This sign-in was already answered');
    open();
    expect((await first).text).toContain('You are signed in');
    await received;
    expect(callbacks).toEqual([{ code: 'c1', state: 'right' }]);
  });

  test('the listener refuses every other host name, so that DNS rebinding does not work', async () => {
    const { uri, callbacks } = await waiting();
    const { port } = new URL(uri);
    for (const host of ['attacker.example', `attacker.example:${port}`, `localhost:${port}`, '127.0.0.1'])
      expect(await getAs(host, `${uri}?code=c1&state=right`)).toMatchObject({ status: 421 });
    expect(callbacks).toEqual([]);
  });

  test('the listener refuses every other path and method', async () => {
    const { uri, callbacks } = await waiting();
    expect(await get(uri.replace('callback', '?code=c1&state=right'))).toMatchObject({ status: 404 });
    expect(await get(`${uri}?code=c1&state=right`, { method: 'HEAD' })).toMatchObject({ status: 405 });
    expect(await get(uri, { method: 'POST', body: 'code=c1&state=right' })).toMatchObject({ status: 405 });
    expect(callbacks).toEqual([]);
  });

  test('the pages may load nothing, may not be framed and send no referrer', async () => {
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

  test('a failed sign-in is explained in the browser, and the listener rejects with its error', async () => {
    const failure = new BudgetError('sign_in_declined', 'Access was declined in the browser.');
    const { uri, received } = await waiting({}, () => Promise.reject(failure));
    const { text } = await get(`${uri}?error=access_denied&state=right`);
    expect(text).toContain('You are not signed in');
    expect(text).toContain('Access was declined in the browser. Nothing was stored.');
    await expect(received).rejects.toBe(failure);
  });

  test('the browser does not show the details of an internal error', async () => {
    const { uri, received } = await waiting({}, () => Promise.reject(new TypeError('undefined is not 42')));
    expect((await get(`${uri}?code=c1&state=right`)).text).not.toContain('42');
    await expect(received).rejects.toThrow('undefined is not 42');
  });

  test('a sign-in is finished even if the browser has disconnected', async () => {
    const { opened, open } = gate();
    const { uri, received, arrived } = await waiting({}, () => opened.then(() => done));
    const disconnect = new AbortController();
    const aborted = get(`${uri}?code=c1&state=right`, { signal: disconnect.signal });
    await arrived;
    disconnect.abort();
    await expect(aborted).rejects.toThrow();
    open();
    await received;
  });

  test('the listener fails after five minutes without a callback', async () => {
    const { clock, received } = await waiting();
    expect(CALLBACK_TIMEOUT_MS).toBe(5 * 60_000);
    clock.advance(CALLBACK_TIMEOUT_MS);
    await expect(received).rejects.toThrow('The browser did not come back within 5 minutes.');
  });

  test('the time limit does not apply to the work after a callback that came in time', async () => {
    const { opened, open } = gate();
    const { clock, uri, received, arrived } = await waiting({}, () => opened.then(() => done));
    const page = get(`${uri}?code=c1&state=right`);
    await arrived;
    clock.advance(CALLBACK_TIMEOUT_MS);
    open();
    await received;
    expect((await page).text).toContain('You are signed in');
  });

  test('waiting for a callback can be cancelled before it begins and later', async () => {
    const { stop, received, redirect } = await waiting();
    stop.abort();
    await expect(received).rejects.toMatchObject({ code: 'cancelled' });
    const again = redirect.receive(authorization, async () => done, stop.signal);
    await expect(again).rejects.toMatchObject({ code: 'cancelled' });
  });

  test.each<[string, (given: Awaited<ReturnType<typeof waiting>>) => Promise<unknown>]>([
    ['the callback has come', ({ uri }) => get(`${uri}?code=c1&state=right`)],
    ['it is closed', ({ redirect }) => redirect.close()],
  ])('the listener has no timer left once %s', async (_, end) => {
    const clock = new SleepersClock('2026-11-21T12:00:00Z');
    const given = await waiting({ clock });
    expect(clock.sleepers).toBe(1);
    await end(given);
    await given.received.catch((error: unknown) => expect(error).toMatchObject({ code: 'cancelled' }));
    expect(clock.sleepers).toBe(0);
  });

  test('closing the listener ends every connection, and closing it again does nothing', async () => {
    const { opened } = gate();
    const { uri, redirect, arrived } = await waiting({}, () => opened.then(() => done));
    const hanging = get(`${uri}?code=c1&state=right`);
    await arrived;
    await redirect.close();
    await redirect.close();
    await expect(hanging).rejects.toThrow();
    await expect(get(uri)).rejects.toThrow();
  });

  test.each(['127.0.0.1', 'localhost'])(
    'the listener uses a registered redirect URI with the name %s unchanged',
    async (name) => {
      const { port } = new URL(await unusedUrl());
      const { uri, received, callbacks } = await waiting({ uri: `http://${name}:${port}/oauth/back` });
      expect(uri).toBe(`http://${name}:${port}/oauth/back`);
      const reached = `http://127.0.0.1:${port}/oauth/back?code=c1&state=right`;
      expect(await getAs(`${name}:${port}`, reached)).toMatchObject({ status: 200 });
      await received;
      expect(callbacks).toHaveLength(1);
    },
  );

  test('a port in use is reported as such', async () => {
    const { uri } = await waiting();
    await expect(waiting({ uri })).rejects.toMatchObject({
      code: 'sign_in_failed',
      message: `Cannot listen on port ${new URL(uri).port} of 127.0.0.1.`,
    });
  });
});

describe('the start page', () => {
  const typed = (url: string, code: string, origin = new URL(url).origin) =>
    get(url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin },
      body: new URLSearchParams({ code }).toString(),
    });
  /** Changes one letter of the code. */
  const nearly = (code: string) => (code.startsWith('B') ? 'C' : 'B') + code.slice(1);

  test('the start page asks for the code of the terminal and shows neither the code nor the next address', async () => {
    const { redirect } = await waiting();
    const { url, code } = redirect.start;
    expect(url).toBe(`${redirect.uri}/start`);
    expect(code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    const { status, text } = await get(url);
    expect(status).toBe(200);
    expect(text).toContain('<label for="code">Code from the terminal</label>');
    for (const secret of [code, 'app.example.com', 'right']) expect(text).not.toContain(secret);
  });

  test('each start page has another code', async () => {
    const [one, other] = [await waiting(), await waiting()];
    expect(one.redirect.start.code).not.toBe(other.redirect.start.code);
  });

  test.each<[string, (code: string) => string]>([
    ['as it is shown', (code) => code],
    ['in small letters', (code) => code.toLowerCase()],
    ['without the hyphen', (code) => code.replace('-', '')],
    ['with spaces', (code) => ` ${code.replace('-', ' ')} `],
  ])('the start page goes on to the service when the code is typed %s', async (_, type) => {
    const { redirect } = await waiting();
    const { status, text } = await typed(redirect.start.url, type(redirect.start.code));
    expect(status).toBe(200);
    expect(text).toContain('content="0; url=https://app.example.com/oauth/authorize?a=1&amp;state=right"');
  });

  test('the start page rejects a wrong code without showing the next address, and then accepts the right code', async () => {
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

  test('five wrong codes end the sign-in, and then even the right code is refused', async () => {
    const { redirect, received, uri, callbacks } = await waiting();
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
    expect(callbacks).toEqual([]);
  });

  test.each(['null', 'https://attacker.example', 'http://127.0.0.1'])(
    'a code from a page of %s is neither accepted nor counted',
    async (origin) => {
      const { redirect } = await waiting();
      const { url, code } = redirect.start;
      for (let count = 0; count < 6; count += 1)
        expect(await typed(url, nearly(code), origin)).toMatchObject({ status: 403 });
      expect((await typed(url, code, origin)).text).not.toContain('app.example.com');
      expect((await typed(url, code)).text).toContain('app.example.com');
    },
  );

  test('the start page is at 127.0.0.1 even if the redirect URI has another name, on which another user could listen', async () => {
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

  test('the start page has no script, may not be framed and posts its form to this machine only', async () => {
    const { redirect } = await waiting();
    const { headers, text } = await get(redirect.start.url);
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; .*form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    );
    expect(text).not.toContain('<script');
    const onward = await typed(redirect.start.url, redirect.start.code);
    expect(onward.headers.get('referrer-policy')).toBe('no-referrer');
    expect(onward.headers.get('cache-control')).toBe('no-store');
  });

  test('the start page refuses every other host name and method', async () => {
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

  test('the listener for a fragment accepts the parameters that its own page posts', async () => {
    const { uri, callbacks, received } = await waiting({ inFragment: true });
    const { status, text } = await get(uri, form(new URL(uri).origin));
    expect({ status, body: JSON.parse(text) }).toEqual({ status: 200, body: done });
    await received;
    expect(callbacks).toEqual([{ access_token: 't1', state: 'right' }]);
  });

  test.each([undefined, 'null', 'https://attacker.example', 'http://127.0.0.1'])(
    'the listener for a fragment refuses a post from the origin %s',
    async (origin) => {
      const { uri, callbacks } = await waiting({ inFragment: true });
      expect(await get(uri, form(origin))).toMatchObject({ status: 403 });
      expect(callbacks).toEqual([]);
    },
  );

  test('the listener for a fragment refuses a foreign state and continues to wait', async () => {
    const { uri, callbacks, received } = await waiting({ inFragment: true });
    const { origin } = new URL(uri);
    expect(await get(uri, form(origin, 'access_token=t2&state=wrong'))).toMatchObject({ status: 400 });
    await get(uri, form(origin));
    await received;
    expect(callbacks).toEqual([{ access_token: 't1', state: 'right' }]);
  });

  test('the listener for a fragment refuses a body that is too large', async () => {
    const { uri, callbacks } = await waiting({ inFragment: true });
    const body = `state=right&access_token=${'t'.repeat(20_000)}`;
    await expect(get(uri, form(new URL(uri).origin, body))).rejects.toThrow();
    expect(callbacks).toEqual([]);
  });

  test('the listener for a fragment accepts an error in the query too', async () => {
    const { uri, callbacks, received } = await waiting({ inFragment: true });
    await get(`${uri}?error=access_denied&state=right`);
    await received;
    expect(callbacks).toEqual([{ error: 'access_denied', state: 'right' }]);
  });
});
