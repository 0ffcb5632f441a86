import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningService, startTestService } from '../running-service.ts';
import { Client, redirectUri, refusal, tokensOf } from './client.ts';

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

describe('an authorization code', () => {
  test('gives an access token for two hours and a refresh token', async () => {
    const answer = await client.exchange(await client.code());
    const tokens = tokensOf(answer);
    expect(tokens.expires_in).toBe(7_200);
    expect(answer.headers.get('Cache-Control')).toBe('no-store');
    expect(answer.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
    expect(await client.status(tokens.access_token)).toBe(200);
    service.clock.advance(7_200_000 - 1);
    expect(await client.status(tokens.access_token)).toBe(200);
    service.clock.advance(1);
    expect(await client.status(tokens.access_token)).toBe(401);
  });

  test('carries the scope that the user allowed', async () => {
    const { access_token } = await client.tokens({ scope: 'read-only' });
    expect(await client.status(access_token, 'POST')).toBe(403);
    expect(await client.status(access_token)).toBe(200);
  });

  test('lives for 60 seconds', async () => {
    const [early, late] = [await client.code(), await client.code()];
    service.clock.advance(59_999);
    expect((await client.exchange(early)).status).toBe(200);
    service.clock.advance(1);
    expect(await client.exchange(late)).toMatchObject(refusal('invalid_grant'));
  });

  test('is single use, and a second use revokes the tokens of the first', async () => {
    const code = await client.code();
    const tokens = tokensOf(await client.exchange(code));
    const renewed = tokensOf(await client.refresh(tokens.refresh_token));
    service.clock.advance(120_000);
    expect(await client.exchange(code)).toMatchObject(refusal('invalid_grant'));
    expect(await client.status(tokens.access_token)).toBe(401);
    expect(await client.status(renewed.access_token)).toBe(401);
    expect(await client.refresh(renewed.refresh_token)).toMatchObject(refusal('invalid_grant'));
  });

  test('is of no use to another application, which cannot spoil it either', async () => {
    const code = await client.code();
    const other = new Client(service);
    expect(await other.exchange(code)).toMatchObject(refusal('invalid_grant'));
    const tokens = tokensOf(await client.exchange(code));
    expect(await other.exchange(code)).toMatchObject(refusal('invalid_grant'));
    expect(await client.status(tokens.access_token)).toBe(200);
  });

  test('needs the redirect URI of its request', async () => {
    const code = await client.code();
    const elsewhere = await client.exchange(code, { redirect_uri: 'https://app.example/callback' });
    expect(elsewhere).toMatchObject(refusal('invalid_grant'));
    expect(await client.exchange(code)).toMatchObject(refusal('invalid_grant'));
  });

  test('is none when it was made up', async () => {
    expect(await client.exchange('made-up')).toMatchObject(refusal('invalid_grant'));
  });
});

describe('a code that was asked for with a challenge', () => {
  const verifier = 'a'.repeat(43);
  const asked = {
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  };

  test('needs its verifier', async () => {
    const answer = await client.exchange(await client.code(asked), { code_verifier: verifier });
    expect(answer.status).toBe(200);
  });

  test.each([{}, { code_verifier: 'b'.repeat(43) }, { code_verifier: asked.code_challenge }])(
    'is refused with %j',
    async (fields) => {
      expect(await client.exchange(await client.code(asked), fields)).toMatchObject(refusal('invalid_grant'));
    },
  );

  test('cannot have lost its challenge on the way', async () => {
    const answer = await client.exchange(await client.code(), { code_verifier: verifier });
    expect(answer).toMatchObject(refusal('invalid_grant'));
  });
});

describe('the token request', () => {
  const grant = async () => ({
    grant_type: 'authorization_code',
    code: await client.code(),
    redirect_uri: redirectUri,
  });
  const credentials = () => ({ client_id: client.id, client_secret: client.secret });

  test('may be sent in the query', async () => {
    const query = new URLSearchParams({ ...credentials(), ...(await grant()) });
    expect((await client.post({}, `?${query}`)).status).toBe(200);
  });

  test('may be sent partly in the query, and in both where it says the same', async () => {
    const body = new URLSearchParams(await grant());
    const query = new URLSearchParams({ ...credentials(), grant_type: 'authorization_code' });
    expect((await client.post({ body }, `?${query}`)).status).toBe(200);
  });

  test('may be sent as multipart form data', async () => {
    const body = new FormData();
    for (const [name, value] of Object.entries({ ...credentials(), ...(await grant()) }))
      body.set(name, value);
    expect((await client.post({ body })).status).toBe(200);
  });

  test('may authenticate the client in the header', async () => {
    const headers = basic(client.id, client.secret);
    const body = new URLSearchParams(await grant());
    expect((await client.post({ headers, body })).status).toBe(200);
  });

  test('reads id and secret of the header as they are encoded in a form', async () => {
    const odd = { clientId: 'id:of &mine%', clientSecret: 'päss+ word%41' };
    service.oauth.applications.register(service.user, { name: 'Odd', redirectUris: [redirectUri] }, odd);
    const answer = await client.post({
      headers: basic(odd.clientId, odd.clientSecret),
      body: new URLSearchParams({ grant_type: 'authorization_code', code: 'x', redirect_uri: redirectUri }),
    });
    expect(answer).toMatchObject(refusal('invalid_grant'));
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
  ])('is %s with %s', async (error, _what, fields) => {
    const answer = await client.post({ body: new URLSearchParams(fields()) });
    expect(answer).toMatchObject(refusal(error));
    expect(answer.headers.get('Cache-Control')).toBe('no-store');
  });

  test('is invalid_request with a parameter twice', async () => {
    const body = new URLSearchParams([
      ...Object.entries(credentials()),
      ['grant_type', 'a'],
      ['grant_type', 'b'],
    ]);
    expect(await client.post({ body })).toMatchObject(refusal('invalid_request'));
    const once = new URLSearchParams({ ...credentials(), grant_type: 'refresh_token' });
    expect(await client.post({ body: once }, '?grant_type=b')).toMatchObject(refusal('invalid_request'));
  });

  test('is invalid_request when the client authenticates in two ways', async () => {
    const headers = basic(client.id, client.secret);
    const body = new URLSearchParams({ ...credentials(), grant_type: 'refresh_token', refresh_token: 'x' });
    expect(await client.post({ headers, body })).toMatchObject(refusal('invalid_request'));
  });

  test.each<[string, () => RequestInit]>([
    ['nothing', () => ({})],
    ['a body that is no form', () => ({ body: JSON.stringify(credentials()) })],
    ['an id alone', () => ({ body: new URLSearchParams({ client_id: client.id }) })],
    ['a wrong secret', () => ({ body: new URLSearchParams({ ...credentials(), client_secret: 'x' }) })],
    ['an unknown client', () => ({ body: new URLSearchParams({ ...credentials(), client_id: 'x' }) })],
    ['a wrong secret in the header', () => ({ headers: basic(client.id, 'x') })],
    ['a header that is not Basic', () => ({ headers: { Authorization: 'Bearer x' } })],
  ])('is invalid_client with %s', async (_what, init) => {
    const answer = await client.post(init());
    expect(answer).toMatchObject(refusal('invalid_client', 401));
    expect(answer.headers.get('WWW-Authenticate')).toMatch(/^Basic /);
    expect(answer.headers.get('Cache-Control')).toBe('no-store');
  });

  test('is refused when it is far too large', async () => {
    const answer = await client.post({ body: new URLSearchParams({ code: 'x'.repeat(70_000) }) });
    expect(answer).toMatchObject(refusal('invalid_request', 413));
  });

  test('is no GET', async () => {
    const query = new URLSearchParams({ ...credentials(), ...(await grant()) });
    expect((await fetch(`${service.appUrl}/oauth/token?${query}`)).status).toBe(404);
  });

  test('is not for pages of another origin', async () => {
    const answer = await client.post({ headers: { Origin: 'https://app.example' } });
    expect(answer.headers.has('Access-Control-Allow-Origin')).toBe(false);
  });
});

test('an access token lives as long as the operator says', async () => {
  const brief = await startTestService({ transactions: 10, accessTokenSeconds: 3 });
  const application = new Client(brief);
  const { access_token, expires_in } = await application.tokens();
  expect(expires_in).toBe(3);
  brief.clock.advance(2_999);
  expect(await application.status(access_token)).toBe(200);
  brief.clock.advance(1);
  expect(await application.status(access_token)).toBe(401);
  await brief.close();
});
