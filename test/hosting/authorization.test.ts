import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { decide, type Hosting, isValid, startHosting } from './hosting.helper.ts';
import { OAuthClient, refusal, register, startWithClient, tokensOf } from './oauth-client.helper.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const scopesOf = async (hosting: Hosting, token: string) => [
  ...((await hosting.authorization.verify(token))?.scopes ?? []),
];

const start = () => startWithClient({}, { client_name: 'My assistant' });

describe('a client that a person allows', () => {
  it('gets tokens that are valid for this server', async () => {
    const { hosting, client } = await start();
    const tokens = await client.tokens();
    expect(tokens).toMatchObject({ expires_in: 3_600, scope: 'budget:read budget:write' });
    expect(await hosting.authorization.verify(tokens.access_token)).toEqual({
      grantId: expect.stringMatching(/^[\w-]{22}$/),
      personId: expect.stringMatching(/^[\w-]{43}$/),
      clientId: client.id,
      clientName: 'My assistant',
      scopes: new Set(['budget:read', 'budget:write']),
      grantKey: expect.any(Uint8Array),
    });
    expect(hosting.bugs).toEqual([]);
  });

  it('may use the tokens of the budgeting service only with the key in its own token', async () => {
    const { hosting, client } = await start();
    const { access_token: token } = await client.tokens();
    const verified = await hosting.authorization.verify(token);
    if (!verified) throw new Error('The token is not valid.');
    const { grantId, grantKey } = verified;
    const signIn = await hosting.authorization.grants.tokenStore(grantId, grantKey).read('any');
    expect(signIn).toMatchObject({
      kind: 'authorization_code',
      scope: 'full',
      baseUrl: hosting.service.baseUrl,
    });
    const authorization = `Bearer ${signIn?.accessToken}`;
    expect((await fetch(`${hosting.service.baseUrl}/user`, { headers: { authorization } })).status).toBe(200);
    const otherKey = new Uint8Array(32);
    await expect(hosting.authorization.grants.tokenStore(grantId, otherKey).read('any')).rejects.toThrow();
  });

  it('may only read if the person allows only that, here and at the budgeting service', async () => {
    const { hosting, client } = await start();
    const tokens = await client.tokens({}, { decision: 'allow-reading' });
    expect(tokens.scope).toBe('budget:read');
    const verified = await hosting.authorization.verify(tokens.access_token);
    expect(verified?.scopes).toEqual(new Set(['budget:read']));
    const { grantId = '', grantKey = new Uint8Array() } = verified ?? {};
    const signIn = await hosting.authorization.grants.tokenStore(grantId, grantKey).read('any');
    expect(signIn).toMatchObject({ scope: 'read-only' });
    const response = await fetch(`${hosting.service.baseUrl}/budgets/last-used/accounts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${signIn?.accessToken}` },
    });
    expect(response.status).toBe(403);
  });

  it('may only read if it asked for no more, whatever its form says', async () => {
    const { hosting, client } = await start();
    const tokens = await client.tokens({ scope: 'budget:read' }, { decision: 'allow' });
    expect(await scopesOf(hosting, tokens.access_token)).toEqual(['budget:read']);
  });

  it.each([
    ['no scope', undefined, 'budget:read budget:write'],
    ['writing only', 'budget:write', 'budget:read budget:write'],
    ['a scope that is not known', 'email', 'budget:read budget:write'],
    ['more than there is', 'openid offline_access budget:read', 'budget:read'],
  ])('and asks for %s gets what fits', async (_, scope, granted) => {
    const { client } = await start();
    expect((await client.tokens({ scope })).scope).toBe(granted);
  });

  it('needs to name no resource, as clients of the older era', async () => {
    const { hosting, client } = await start();
    const code = await client.code({ resource: undefined });
    const tokens = tokensOf(await client.exchange(code, { resource: undefined }));
    expect(await isValid(hosting, tokens.access_token)).toBe(true);
    expect(await isValid(hosting, tokensOf(await client.refresh(tokens.refresh_token)).access_token)).toBe(
      true,
    );
  });

  it('gets its own state and the issuer with the code', async () => {
    const { hosting, client } = await start();
    const answer = await client.authorize();
    expect(answer.get('state')).toBe('state-of-client');
    expect(answer.get('iss')).toBe(hosting.issuer);
  });
});

