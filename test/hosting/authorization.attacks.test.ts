/** The attacks of RFC 9700 and of the security guide of MCP, as far as they meet an authorization server. */
import { describe, expect, it } from 'vitest';
import { exchange } from '../raw-http.helper.ts';
import { bearer } from '../service/running-service.helper.ts';
import { isValid, startHosting } from './hosting.helper.ts';
import { OAuthClient, refusal, register, startWithClient, tokensOf } from './oauth-client.helper.ts';

describe('a stranger who fills the store', () => {
  it('cannot begin an authorization with parameters of any length', async () => {
    const { hosting, client } = await startWithClient();
    const browser = hosting.browser();
    expect((await browser.open(client.url({ state: 's'.repeat(4_000) }))).status).toBe(414);
    expect((await browser.open(client.url({ state: 's'.repeat(2_000) }))).status).toBe(200);
  });

  it('cannot register a client with a description of any length', async () => {
    const { hosting } = await startWithClient();
    const refused = await register(hosting, { client_name: 'n'.repeat(4_000) });
    expect(refused).toEqual(refusal('invalid_client_metadata', 413));
    expect((await register(hosting, { client_name: 'n'.repeat(50) })).status).toBe(201);
  });
});

describe('confused deputy: a client that the person did not allow', () => {
  it('gets no code, although the person has allowed another one in the same browser', async () => {
    const { hosting, client } = await startWithClient();
    const browser = hosting.browser();
    await client.authorize({}, {}, browser);
    const attacker = await OAuthClient.register(hosting, { redirect_uris: ['https://attacker.example/cb'] });
    const view = await browser.open(attacker.url());
    expect(view.status).toBe(200);
    expect(view.text).toContain('attacker.example');
    expect(browser.visited.filter((url) => url.startsWith('https://attacker.example'))).toEqual([]);
  });

  it('cannot get the grant of an earlier consent by another redirect URI of the same client', async () => {
    const hosting = await startHosting();
    const uris = ['https://good.example/cb', 'https://other.example/cb'];
    const client = await OAuthClient.register(hosting, { redirect_uris: uris });
    const browser = hosting.browser();
    await client.authorize({}, {}, browser);
    const view = await browser.open(client.url({ redirect_uri: uris[1] }));
    expect(view.text).toContain('other.example');
    expect(view.text).toContain('name="decision"');
  });
});

describe('token passthrough', () => {
  it('a token of the budgeting service is no token of this server', async () => {
    const { hosting } = await startWithClient();
    const { accessToken } = hosting.service;
    expect(await isValid(hosting, accessToken)).toBe(false);
    const response = await fetch(hosting.resource, { method: 'POST', headers: bearer(accessToken) });
    expect(response.status).toBe(401);
  });

  it('nothing that this server issued is sent to the budgeting service', async () => {
    const { hosting, client } = await startWithClient();
    const code = await client.code();
    const tokens = tokensOf(await client.exchange(code));
    const next = tokensOf(await client.refresh(tokens.refresh_token));
    await client.revoke(next.access_token);
    expect(hosting.sentUpstream.length).toBe(2);
    const sent = hosting.sentUpstream.join('\n');
    for (const secret of [
      code,
      tokens.access_token,
      tokens.refresh_token,
      next.access_token,
      next.refresh_token,
    ])
      expect(sent).not.toContain(secret);
  });
});

describe('audience confusion', () => {
  it.each(['https://other.example/mcp', 'http://127.0.0.1/', 'not a URI'])(
    'no code is issued for the resource %s',
    async (resource) => {
      const { client } = await startWithClient();
      expect((await client.refusal({ resource })).get('error')).toBe('invalid_target');
    },
  );

  it('no token is issued for another resource than the code', async () => {
    const { client } = await startWithClient();
    const code = await client.code();
    expect(await client.exchange(code, { resource: 'https://other.example/mcp' })).toEqual(
      refusal('invalid_target'),
    );
    const { refresh_token: token } = await client.tokens();
    expect(await client.refresh(token, { resource: 'https://other.example/mcp' })).toEqual(
      refusal('invalid_target'),
    );
  });

  it('no code is issued for two resources', async () => {
    const { hosting, client } = await startWithClient();
    const url = client.url();
    url.searchParams.append('resource', 'https://other.example/mcp');
    expect((await hosting.browser().open(url)).text).toContain('(invalid_target)');
  });

  it('a token is not valid for another server that has the same store and key', async () => {
    const { hosting, client } = await startWithClient();
    const { access_token: token } = await client.tokens();
    const other = await hosting.otherProcess({ resource: `${hosting.issuer}/other` });
    expect(await other.verify(token)).toBeUndefined();
    expect(await isValid(hosting, token)).toBe(true);
  });
});

