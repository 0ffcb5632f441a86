import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Visitor } from '../pages/visitor.ts';
import { type RunningService, startTestService } from '../running-service.ts';
import { Client, redirectUri } from './client.ts';

let service: RunningService;
let client: Client;
beforeAll(async () => {
  service = await startTestService({ transactions: 10 });
  client = new Client(service);
});
afterAll(() => service.close());

const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const parametersOf = ({ search, hash }: URL) =>
  Object.fromEntries(new URLSearchParams(hash === '' ? search : hash.slice(1)));

describe('a request that must not redirect', () => {
  test.each<[string, Record<string, string | undefined>]>([
    ['without a client id', { client_id: undefined }],
    ['of an unknown client', { client_id: 'unknown' }],
    ['without a redirect URI', { redirect_uri: undefined }],
    ['with an empty redirect URI', { redirect_uri: '' }],
    ['with a foreign redirect URI', { redirect_uri: 'https://evil.example/callback' }],
    ['with a redirect URI below a registered one', { redirect_uri: `${redirectUri}/more` }],
    ['with a redirect URI in other letters', { redirect_uri: redirectUri.toUpperCase() }],
    ['with a redirect URI without its query', { redirect_uri: 'https://app.example/callback' }],
    ['with a redirect URI with a port', { redirect_uri: 'https://app.example:8443/callback?from=service' }],
  ])('%s is a page that says so, before anybody signs in', async (_what, parameters) => {
    const seen = await new Visitor(service).get(client.authorize({ ...parameters, state: 'x' }));
    expect(seen.status).toBe(400);
    expect(seen.headers.has('Location')).toBe(false);
    expect(seen.text).toContain('role="alert"');
    expect(seen.text).not.toContain('evil.example');
  });

  test.each(['client_id', 'redirect_uri'])('gives %s twice', async (name) => {
    const value = name === 'client_id' ? client.id : redirectUri;
    const twice = `${client.authorize()}&${new URLSearchParams({ [name]: value })}`;
    expect((await new Visitor(service).get(twice)).status).toBe(400);
  });
});

describe('an error that the application is told', () => {
  test.each<[string, Record<string, string | undefined>]>([
    ['invalid_request', { response_type: undefined }],
    ['invalid_request', { response_type: '' }],
    ['unsupported_response_type', { response_type: 'id_token' }],
    ['unsupported_response_type', { response_type: 'code token' }],
    ['invalid_scope', { scope: 'write' }],
    ['invalid_scope', { scope: 'read-only write' }],
    ['invalid_request', { code_challenge: challenge }],
    ['invalid_request', { code_challenge: challenge, code_challenge_method: 'plain' }],
    ['invalid_request', { code_challenge: 'short', code_challenge_method: 'S256' }],
  ])('%s, in the query with the state: %j', async (error, parameters) => {
    const { status, location } = await new Visitor(service).get(
      client.authorize({ ...parameters, state: 'of mine' }),
    );
    expect(status).toBe(303);
    expect(location.href).toMatch(/^https:\/\/app\.example\/callback\?from=service&error=/);
    expect(parametersOf(location)).toEqual({
      from: 'service',
      error,
      error_description: expect.any(String),
      state: 'of mine',
    });
  });

  test('is in the fragment for the implicit grant', async () => {
    const request = client.authorize({ response_type: 'token', scope: 'write', state: 's' });
    const { location } = await new Visitor(service).get(request);
    expect(location.search).toBe('?from=service');
    expect(parametersOf(location)).toMatchObject({ error: 'invalid_scope', state: 's' });
  });

  test('has no state when the request gives two', async () => {
    const { location } = await new Visitor(service).get(`${client.authorize({ state: 'a' })}&state=b`);
    expect(parametersOf(location)).toEqual({
      from: 'service',
      error: 'invalid_request',
      error_description: expect.any(String),
    });
  });
});

describe('to allow', () => {
  test('redirects with a code in the query', async () => {
    const { status, location } = await client.allowed({ state: 'mine' });
    expect(status).toBe(303);
    expect(location.href).toMatch(
      /^https:\/\/app\.example\/callback\?from=service&code=[\w-]{43}&state=mine$/,
    );
  });

  test('redirects with a token in the fragment for the implicit grant, and with no refresh token', async () => {
    const { location } = await client.allowed({ response_type: 'token', state: 'mine' });
    expect(location.search).toBe('?from=service');
    const { access_token = '', ...rest } = parametersOf(location);
    expect(rest).toEqual({ token_type: 'bearer', expires_in: '7200', state: 'mine' });
    expect(await client.status(access_token)).toBe(200);
    service.clock.advance(7_200_000 - 1);
    expect(await client.status(access_token)).toBe(200);
    service.clock.advance(1);
    expect(await client.status(access_token)).toBe(401);
  });

  test.each(['a b+c%20&d=e#f', 'ünï "quoted" <b>', '{"json":[1]}'])(
    'returns the state unchanged: %s',
    async (state) => {
      for (const response_type of ['code', 'token']) {
        const { location } = await client.allowed({ response_type, state });
        expect(parametersOf(location)['state']).toBe(state);
        expect(location.href).not.toContain('+');
      }
    },
  );

  test('has no state where the request had none', async () => {
    expect(parametersOf((await client.allowed()).location)).not.toHaveProperty('state');
  });

  test('for reading only gives a token that gets 403.3 on a write', async () => {
    const { location } = await client.allowed({ response_type: 'token', scope: 'read-only' });
    const { access_token = '' } = parametersOf(location);
    expect(await client.status(access_token)).toBe(200);
    const response = await fetch(
      `${service.baseUrl}/budgets/last-used/accounts?access_token=${access_token}`,
      {
        method: 'POST',
      },
    );
    expect([response.status, await response.json()]).toMatchObject([403, { error: { id: '403.3' } }]);
  });

  test('sends nobody anywhere without the token of the own page', async () => {
    const visitor = new Visitor(service);
    await visitor.signIn(client.authorize(), service.signIn);
    for (const csrf of ['', 'x', 'A'.repeat(43)]) {
      const { status, headers } = await visitor.send(client.authorize(), { intent: 'allow', csrf });
      expect([status, headers.has('Location')]).toEqual([403, false]);
    }
  });

  test('is not possible with the form of another visitor', async () => {
    const [one, other] = [new Visitor(service), new Visitor(service)];
    await one.signIn(client.authorize(), service.signIn);
    const { text } = await other.signIn(client.authorize(), service.signIn);
    const csrf = /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? '';
    expect((await one.send(client.authorize(), { intent: 'allow', csrf })).status).toBe(403);
  });
});

describe('to deny', () => {
  test.each(['code', 'token'])(
    'redirects with access_denied and gives nothing: %s',
    async (response_type) => {
      const visitor = new Visitor(service);
      const page = client.authorize({ response_type, state: 'mine' });
      await visitor.signIn(page, service.signIn);
      const { location } = await visitor.send(page, { intent: 'deny' });
      const { from: _, ...told } = parametersOf(location);
      expect(told).toEqual({ error: 'access_denied', error_description: expect.any(String), state: 'mine' });
    },
  );
});