describe('a person', () => {
  it('who denies the request sends the client an error and no code', async () => {
    const { hosting, client } = await start();
    const answer = await client.authorize({}, { decision: 'deny' });
    expect(Object.fromEntries(answer)).toEqual({
      error: 'access_denied',
      error_description: 'The person did not allow it.',
      state: 'state-of-client',
      iss: hosting.issuer,
    });
  });

  it('who denies it at the budgeting service sends the client an error, too', async () => {
    const { client } = await start();
    const answer = await client.authorize({}, { upstream: 'deny' });
    expect(answer.get('error')).toBe('access_denied');
    expect(answer.has('code')).toBe(false);
  });

  it('is asked again for each request of the same client in the same browser', async () => {
    const { hosting, client } = await start();
    const browser = hosting.browser();
    await client.authorize({}, {}, browser);
    const again = await browser.open(client.url());
    expect(again.status).toBe(200);
    expect(again.text).toContain('name="decision"');
  });

  it('may decide on two requests in one browser at the same time', async () => {
    const { hosting, client } = await start();
    const browser = hosting.browser();
    const other = await OAuthClient.register(hosting, { client_name: 'Other' });
    const first = await browser.open(client.url());
    const second = await browser.open(other.url());
    for (const [view, each] of [
      [first, client],
      [second, other],
    ] as const) {
      let page = await browser.submit(view, { decision: 'allow' });
      if (page.text.includes('name="password"'))
        page = await browser.submit(page, { intent: 'sign-in', ...hosting.service.signIn });
      page = await browser.submit(page, { intent: 'allow' });
      const { access_token: token } = tokensOf(await each.exchange(page.url.searchParams.get('code') ?? ''));
      expect(await hosting.authorization.verify(token)).toMatchObject({ clientId: each.id });
    }
  });

  it('is the same person with every client, and another one than the others', async () => {
    const { hosting, client } = await start();
    const other = await OAuthClient.register(hosting);
    const person = hosting.addPerson('anna@example.com');
    const [one, two, three] = [
      await client.tokens(),
      await other.tokens(),
      await client.tokens({}, { person }),
    ].map(({ access_token: token }) => hosting.authorization.verify(token));
    expect((await one)?.personId).toBe((await two)?.personId);
    expect((await one)?.personId).not.toBe((await three)?.personId);
    const grants = await hosting.authorization.grants.ofPerson((await one)?.personId ?? '');
    expect(grants.map(({ clientId }) => clientId).toSorted()).toEqual([client.id, other.id].toSorted());
    expect(grants[0]).toMatchObject({ redirectHost: 'this computer (127.0.0.1)' });
  });

  it('who waits for more than 15 minutes has to start again', async () => {
    const { hosting, client } = await start();
    const browser = hosting.browser();
    const consent = await browser.open(client.url());
    hosting.clock.advance(16 * 60_000);
    const view = await browser.submit(consent, { decision: 'allow' });
    expect(view.status).toBe(400);
    expect(view.text).toContain('expired');
  });

  it('sees why nothing was allowed if the budgeting service fails, and may try again', async () => {
    const { hosting, client } = await start();
    const browser = hosting.browser();
    const consent = await browser.open(client.url());
    const signIn = await browser.submit(consent, { decision: 'allow' });
    const allow = await browser.submit(signIn, { intent: 'sign-in', ...hosting.service.signIn });
    hosting.service.maintenance = true;
    const failed = await browser.submit(allow, { intent: 'allow' });
    expect(failed.status).not.toBe(0);
    hosting.service.maintenance = false;
    const next = await browser.submit(consent, { decision: 'allow' });
    const answer = await browser.submit(next, { intent: 'allow' });
    expect(answer.url.searchParams.get('code')).toMatch(/^[\w-]{43}$/);
  });
});