describe('code injection', () => {
  it('a code is worth nothing without its verifier', async () => {
    const { hosting, client } = await startWithClient();
    const attacker = new OAuthClient(hosting, client.id);
    const code = await client.code();
    expect(await attacker.exchange(code)).toEqual(refusal('invalid_grant'));
    expect(await client.exchange(code, { code_verifier: undefined })).toEqual(refusal('invalid_grant'));
    expect((await client.exchange(code)).status).toBe(200);
  });

  it('a code is worth nothing for another client, or with another redirect URI', async () => {
    const { hosting, client } = await startWithClient();
    const code = await client.code();
    const other = await OAuthClient.register(hosting);
    expect(await other.exchange(code, { code_verifier: client.verifier })).toEqual(refusal('invalid_grant'));
    expect(await client.exchange(code, { redirect_uri: 'http://127.0.0.1:1/callback' })).toEqual(
      refusal('invalid_grant'),
    );
  });

  it('a second use of a code ends what the first one gave', async () => {
    const { hosting, client } = await startWithClient();
    const code = await client.code();
    const tokens = tokensOf(await client.exchange(code));
    expect(await client.exchange(code)).toEqual(refusal('invalid_grant'));
    expect(await isValid(hosting, tokens.access_token)).toBe(false);
    expect(await client.refresh(tokens.refresh_token)).toEqual(refusal('invalid_grant'));
  });

  it('of many uses of a code at the same time, none gives a token that is valid in the end', async () => {
    const { hosting, client } = await startWithClient();
    const code = await client.code();
    const answers = await Promise.all([1, 2, 3, 4].map(() => client.exchange(code)));
    const successes = answers.filter(({ status }) => status === 200).map(tokensOf);
    expect(successes.length).toBeLessThanOrEqual(1);
    for (const { access_token: token } of successes) expect(await isValid(hosting, token)).toBe(false);
  });

  it('a code ends after a minute', async () => {
    const { hosting, client } = await startWithClient();
    const code = await client.code();
    hosting.clock.advance(60_000);
    expect(await client.exchange(code)).toEqual(refusal('invalid_grant'));
  });
});

describe('PKCE downgrade', () => {
  it.each([
    ['no challenge', { code_challenge: undefined, code_challenge_method: undefined }],
    ['a plain challenge', { code_challenge_method: 'plain' }],
    ['a challenge without a method', { code_challenge_method: undefined }],
  ])('a request with %s is refused', async (_, parameters) => {
    const { client } = await startWithClient();
    expect((await client.refusal(parameters)).get('error')).toBe('invalid_request');
  });
});

describe('mix-up', () => {
  it('every answer to a client says who has issued it', async () => {
    const { hosting, client } = await startWithClient();
    for (const answer of [
      await client.authorize(),
      await client.authorize({}, { decision: 'deny' }),
      await client.refusal({ resource: 'https://other.example' }),
      await client.refusal({ prompt: 'none' }),
    ])
      expect(answer.get('iss')).toBe(hosting.issuer);
  });

  it('the addresses in the metadata do not depend on the headers of a request', async () => {
    const { hosting } = await startWithClient();
    const { body } = await exchange(
      Number(new URL(hosting.url).port),
      'GET /.well-known/oauth-authorization-server HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: evil.example\r\nX-Forwarded-Proto: https\r\n\r\n',
    );
    expect(body).toContain(`"token_endpoint":"${hosting.issuer}/oauth/token"`);
    expect(body).not.toContain('evil.example');
  });
});

describe('server-side request forgery by a metadata document', () => {
  it.each([
    'http://assistant.example/client.json',
    'https://user@assistant.example/client.json',
    'https://assistant.example/client.json#fragment',
    'https://assistant.example/a/../client.json',
    'file:///etc/passwd',
  ])('nothing is loaded for the client id %s', async (id) => {
    const loaded: string[] = [];
    const hosting = await startHosting({
      fetchDocument: async (url) => {
        loaded.push(url);
        return Response.json({});
      },
    });
    const client = new OAuthClient(hosting, id);
    expect((await hosting.browser().open(client.url())).status).toBe(400);
    expect(loaded).toEqual([]);
  });

  it.each([
    'https://127.0.0.1/client.json',
    'https://[::1]/client.json',
    'https://[::ffff:169.254.169.254]/client.json',
    'https://2130706433/client.json',
    'https://localhost/client.json',
  ])('the client id %s leads to an error page, and no connection', async (id) => {
    const { hosting } = await startWithClient();
    const view = await hosting.browser().open(new OAuthClient(hosting, id).url());
    expect(view.status).toBe(400);
    expect(view.text).toContain('invalid_client');
    expect(hosting.bugs).toEqual([]);
  });

  it.each([
    ['another client', { client_id: 'https://other.example/client.json' }],
    ['a secret', { client_secret: 'secret' }],
    ['a redirect URI that may not be registered', { redirect_uris: ['http://evil.example/cb'] }],
    ['no redirect URI', { redirect_uris: [] }],
    ['the wrong types', { redirect_uris: 'https://a.example', client_name: { a: 1 } }],
  ])('a document with %s is not accepted', async (_, fields) => {
    const id = 'https://assistant.example/client.json';
    const document = { client_id: id, redirect_uris: ['http://127.0.0.1/callback'], ...fields };
    const hosting = await startHosting({ fetchDocument: async () => Response.json(document) });
    const view = await hosting.browser().open(new OAuthClient(hosting, id).url());
    expect(view.status).toBe(400);
    expect(view.text).not.toContain('name="decision"');
  });
});

