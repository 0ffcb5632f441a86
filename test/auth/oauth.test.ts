import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Application, OAuth } from '../../src/auth/oauth.ts';
import type { RefreshableSignIn } from '../../src/auth/stored-tokens.ts';
import { BudgetError } from '../../src/base/errors.ts';
import { HttpSender } from '../../src/session/http/http-sender.ts';
import { serveHttp, unusedUrl } from '../local-server.helper.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { bearer, type RunningService, startTestService } from '../service/running-service.helper.ts';
import { agree } from './signed-in.helper.ts';

const redirectUri = 'http://127.0.0.1:4711/callback';
const twoHours = 2 * 3_600_000;

function oauthClient(clock: ManualClock): OAuth {
  const sender = new HttpSender({ clock });
  onTestFinished(() => sender.close());
  return new OAuth({ clock, send: (request, signal) => sender.send(request, signal) });
}

type CodeApplication = Extract<Application, { kind: 'authorization_code' }>;

async function running(scope: 'full' | 'read-only' = 'full') {
  const service = await startTestService();
  onTestFinished(() => service.close());
  const application: CodeApplication = {
    kind: 'authorization_code',
    appUrl: service.appUrl,
    scope,
    ...service.client,
  };
  return { service, application, oauth: oauthClient(service.clock) };
}

async function signedIn() {
  const { service, application, oauth } = await running();
  const { url, granted } = await oauth.authorization(application, redirectUri);
  const signIn: RefreshableSignIn = {
    id: '1',
    baseUrl: service.baseUrl,
    refreshToken: '',
    ...application,
    ...(await granted(agree(service, url))),
    kind: 'authorization_code',
  };
  return { service, oauth, signIn };
}

const statusWith = async (service: RunningService, token: string) =>
  (await fetch(`${service.baseUrl}/user`, { headers: bearer(token) })).status;

describe('the authorization request', () => {
  test('the authorization request asks for a code, with a state and a challenge', async () => {
    const { application, oauth, service } = await running();
    const { url, state } = await oauth.authorization(application, redirectUri);
    const { origin, pathname, searchParams } = new URL(url);
    expect(origin + pathname).toBe(`${service.appUrl}/oauth/authorize`);
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: application.clientId,
      redirect_uri: redirectUri,
      response_type: 'code',
      state,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    expect(url).not.toContain(application.clientSecret);
  });

  test('each authorization request has another state and challenge', async () => {
    const { application, oauth } = await running();
    const [one, other] = [
      await oauth.authorization(application, redirectUri),
      await oauth.authorization(application, redirectUri),
    ];
    expect(one.state).not.toBe(other.state);
    expect(one.state.length).toBeGreaterThan(40);
  });

  test('the authorization request asks for the scope read-only, and for a token by the implicit grant', async () => {
    const { service, oauth } = await running();
    const { appUrl } = service;
    const { clientId } = service.client;
    const { url } = await oauth.authorization(
      { kind: 'implicit', appUrl, clientId, scope: 'read-only' },
      redirectUri,
    );
    expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
      client_id: clientId,
      redirect_uri: redirectUri,
      response_type: 'token',
      scope: 'read-only',
      state: expect.any(String),
    });
  });
});