describe('a token', () => {
  it('ends after an hour, and its refresh token gives another one', async () => {
    const { hosting, client } = await start();
    const tokens = await client.tokens();
    hosting.clock.advance(HOUR - 1);
    expect(await isValid(hosting, tokens.access_token)).toBe(true);
    hosting.clock.advance(1);
    expect(await isValid(hosting, tokens.access_token)).toBe(false);
    const next = tokensOf(await client.refresh(tokens.refresh_token));
    expect(await scopesOf(hosting, next.access_token)).toEqual(['budget:read', 'budget:write']);
    expect(next.refresh_token).not.toBe(tokens.refresh_token);
  });

  it('can be refreshed with fewer scopes, but not with more', async () => {
    const { hosting, client } = await start();
    const { refresh_token: both } = await client.tokens();
    const less = tokensOf(await client.refresh(both, { scope: 'budget:read' }));
    expect(await scopesOf(hosting, less.access_token)).toEqual(['budget:read']);
    const { refresh_token: reading } = await client.tokens({}, { decision: 'allow-reading' });
    const more = await client.refresh(reading, { scope: 'budget:read budget:write' });
    expect(more).toMatchObject({ status: 400, body: { error: 'invalid_scope' } });
  });

  it('can be refreshed for 60 days after the last refresh', async () => {
    const { hosting, client } = await start();
    let { refresh_token: token } = await client.tokens();
    for (let count = 0; count < 3; count++) {
      hosting.clock.advance(60 * DAY - 1_000);
      token = tokensOf(await client.refresh(token)).refresh_token;
    }
    hosting.clock.advance(60 * DAY);
    expect(await client.refresh(token)).toMatchObject({ status: 401 });
  });

  it('is revoked by its client together with the grant', async () => {
    const { hosting, client } = await start();
    const tokens = await client.tokens();
    const ended: string[] = [];
    hosting.authorization.grants.onEnded((grantId) => ended.push(grantId));
    const { grantId } = (await hosting.authorization.verify(tokens.access_token)) ?? {};
    expect(await client.revoke(tokens.refresh_token)).toMatchObject({ status: 200 });
    expect(await isValid(hosting, tokens.access_token)).toBe(false);
    expect(await client.refresh(tokens.refresh_token)).toEqual(refusal('invalid_grant'));
    expect(ended).toEqual([grantId]);
    expect(hosting.bugs).toEqual([]);
  });

  it('is valid in every process that has the store, and ended in all of them', async () => {
    const { hosting, client } = await start();
    const other = await hosting.otherProcess();
    const ended: string[] = [];
    other.grants.onEnded((grantId) => ended.push(grantId));
    const tokens = await client.tokens();
    const verified = await other.verify(tokens.access_token);
    await hosting.authorization.grants.end(verified?.grantId ?? '');
    expect(await other.verify(tokens.access_token)).toBeUndefined();
    hosting.clock.advance(1_000);
    await expect.poll(() => ended).toEqual([verified?.grantId]);
  });

  it('that is unknown, empty or no token at all is not valid', async () => {
    const { hosting } = await start();
    for (const text of ['', 'x'.repeat(43), '../../x', 'Bearer x', 'a'.repeat(100_000)])
      expect(await isValid(hosting, text)).toBe(false);
  });
});

describe('a grant that has ended', () => {
  it('leaves nothing that opens a token of the budgeting service', async () => {
    const { hosting, client } = await start();
    const tokens = await client.tokens();
    const {
      grantId = '',
      grantKey = new Uint8Array(),
      personId = '',
    } = (await hosting.authorization.verify(tokens.access_token)) ?? {};
    const { grants } = hosting.authorization;
    const store = grants.tokenStore(grantId, grantKey);
    const signIn = await store.read('any');
    await hosting.authorization.grants.end(grantId);
    expect(await store.read('any')).toBeUndefined();
    expect(await grants.ofPerson(personId)).toEqual([]);
    if (!signIn) throw new Error('There was no sign-in.');
    expect(await store.write('any', signIn)).toBe(false);
    expect(await store.read('any')).toBeUndefined();
  });
});

describe('what has ended', () => {
  it('is removed from the store, even if nothing reads it any more', async () => {
    const { hosting, client } = await start();
    await client.tokens();
    await decide(hosting, client.url(), { upstream: 'deny' });
    await hosting.browser().open(client.url());
    expect(hosting.memory.records.size).toBeGreaterThan(5);
    hosting.clock.advance(61 * DAY);
    await expect.poll(() => [...hosting.memory.records.keys()]).toEqual(['swept-hour']);
    const left = [...hosting.memory.logs.keys()].filter((name) => name !== 'ended-grants');
    expect(left).toEqual([]);
  });

  it('is told to a process that starts later, if none was running at its end', async () => {
    const { hosting, client } = await start();
    const { access_token: token } = await client.tokens();
    const verified = await hosting.authorization.verify(token);
    await hosting.authorization.close();
    hosting.clock.advance(61 * DAY);
    const ended: string[] = [];
    await hosting.otherProcess({}, (grantId) => ended.push(grantId));
    expect(ended).toEqual([verified?.grantId]);
  });

  it('is kept while it is in use, such as a registered client', async () => {
    const { hosting, client } = await start();
    const unused = await OAuthClient.register(hosting);
    const { refresh_token: token } = await client.tokens();
    hosting.clock.advance(30 * DAY);
    const { refresh_token: next } = tokensOf(await client.refresh(token));
    hosting.clock.advance(59 * DAY);
    expect(tokensOf(await client.refresh(next)).token_type).toBe('Bearer');
    const view = await hosting.browser().open(unused.url());
    expect(view.status).toBe(400);
  });
});

