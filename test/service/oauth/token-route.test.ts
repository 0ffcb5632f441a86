import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningService, startTestService } from '../running-service.helper.ts';
import { Client, errorResponse, redirectUri, tokensOf } from './client.helper.ts';

let service: RunningService;
let client: Client;
beforeAll(async () => {
  service = await startTestService({ transactions: 10 });
  client = new Client(service);
});
afterAll(() => service.close());

const basic = (id: string, secret: string) => ({
  Authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
});

describe('authorization codes', () => {
  test('an authorization code is exchanged for an access token of two hours and a refresh token', async () => {
    const response = await client.exchange(await client.code());
    const tokens = tokensOf(response);
    expect(tokens.expires_in).toBe(7_200);
    expect(response.headers.get('Cache-Control')).toBe('no-store');
    expect(response.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
    expect(await client.status(tokens.access_token)).toBe(200);
    service.clock.advance(7_200_000 - 1);
    expect(await client.status(tokens.access_token)).toBe(200);
    service.clock.advance(1);
    expect(await client.status(tokens.access_token)).toBe(401);
  });

  test('the tokens have the scope that the user allowed', async () => {
    const { access_token } = await client.tokens({ scope: 'read-only' });
    expect(await client.status(access_token, 'POST')).toBe(403);
    expect(await client.status(access_token)).toBe(200);
  });

  test('an authorization code is valid for 60 seconds', async () => {
    const [early, late] = [await client.code(), await client.code()];
    service.clock.advance(59_999);
    expect((await client.exchange(early)).status).toBe(200);
    service.clock.advance(1);
    expect(await client.exchange(late)).toMatchObject(errorResponse('invalid_grant'));
  });

  test('an authorization code can be used once, and a second use revokes the tokens of the first', async () => {
    const code = await client.code();
    const tokens = tokensOf(await client.exchange(code));
    const renewed = tokensOf(await client.refresh(tokens.refresh_token));
    service.clock.advance(120_000);
    expect(await client.exchange(code)).toMatchObject(errorResponse('invalid_grant'));
    expect(await client.status(tokens.access_token)).toBe(401);
    expect(await client.status(renewed.access_token)).toBe(401);
    expect(await client.refresh(renewed.refresh_token)).toMatchObject(errorResponse('invalid_grant'));
  });

  test('an authorization code is refused for another application, which does not use it up', async () => {
    const code = await client.code();
    const other = new Client(service);
    expect(await other.exchange(code)).toMatchObject(errorResponse('invalid_grant'));
    const tokens = tokensOf(await client.exchange(code));
    expect(await other.exchange(code)).toMatchObject(errorResponse('invalid_grant'));
    expect(await client.status(tokens.access_token)).toBe(200);
  });

  test('an authorization code requires the redirect URI of its request', async () => {
    const code = await client.code();
    const wrongRedirect = await client.exchange(code, { redirect_uri: 'https://app.example/callback' });
    expect(wrongRedirect).toMatchObject(errorResponse('invalid_grant'));
    expect(await client.exchange(code)).toMatchObject(errorResponse('invalid_grant'));
  });

  test('an unknown authorization code is refused', async () => {
    expect(await client.exchange('made-up')).toMatchObject(errorResponse('invalid_grant'));
  });
});

describe('codes with a challenge', () => {
  const verifier = 'a'.repeat(43);
  const challengeParameters = {
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  };

  test('a code with a challenge is accepted with its verifier', async () => {
    const response = await client.exchange(await client.code(challengeParameters), {
      code_verifier: verifier,
    });
    expect(response.status).toBe(200);
  });

  test.each([{}, { code_verifier: 'b'.repeat(43) }, { code_verifier: challengeParameters.code_challenge }])(
    'a code with a challenge is refused with %j',
    async (fields) => {
      expect(await client.exchange(await client.code(challengeParameters), fields)).toMatchObject(
        errorResponse('invalid_grant'),
      );
    },
  );

  test('a code without a challenge is refused with a verifier', async () => {
    const response = await client.exchange(await client.code(), { code_verifier: verifier });
    expect(response).toMatchObject(errorResponse('invalid_grant'));
  });
});

describe('token requests', () => {
  const grant = async () => ({
    grant_type: 'authorization_code',
    code: await client.code(),
    redirect_uri: redirectUri,
  });
  const credentials = () => ({ client_id: client.id, client_secret: client.secret });

  test('a token request can be sent in the query', async () => {
    const query = new URLSearchParams({ ...credentials(), ...(await grant()) });
    expect((await client.post({}, `?${query}`)).status).toBe(200);
  });

  test('a token request can be split between query and body, with equal values in both', async () => {
    const body = new URLSearchParams(await grant());
    const query = new URLSearchParams({ ...credentials(), grant_type: 'authorization_code' });
    expect((await client.post({ body }, `?${query}`)).status).toBe(200);
  });

  test('a token request can be sent as multipart form data', async () => {
    const body = new FormData();
    for (const [name, value] of Object.entries({ ...credentials(), ...(await grant()) }))
      body.set(name, value);
    expect((await client.post({ body })).status).toBe(200);
  });

  test('a token request can authenticate the client in the header', async () => {
    const headers = basic(client.id, client.secret);
    const body = new URLSearchParams(await grant());
    expect((await client.post({ headers, body })).status).toBe(200);
  });

  test('the id and secret of the header are decoded as form data', async () => {
    const specialCredentials = { clientId: 'id:of &mine%', clientSecret: 'päss+ word%41' };
    service.oauth.applications.register(
      service.user,
      { name: 'Odd', redirectUris: [redirectUri] },
      specialCredentials,
    );
    const response = await client.post({
      headers: basic(specialCredentials.clientId, specialCredentials.clientSecret),
      body: new URLSearchParams({ grant_type: 'authorization_code', code: 'x', redirect_uri: redirectUri }),
    });
    expect(response).toMatchObject(errorResponse('invalid_grant'));
  });

  test.each<[string, string, () => Record<string, string>]>([
    ['invalid_request', 'no grant type', () => credentials()],
    ['unsupported_grant_type', 'another grant', () => ({ ...credentials(), grant_type: 'password' })],
    [
      'invalid_request',
      'no code',
      () => ({ ...credentials(), grant_type: 'authorization_code', redirect_uri: 'x' }),
    ],
    [
      'invalid_request',
      'no redirect URI',
      () => ({ ...credentials(), grant_type: 'authorization_code', code: 'x' }),
    ],
    ['invalid_request', 'no refresh token', () => ({ ...credentials(), grant_type: 'refresh_token' })],
    [
      'invalid_request',
      'an empty one',
      () => ({ ...credentials(), grant_type: 'refresh_token', refresh_token: '' }),
    ],
  ])('a token request gets %s with %s', async (error, _description, fields) => {
    const response = await client.post({ body: new URLSearchParams(fields()) });
    expect(response).toMatchObject(errorResponse(error));
    expect(response.headers.get('Cache-Control')).toBe('no-store');
  });

  test('a token request with a repeated parameter gets invalid_request', async () => {
    const body = new URLSearchParams([
      ...Object.entries(credentials()),
      ['grant_type', 'a'],
      ['grant_type', 'b'],
    ]);
    expect(await client.post({ body })).toMatchObject(errorResponse('invalid_request'));
    const grantInBody = new URLSearchParams({ ...credentials(), grant_type: 'refresh_token' });
    expect(await client.post({ body: grantInBody }, '?grant_type=b')).toMatchObject(
      errorResponse('invalid_request'),
    );
  });

  test('a token request that authenticates the client in two ways gets invalid_request', async () => {
    const headers = basic(client.id, client.secret);
    const body = new URLSearchParams({ ...credentials(), grant_type: 'refresh_token', refresh_token: 'x' });
    expect(await client.post({ headers, body })).toMatchObject(errorResponse('invalid_request'));
  });

  test.each<[string, () => RequestInit]>([
    ['nothing', () => ({})],
    ['a body that is no form', () => ({ body: JSON.stringify(credentials()) })],
    ['an id alone', () => ({ body: new URLSearchParams({ client_id: client.id }) })],
    ['a wrong secret', () => ({ body: new URLSearchParams({ ...credentials(), client_secret: 'x' }) })],
    ['an unknown client', () => ({ body: new URLSearchParams({ ...credentials(), client_id: 'x' }) })],
    ['a wrong secret in the header', () => ({ headers: basic(client.id, 'x') })],
    ['a header that is not Basic', () => ({ headers: { Authorization: 'Bearer x' } })],
  ])('a token request gets invalid_client with %s', async (_description, init) => {
    const response = await client.post(init());
    expect(response).toMatchObject(errorResponse('invalid_client', 401));
    expect(response.headers.get('WWW-Authenticate')).toMatch(/^Basic /);
    expect(response.headers.get('Cache-Control')).toBe('no-store');
  });

  test('a token request with a body that is too large gets 413', async () => {
    const response = await client.post({ body: new URLSearchParams({ code: 'x'.repeat(70_000) }) });
    expect(response).toMatchObject(errorResponse('invalid_request', 413));
  });

  test('a token request with GET gets 404', async () => {
    const query = new URLSearchParams({ ...credentials(), ...(await grant()) });
    expect((await fetch(`${service.appUrl}/oauth/token?${query}`)).status).toBe(404);
  });

  test('the token response cannot be read by pages of another origin', async () => {
    const response = await client.post({ headers: { Origin: 'https://app.example' } });
    expect(response.headers.has('Access-Control-Allow-Origin')).toBe(false);
  });
});

test('an access token is valid for the time that the operator sets', async () => {
  const shortLivedService = await startTestService({ transactions: 10, accessTokenSeconds: 3 });
  const application = new Client(shortLivedService);
  const { access_token, expires_in } = await application.tokens();
  expect(expires_in).toBe(3);
  shortLivedService.clock.advance(2_999);
  expect(await application.status(access_token)).toBe(200);
  shortLivedService.clock.advance(1);
  expect(await application.status(access_token)).toBe(401);
  await shortLivedService.close();
});