describe('an access token', () => {
  it('is not accepted as a refresh token or as a code, nor the other way round', async () => {
    const { hosting, client } = await startWithClient();
    const code = await client.code();
    const tokens = tokensOf(await client.exchange(code));
    expect(await client.refresh(tokens.access_token)).toEqual(refusal('invalid_grant'));
    expect(await client.exchange(tokens.access_token)).toEqual(refusal('invalid_grant'));
    expect(await isValid(hosting, tokens.refresh_token)).toBe(false);
    expect(await isValid(hosting, code)).toBe(false);
  });
});

describe('a stolen store', () => {
  it('contains no token, code, secret or verifier, and nothing that the person is known by', async () => {
    const { hosting, client } = await startWithClient();
    const code = await client.code();
    const first = tokensOf(await client.exchange(code));
    const second = tokensOf(await client.refresh(first.refresh_token));
    const browser = hosting.browser();
    const signIn = await browser.submit(await browser.open(client.url()), { decision: 'allow' });
    const { grantId = '', grantKey = new Uint8Array() } =
      (await hosting.authorization.verify(second.access_token)) ?? {};
    const upstream = await hosting.authorization.grants.tokenStore(grantId, grantKey).read('any');
    if (upstream?.kind !== 'authorization_code') throw new Error('There is no sign-in.');
    const { memory } = hosting;
    const bytes = JSON.stringify([[...memory.records], [...memory.logs]]);
    const secrets = [
      code,
      ...[first, second].flatMap((tokens) => [tokens.access_token, tokens.refresh_token]),
      upstream.accessToken,
      upstream.refreshToken,
      upstream.clientSecret,
      Buffer.from(grantKey).toString('base64'),
      Buffer.from(grantKey).toString('base64url'),
      Buffer.from(hosting.serverKey).toString('base64'),
      ...browser.cookies.filter(({ host }) => host === '127.0.0.1').map(({ value }) => value),
      signIn.url.searchParams.get('state') ?? '',
      hosting.service.user.id,
      hosting.service.signIn.email,
    ];
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThan(10);
      expect(bytes).not.toContain(secret);
    }
  });
});

describe('a server with a public address', () => {
  it('gives cookies only to its own pages and only over encrypted connections', async () => {
    const issuer = 'https://budget.example';
    const { hosting, client } = await startWithClient({ issuer });
    const url = client.url();
    const response = await fetch(hosting.url + url.pathname + url.search, { redirect: 'manual' });
    const location = new URL(response.headers.get('location') ?? '', issuer);
    expect(location.href).toMatch(/^https:\/\/budget\.example\/interaction\/[\w-]+$/);
    const cookies = response.headers.getSetCookie();
    expect(cookies.length).toBe(2);
    for (const cookie of cookies)
      expect(cookie).toMatch(/^__Secure-budget-mcp-(request|resume)=.*; secure; httponly/i);

    const path = hosting.url + location.pathname;
    const headers = { cookie: cookies.map((cookie) => cookie.split(';')[0]).join('; ') };
    const csrf = /name="csrf" value="([^"]*)"/.exec(await (await fetch(path, { headers })).text())?.[1] ?? '';
    const body = new URLSearchParams({ csrf, decision: 'allow' });
    const next = await fetch(path, { method: 'POST', headers, body, redirect: 'manual' });
    expect(next.headers.get('location')).toContain(encodeURIComponent(`${issuer}/oauth/callback`));
    expect(next.headers.get('set-cookie')).toMatch(
      /^__Host-budget-mcp-sign-in-[\w-]{16}=[\w-]{43}; Max-Age=900; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
  });
});
