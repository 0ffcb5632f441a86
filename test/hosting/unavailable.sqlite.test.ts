import { renameSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { getRequestListener } from '@hono/node-server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHostedEntry } from '../../src/hosting/hosted-entry.ts';
import { OpenGrants } from '../../src/hosting/open-grants.ts';
import { createHttpApp } from '../../src/transports/http/app.ts';
import { listenLocally } from '../local-server.helper.ts';
import { openStore, sqlite, temporaryDirectory } from '../store/sqlite.helper.ts';
import { startHosting } from './hosting.helper.ts';
import { OAuthClient, tokensOf } from './oauth-client.helper.ts';

/** A server with a store in a file, which can be taken away. Its endpoint answers with the id of the grant. */
async function start() {
  const path = join(temporaryDirectory(), 'state.db');
  const hosting = await startHosting({ openStore: (clock) => openStore(path, clock) });
  const { authorization, clock, bugs } = hosting;
  const grants = new OpenGrants<{ readonly grantId: string }>({
    clock,
    onBug: () => expect.unreachable(),
    maxBytes: 1,
    open: async ({ grantId }) => ({
      endpoint: {
        answer: async () => new Response(grantId),
        endSessionsOf: () => {},
        finish: () => {},
        close: async () => {},
      },
      cachedBytes: 0,
      freeMemory: () => {},
      runWatches: async () => 0,
      close: async () => {},
    }),
  });
  onTestFinished(() => grants.closeAll());
  const onBug = (error: Error) => bugs.push(error);
  const entry = createHostedEntry({
    access: { hosts: undefined, origins: new Set() },
    authorization,
    clock,
    grants,
    isWrite: () => false,
    isReady: async () => true,
    onBug,
  });
  const { fetch: answer } = createHttpApp({ entry, clock, onBug });
  const { url } = await listenLocally(createServer(getRequestListener(answer)));
  const call = async (token: string) => {
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const move = (from: string, to: string) => {
    renameSync(from, to);
    // The file is looked at once a second.
    clock.advance(1_000);
  };
  return {
    ...hosting,
    call,
    client: await OAuthClient.register(hosting),
    takeAway: () => move(path, `${path}.away`),
    giveBack: () => move(`${path}.away`, path),
  };
}

describe.skipIf(!sqlite)('while the store of a hosted server cannot be used', () => {
  it('a caller gets 503 and keeps the access, which works again afterwards', async () => {
    const { client, call, takeAway, giveBack, bugs, authorization } = await start();
    const tokens = await client.tokens();
    const before = await call(tokens.access_token);
    expect(before).toMatchObject({ status: 200 });
    takeAway();
    const { status, headers, text } = await call(tokens.access_token);
    expect([status, headers.get('retry-after'), headers.get('www-authenticate')]).toEqual([503, '60', null]);
    expect(text).toContain('cannot use its storage now. Try again in a minute.');
    expect(await client.refresh(tokens.refresh_token)).toMatchObject({
      status: 503,
      body: { error: 'temporarily_unavailable' },
    });
    expect(bugs.length).toBeGreaterThan(0);
    giveBack();
    expect((await call(tokens.access_token)).text).toBe(before.text);
    const renewed = tokensOf(await client.refresh(tokens.refresh_token));
    expect((await call(renewed.access_token)).text).toBe(before.text);
    expect(await authorization.verify(renewed.access_token)).toBeDefined();
  });

  it('an application that asks for tokens learns when to try again', async () => {
    const { client, takeAway } = await start();
    const { refresh_token } = await client.tokens();
    takeAway();
    const { status, headers } = await fetch(new URL('/oauth/token', client.hosting.url), {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token, client_id: client.id }),
    });
    expect([status, headers.get('retry-after')]).toEqual([503, '60']);
  });

  it('a person who is asked or signs in gets a page with 503', async () => {
    const hosting = await start();
    const browser = hosting.browser();
    const url = hosting.client.url();
    const consent = await browser.open(url);
    expect(consent.text).toContain('name="decision"');
    hosting.takeAway();
    for (const view of [await browser.open(url), await browser.submit(consent, { decision: 'allow' })]) {
      expect([view.status, view.headers.get('retry-after')]).toEqual([503, '60']);
      expect(view.text).toContain('cannot use its storage now. Try again in a minute.');
    }
  });

  it('the tokens of a grant are reported as unavailable to a tool, and not as missing', async () => {
    const { client, authorization, takeAway, giveBack } = await start();
    const tokens = await client.tokens();
    const verified = await authorization.verify(tokens.access_token);
    if (!verified) return expect.unreachable();
    const store = authorization.grants.tokenStore(verified.grantId, verified.grantKey);
    const signIn = (await store.read('any')) ?? expect.unreachable();
    takeAway();
    for (const work of [store.read('any'), store.write('any', signIn), store.remove('any')])
      await expect(work).rejects.toMatchObject({ code: 'storage_unavailable', outcomeUncertain: false });
    giveBack();
    expect(await store.read('any')).toEqual(signIn);
  });
});