describe('a callback', () => {
  test('a callback with a code gives a pair of tokens that is valid for two hours', async () => {
    const { service, signIn } = await signedIn();
    expect(await statusWith(service, signIn.accessToken)).toBe(200);
    expect(signIn.expiresAt).toBe(service.clock.now() + twoHours);
    expect(signIn.grantedAt).toBe(service.clock.now());
    expect(signIn.refreshToken).not.toBe('');
    service.clock.advance(twoHours);
    expect(await statusWith(service, signIn.accessToken)).toBe(401);
  });

  test('a callback with a code of another request gives no tokens, because the verifier differs', async () => {
    const { service, application, oauth } = await running();
    const stolen = await oauth.authorization(application, redirectUri);
    const { state, granted } = await oauth.authorization(application, redirectUri);
    const callback = agree(service, stolen.url);
    callback.set('state', state);
    await expect(granted(callback)).rejects.toMatchObject({ code: 'sign_in_failed' });
  });

  test('a callback with a used code gives an error that says so', async () => {
    const { service, application, oauth } = await running();
    const { url, granted } = await oauth.authorization(application, redirectUri);
    const callback = agree(service, url);
    await granted(callback);
    await expect(granted(callback)).rejects.toMatchObject({
      code: 'sign_in_failed',
      message:
        'The service refused the sign-in: the code was already used, is too old, or is for another redirect URI (invalid_grant).',
    });
  });

  test('an application with the wrong secret gives an error that says so', async () => {
    const { service, application, oauth } = await running();
    const mistaken = { ...application, clientSecret: 'mistaken' };
    const { url, granted } = await oauth.authorization(mistaken, redirectUri);
    await expect(granted(agree(service, url))).rejects.toThrow('the client secret is wrong (invalid_client)');
  });

  test.each([
    [{ error: 'access_denied' }, 'sign_in_declined', 'Access was declined in the browser.'],
    [
      { error: 'invalid_scope' },
      'sign_in_failed',
      'The service refused the sign-in: it does not know the scope',
    ],
    [{ error: 'made_up' }, 'sign_in_failed', 'The service refused the sign-in.'],
    [
      { error: 'temporarily_unavailable' },
      'service_unavailable',
      'The service answered temporarily_unavailable.',
    ],
    [{}, 'sign_in_failed', 'The service sent back no code.'],
    [{ code: 'c1', state: 'foreign' }, 'sign_in_failed', 'The callback does not answer this sign-in.'],
  ])('a callback with %j gives the error %s', async (parameters, code, message) => {
    const { application, oauth } = await running();
    const { state, granted } = await oauth.authorization(application, redirectUri);
    const failed = granted(new URLSearchParams({ state, ...parameters }));
    await expect(failed).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
  });

  test.each(['code', 'state', 'iss', 'error', 'made_up'])(
    'a callback with the parameter %s twice is refused before anything is sent',
    async (name) => {
      const { service, application, oauth } = await running();
      const { url, granted } = await oauth.authorization(application, redirectUri);
      const callback = agree(service, url);
      const spoilt = new URLSearchParams(callback);
      for (const value of ['SECRET-1', 'SECRET-2']) spoilt.append(name, value);
      const error = await granted(spoilt).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(BudgetError);
      expect(error).toMatchObject({
        code: 'sign_in_failed',
        message: 'The callback has a parameter more than once.',
      });
      // The code is still valid, so it was not used.
      expect(await granted(callback)).toMatchObject({ kind: 'authorization_code' });
    },
  );

  test('a callback with a token gives a sign-in by the implicit grant', async () => {
    const { service, oauth } = await running();
    const { appUrl, client, clock } = service;
    const application = { kind: 'implicit', appUrl, clientId: client.clientId, scope: 'full' } as const;
    const { state, granted } = await oauth.authorization(application, redirectUri);
    const callback = { access_token: 't1', token_type: 'bearer', expires_in: '60', state };
    expect(await granted(new URLSearchParams(callback))).toEqual({
      ...application,
      accessToken: 't1',
      grantedAt: clock.now(),
      expiresAt: clock.now() + 60_000,
    });
    for (const broken of [{ access_token: '' }, { access_token: 'two words' }, { expires_in: 'soon' }])
      await expect(granted(new URLSearchParams({ ...callback, ...broken }))).rejects.toMatchObject({
        code: 'sign_in_failed',
      });
  });
});

describe('a refresh', () => {
  test('a refresh gives a new pair, and the old refresh token ends when the new access token is used', async () => {
    const { service, oauth, signIn } = await signedIn();
    service.clock.advance(3_600_000);
    const pair = await oauth.refresh(signIn);
    expect(pair).toMatchObject({ grantedAt: service.clock.now(), expiresAt: service.clock.now() + twoHours });
    expect(pair.refreshToken).not.toBe(signIn.refreshToken);
    expect(await statusWith(service, pair.accessToken)).toBe(200);
    await expect(oauth.refresh(signIn)).rejects.toMatchObject({
      code: 'sign_in_ended',
      message: 'The sign-in has ended: the refresh token was revoked or used (invalid_grant).',
    });
  });

  test('a refresh of an application with a changed secret says that the sign-in has ended', async () => {
    const { oauth, signIn } = await signedIn();
    const refreshed = oauth.refresh({ ...signIn, clientSecret: 'former' });
    await expect(refreshed).rejects.toMatchObject({ code: 'sign_in_ended' });
  });

  test('a refresh can be cancelled', async () => {
    const { oauth, signIn } = await signedIn();
    await expect(oauth.refresh(signIn, AbortSignal.abort())).rejects.toMatchObject({ code: 'cancelled' });
  });
});

