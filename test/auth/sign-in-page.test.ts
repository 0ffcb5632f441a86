import { describe, expect, test } from 'vitest';
import { PAGE_MS } from '../../src/auth/sign-in-page.ts';
import { BudgetError } from '../../src/base/errors.ts';
import { SignInVisitor } from '../programs/sign-in-visitor.helper.ts';
import { MemoryTokenStore } from './memory-token-store.helper.ts';
import { noKeychain, openPageForPerson as start } from './opened-page.helper.ts';
import { agree } from './signed-in.helper.ts';

describe('the page for signing in', () => {
  test('stores a token that the service accepts, and asks for the default one of several budgets', async () => {
    const { service, store, visitor, token, signedIn } = await start();
    await visitor.open();
    const asked = await visitor.sendOnly(token);
    expect(asked.status).toBe(200);
    expect(asked.text).toContain('Choose your default budget');
    const [, japan = ''] = /value="([^"]+)" required >Japan Trip/.exec(asked.text) ?? [];
    expect((await visitor.sendOnly({ way: 'budget', budget: 'another' })).status).toBe(422);
    const { text } = await visitor.sendOnly({ way: 'budget', budget: japan });
    expect(text).toContain('&quot;Household&quot;');
    expect(text).toContain('is about &quot;Japan Trip&quot;, as chosen at sign-in');
    expect(await store.read('default')).toMatchObject({
      kind: 'personal',
      baseUrl: service.baseUrl,
      appUrl: service.appUrl,
      accessToken: service.accessToken,
      budget: japan,
    });
    expect(signedIn()).toBe(2);
  });

  test('needs no scripts, loads nothing, and is neither stored, framed nor named to others', async () => {
    const { visitor } = await start();
    const { headers, text } = await visitor.open();
    expect(text).not.toMatch(/<script|\bsrc=|<link/);
    expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*form-action 'self'/);
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('cache-control')).toBe('no-store');
    // With no-referrer, a browser would send no origin with the form.
    expect(headers.get('referrer-policy')).toBe('same-origin');
    expect(headers.get('set-cookie')).toMatch(/; HttpOnly; SameSite=Lax; Path=\/sign-in\/[\w-]{43}$/);
  });

  test.each<[string, Record<string, string>, RegExp]>([
    ['no token', { token: '' }, /The personal access token is missing\./],
    ['two words', { token: 'two words' }, /must be a single word/],
    ['a token that the service refuses', { token: 'wrong' }, /^The service does not accept this token\./],
    ['no client id', { way: 'browser' }, /The client id is missing\./],
  ])('explains %s, keeps the rest, and can be sent again', async (_, fields, problem) => {
    const { store, visitor, token } = await start();
    await visitor.open();
    const { status, text } = await visitor.send({ ...token, token: '', read_only: 'on', ...fields });
    expect(status).toBe(422);
    expect(/role="alert">([^<]*)/.exec(text)?.[1]).toMatch(problem);
    expect(text).toMatch(/name="read_only" checked/);
    for (const value of Object.values(fields))
      if (value) expect(text).not.toContain(`value="${value}" autocomplete`);
    expect(await store.read('default')).toBeUndefined();
    expect((await visitor.send(token)).status).toBe(200);
  });

  test('lets the person choose the service if the server is started for none', async () => {
    const { service, store, visitor, token } = await start({ service: undefined });
    expect((await visitor.open()).text).toContain('value="ynab"');
    expect((await visitor.send(token)).text).toContain('Choose the service');
    const other = { ...token, service: 'other', base_url: 'http://example.com/v1' };
    expect((await visitor.send(other)).text).toContain('must be https:// unless it is on this machine');
    const short = await visitor.send({ ...other, base_url: service.appUrl });
    expect(short.text).toContain('The address of the interface must end with /v1');
    const right = await visitor.send({ ...other, base_url: service.baseUrl });
    expect(right.text).toContain('You are signed in');
    expect(await store.read('default')).toMatchObject({ baseUrl: service.baseUrl });
  });

  test('goes through the service with an application, for reading only if the person wants that', async () => {
    const { service, store, visitor, application } = await start();
    await visitor.open();
    const { text } = await visitor.send({ ...application, read_only: 'on' });
    const url = (/<a href="([^"]+)"/.exec(text)?.[1] ?? '').replaceAll('&amp;', '&');
    expect(new URL(url).searchParams.get('scope')).toBe('read-only');
    expect(new URL(url).searchParams.get('redirect_uri')).toBe(`${visitor.origin}/callback`);
    const callback = `${visitor.origin}/callback`;
    expect((await fetch(`${callback}?code=foreign&state=foreign`)).status).toBe(400);
    expect(await (await fetch(`${callback}?${agree(service, url)}`)).text()).toContain('You are signed in');
    expect(await store.read('default')).toMatchObject({
      kind: 'authorization_code',
      scope: 'read-only',
      ...service.client,
    });
  });

  test('uses the secret of the earlier sign-in for the same application only', async () => {
    const first = await start();
    const { service, visitor, application } = first;
    await visitor.open();
    const { text } = await visitor.send(application);
    const url = (/<a href="([^"]+)"/.exec(text)?.[1] ?? '').replaceAll('&amp;', '&');
    const back = await fetch(`${visitor.origin}/callback?${agree(service, url)}`);
    await visitor.choose(await back.text());
    const again = new SignInVisitor(await first.pages.open());
    const form = await again.open();
    expect(form.text).toContain(`value="${service.client.clientId}"`);
    expect(form.text).not.toContain(service.client.clientSecret);
    const withoutSecret = { ...application, client_secret: '' };
    expect((await again.send({ ...withoutSecret, client_id: 'another' })).text).toContain(
      'The client secret is missing.',
    );
    expect((await again.send(withoutSecret)).status).toBe(200);
  });

  test('without a keychain asks before it stores a sign-in in a file', async () => {
    const { files, visitor, token } = await start({ store: noKeychain() });
    expect((await visitor.open()).text).toContain('Store the sign-in unencrypted in a file');
    const refused = await visitor.send(token);
    expect(refused.text).toContain('This computer has no keychain.');
    expect(await files.read('default')).toBeUndefined();
    expect((await visitor.send({ ...token, in_file: 'on' })).text).toContain('You are signed in');
    expect(await files.read('default')).toMatchObject({ kind: 'personal' });
  });

  test('with a keychain that is locked says so, and works once it is unlocked', async () => {
    const store = new MemoryTokenStore();
    const { read } = store;
    const lock = () => {
      store.read = () => Promise.reject(new BudgetError('keychain_locked', 'The keychain is locked.'));
    };
    const unlock = () => {
      store.read = read;
    };
    lock();
    const { visitor, token } = await start({ store });
    const { status, text } = await visitor.open();
    expect(status).toBe(503);
    expect(text).toContain('The keychain is locked.');
    expect(text).not.toContain('<form');
    unlock();
    expect((await visitor.open()).status).toBe(200);
    lock();
    expect((await visitor.send(token)).text).toContain('The keychain is locked.');
    unlock();
    expect((await visitor.send(token)).status).toBe(200);
  });

  test('is for the browser that has waited for the form, and not for one that has stopped waiting', async () => {
    const store = new MemoryTokenStore();
    const { read } = store;
    let asked = 0;
    let unlock = () => {};
    const unlocked = new Promise<void>((resolve) => {
      unlock = resolve;
    });
    store.read = async (profile) => {
      asked += 1;
      await unlocked;
      return read.call(store, profile);
    };
    const { visitor } = await start({ store });
    const stop = new AbortController();
    const stopped = fetch(visitor.url, { signal: stop.signal });
    await expect.poll(() => asked).toBe(1);
    stop.abort();
    await expect(stopped).rejects.toThrow('aborted');
    // By then, the listener has noticed that the first connection has ended.
    for (let request = 0; request < 3; request += 1) await fetch(visitor.origin);
    const opened = visitor.open();
    unlock();
    expect((await opened).status).toBe(200);
  });

  test('sends no token to a machine whose certificate is not checked', async () => {
    const { store, visitor, token } = await start({
      checksCertificates: false,
      service: { baseUrl: 'https://api.example.com/v1' },
    });
    await visitor.open();
    expect((await visitor.send(token)).text).toContain('NODE_TLS_REJECT_UNAUTHORIZED');
    expect(await store.read('default')).toBeUndefined();
  });
});