describe('the metadata', () => {
  const get = async (hosting: Hosting, path: string, init?: RequestInit) => {
    const response = await fetch(hosting.issuer + path, init);
    return {
      headers: response.headers,
      body: z.record(z.string(), z.unknown()).parse(await response.json()),
    };
  };

  it.each(['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp'])(
    'of the protected resource are at %s, also for a page in a browser',
    async (path) => {
      const hosting = await startHosting();
      const { headers, body } = await get(hosting, path);
      expect(body).toMatchObject({
        resource: hosting.resource,
        authorization_servers: [hosting.issuer],
        scopes_supported: ['budget:read', 'budget:write'],
        bearer_methods_supported: ['header'],
      });
      expect(headers.get('access-control-allow-origin')).toBe('*');
      const preflight = await fetch(hosting.issuer + path, {
        method: 'OPTIONS',
        headers: {
          origin: 'https://inspector.example',
          'access-control-request-method': 'GET',
          'access-control-request-headers': 'mcp-protocol-version',
        },
      });
      expect(preflight.headers.get('access-control-allow-headers')).toBe('mcp-protocol-version');
    },
  );

  it.each(['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'])(
    'of the authorization server are at %s',
    async (path) => {
      const hosting = await startHosting();
      const { issuer } = hosting;
      expect((await get(hosting, path)).body).toMatchObject({
        issuer,
        authorization_endpoint: `${issuer}/oauth/authorize`,
        token_endpoint: `${issuer}/oauth/token`,
        registration_endpoint: `${issuer}/oauth/register`,
        revocation_endpoint: `${issuer}/oauth/revoke`,
        code_challenge_methods_supported: ['S256'],
        grant_types_supported: ['authorization_code', 'refresh_token'],
        response_types_supported: ['code'],
        scopes_supported: ['budget:read', 'budget:write'],
        token_endpoint_auth_methods_supported: ['none'],
        authorization_response_iss_parameter_supported: true,
        client_id_metadata_document_supported: true,
      });
    },
  );

  it('name no registration if it is switched off, and nothing can be registered', async () => {
    const hosting = await startHosting({ dynamicRegistration: false });
    const { body } = await get(hosting, '/.well-known/oauth-authorization-server');
    expect(body).not.toHaveProperty('registration_endpoint');
    const response = await fetch(`${hosting.issuer}/oauth/register`, { method: 'POST', body: '{}' });
    expect(response.status).toBe(404);
  });
});

describe('a page of a client in a browser', () => {
  it('may register and get tokens if its redirect URI has the same origin, and no other page', async () => {
    const hosting = await startHosting();
    const origin = 'http://localhost:6274';
    const client = await OAuthClient.register(hosting, { redirect_uris: [`${origin}/oauth/callback`] });
    const allowed = async (path: string, from: string) => {
      const body = path === '/oauth/register' ? '{}' : new URLSearchParams({ client_id: client.id });
      const headers = {
        origin: from,
        ...(typeof body === 'string' && { 'content-type': 'application/json' }),
      };
      const response = await fetch(hosting.issuer + path, { method: 'POST', headers, body });
      return response.headers.get('access-control-allow-origin');
    };
    expect(await allowed('/oauth/register', origin)).toBe('*');
    expect(await allowed('/oauth/token', origin)).toBe(origin);
    expect(await allowed('/oauth/token', 'https://evil.example')).toBe(null);
  });
});

describe('a registration', () => {
  it('gives a public native client, whatever it asked for', async () => {
    const hosting = await startHosting();
    const { status, body } = await register(hosting, {
      token_endpoint_auth_method: 'client_secret_post',
      application_type: 'web',
      grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
      scope: 'openid email',
      jwks_uri: 'https://127.0.0.1/keys',
      sector_identifier_uri: 'https://127.0.0.1/sector',
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      token_endpoint_auth_method: 'none',
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      client_name: 'Test client',
    });
    for (const field of ['client_secret', 'jwks_uri', 'sector_identifier_uri', 'scope'])
      expect(body).not.toHaveProperty(field);
  });
});