describe('a token endpoint', () => {
  /** Gives every token request the same response. The body repeats what was sent, as some servers do. */
  async function answering(status: number, headers: Record<string, string>, body: object | string) {
    const requests: { url: string | undefined; body: string }[] = [];
    const { url } = await serveHttp(async (request, response) => {
      const sent = (await request.setEncoding('utf8').toArray()).join('');
      requests.push({ url: request.url, body: sent });
      const text = typeof body === 'string' ? body : JSON.stringify({ error_description: sent, ...body });
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
    });
    return { requests, ...refreshing(url) };
  }

  function refreshing(appUrl: string) {
    const clock = new ManualClock('2026-11-21T12:00:00Z');
    const oauth = oauthClient(clock);
    const signIn: RefreshableSignIn = {
      kind: 'authorization_code',
      id: '1',
      baseUrl: `${appUrl}/v1`,
      appUrl,
      clientId: 'client',
      clientSecret: 'SECRET-client',
      accessToken: 'SECRET-access',
      refreshToken: 'SECRET-refresh',
      grantedAt: clock.now(),
      expiresAt: clock.now(),
      scope: 'full',
    };
    return { oauth, signIn, clock };
  }

  const tokens = { access_token: 'a2', token_type: 'Bearer', expires_in: 60, refresh_token: 'r2' };

  test('the token request is a form that contains the client', async () => {
    const { oauth, signIn, requests } = await answering(200, {}, tokens);
    await oauth.refresh(signIn);
    expect(requests.map(({ url }) => url)).toEqual(['/oauth/token']);
    expect(Object.fromEntries(new URLSearchParams(requests[0]?.body))).toEqual({
      grant_type: 'refresh_token',
      refresh_token: 'SECRET-refresh',
      client_id: 'client',
      client_secret: 'SECRET-client',
    });
  });

  test('a token response may omit the refresh token and the lifetime', async () => {
    const { oauth, signIn, clock } = await answering(200, {}, { access_token: 'a2', token_type: 'bearer' });
    expect(await oauth.refresh(signIn)).toEqual({
      accessToken: 'a2',
      refreshToken: 'SECRET-refresh',
      grantedAt: clock.now(),
      expiresAt: clock.now() + twoHours,
    });
  });

  const challenge = { 'www-authenticate': 'Bearer realm="service", error="invalid_grant"' };

  test.each<[string, number, Record<string, string>, object | string]>([
    ['sign_in_ended', 400, {}, { error: 'invalid_grant' }],
    ['sign_in_ended', 401, challenge, { error: 'invalid_grant' }],
    ['sign_in_ended', 401, {}, { error: 'invalid_client' }],
    ['sign_in_failed', 400, {}, { error: 'SECRET-refresh' }],
    ['service_unavailable', 400, {}, { error: 'temporarily_unavailable' }],
    ['service_unavailable', 503, { 'content-type': 'text/html' }, 'SECRET-refresh'],
    ['too_many_requests', 429, {}, {}],
    ['unexpected_response', 302, { location: 'https://elsewhere.example/' }, ''],
    ['unexpected_response', 205, {}, 'SECRET-refresh'],
    ['unexpected_response', 404, { 'content-type': 'text/html' }, 'SECRET-refresh'],
    ['service_unavailable', 600, {}, 'SECRET-refresh'],
    ['unexpected_response', 200, { 'content-type': 'text/html' }, 'SECRET-refresh'],
    ['unexpected_response', 200, {}, 'SECRET-refresh'],
    ['unexpected_response', 200, {}, { ...tokens, token_type: 'mac' }],
    ['unexpected_response', 200, {}, { ...tokens, access_token: 'SECRET two words' }],
    ['unexpected_response', 200, {}, { ...tokens, expires_in: 'SECRET-refresh' }],
    ['unexpected_response', 200, {}, { ...tokens, refresh_token: '' }],
  ])(
    'the token endpoint gives %s for %i %j %j, without a secret in the error',
    async (code, status, headers, body) => {
      const { oauth, signIn } = await answering(status, headers, body);
      const error = await oauth.refresh(signIn).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(BudgetError);
      expect(error).toMatchObject({ code });
      expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('SECRET');
    },
  );

  test('an unreachable token endpoint gives an error that can be retried', async () => {
    const { oauth, signIn } = refreshing(await unusedUrl());
    await expect(oauth.refresh(signIn)).rejects.toMatchObject({ code: 'unreachable', retryable: true });
  });

  test('the token endpoint is never asked unencrypted, unless it is on this machine', async () => {
    const { oauth, signIn } = refreshing('http://service.example');
    await expect(oauth.refresh(signIn)).rejects.toMatchObject({
      code: 'invalid_configuration',
      message: expect.stringContaining("the application's URL must be https://"),
    });
  });
});