describe('the page for signing in lets no others in', () => {
  test('by another name of this machine, or by another path', async () => {
    const { visitor } = await start();
    const { port } = new URL(visitor.url);
    for (const host of ['example.com', `localhost:${port}`, `example.com:${port}`])
      expect(await visitor.statusAs(host), host).toBe(421);
    expect((await fetch(visitor.origin)).status).toBe(404);
    expect((await fetch(`${visitor.url}x`)).status).toBe(404);
    expect((await visitor.open()).status, 'and the page still works').toBe(200);
  });

  test.each(['https://example.com', 'null', 'http://127.0.0.1'])(
    'by a form of the origin %s',
    async (origin) => {
      const { store, visitor, token } = await start();
      await visitor.open();
      expect((await visitor.send(token, { origin })).status).toBe(403);
      expect(await store.read('default')).toBeUndefined();
      expect((await visitor.send(token)).status, 'and the page still works').toBe(200);
    },
  );

  test('by sending the form from another browser', async () => {
    const { store, visitor, token } = await start();
    await visitor.open();
    for (const cookie of ['', 'sign-in=AAAA'])
      expect((await visitor.send(token, { cookie })).status).toBe(403);
    expect(await store.read('default')).toBeUndefined();
  });

  test('by opening it in another browser: the page ends, and says so', async () => {
    const { store, pages, visitor, token } = await start();
    await visitor.open();
    expect((await visitor.open()).status, 'reloading is the same browser').toBe(200);
    const other = await new SignInVisitor(visitor.url).open();
    expect(other.status).toBe(410);
    expect(other.text).toContain('It was opened in two browsers');
    expect((await visitor.send(token)).status).toBe(410);
    expect(await store.read('default')).toBeUndefined();
    expect(await pages.open()).not.toBe(visitor.url);
  });

  test('by using it a second time', async () => {
    const { visitor, token, signedIn } = await start();
    await visitor.open();
    await visitor.send(token);
    for (const { status, text } of [await visitor.send(token), await visitor.open()]) {
      expect(status).toBe(410);
      expect(text).toContain('It works for one sign-in.');
    }
    expect(signedIn()).toBe(2);
  });

  test.each([
    ['', PAGE_MS],
    [', also if the machine slept', undefined],
  ])('after ten minutes%s', async (_, milliseconds) => {
    const { clock, store, visitor, token, pages } = await start();
    await visitor.open();
    if (milliseconds) clock.advance(milliseconds - 1);
    expect((await visitor.open()).status).toBe(200);
    if (milliseconds) clock.advance(1);
    else clock.setWallClock(clock.now() + PAGE_MS);
    // Its port may be closed already.
    const late = await visitor.send(token).catch(() => undefined);
    expect(late?.status ?? 410).toBe(410);
    expect(await store.read('default')).toBeUndefined();
    expect(await pages.open()).not.toBe(visitor.url);
  });
});

test('calls that lack a sign-in at the same time get the same page', async () => {
  const { pages, visitor } = await start();
  expect(await Promise.all([pages.open(), pages.open()])).toEqual([visitor.url, visitor.url]);
});
