import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestBrowser } from '../pages/test-browser.helper.ts';
import { type RunningService, startTestService } from '../running-service.helper.ts';
import { Client, redirectUri } from './client.helper.ts';

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

describe('requests that must not redirect', () => {
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
  ])(
    'a request %s gets an error page before the sign-in, without a redirect',
    async (_description, parameters) => {
      const response = await new TestBrowser(service).get(client.authorize({ ...parameters, state: 'x' }));
      expect(response.status).toBe(400);
      expect(response.headers.has('Location')).toBe(false);
      expect(response.text).toContain('role="alert"');
      expect(response.text).not.toContain('evil.example');
    },
  );

  test.each(['client_id', 'redirect_uri'])(
    'a request with two values of %s gets an error page',
    async (name) => {
      const value = name === 'client_id' ? client.id : redirectUri;
      const twice = `${client.authorize()}&${new URLSearchParams({ [name]: value })}`;
      expect((await new TestBrowser(service).get(twice)).status).toBe(400);
    },
  );
});

describe('errors that are returned to the application', () => {
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
  ])('the error %s is returned in the query with the state: %j', async (error, parameters) => {
    const { status, location } = await new TestBrowser(service).get(
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

  test('errors of the implicit grant are returned in the fragment', async () => {
    const request = client.authorize({ response_type: 'token', scope: 'write', state: 's' });
    const { location } = await new TestBrowser(service).get(request);
    expect(location.search).toBe('?from=service');
    expect(parametersOf(location)).toMatchObject({ error: 'invalid_scope', state: 's' });
  });

  test('an error response has no state when the request has two', async () => {
    const { location } = await new TestBrowser(service).get(`${client.authorize({ state: 'a' })}&state=b`);
    expect(parametersOf(location)).toEqual({
      from: 'service',
      error: 'invalid_request',
      error_description: expect.any(String),
    });
  });
});

describe('allowing access', () => {
  test('allowing access redirects with a code in the query', async () => {
    const { status, location } = await client.allow({ state: 'mine' });
    expect(status).toBe(303);
    expect(location.href).toMatch(
      /^https:\/\/app\.example\/callback\?from=service&code=[\w-]{43}&state=mine$/,
    );
  });

  test('allowing the implicit grant redirects with a token in the fragment and without a refresh token', async () => {
    const { location } = await client.allow({ response_type: 'token', state: 'mine' });
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
    'the state is returned unchanged: %s',
    async (state) => {
      for (const response_type of ['code', 'token']) {
        const { location } = await client.allow({ response_type, state });
        expect(parametersOf(location)['state']).toBe(state);
        expect(location.href).not.toContain('+');
      }
    },
  );

  test('the response has no state when the request has none', async () => {
    expect(parametersOf((await client.allow()).location)).not.toHaveProperty('state');
  });

  test('a read-only token gets 403.3 on a write', async () => {
    const { location } = await client.allow({ response_type: 'token', scope: 'read-only' });
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

  test('a form without the CSRF token of the page is refused and does not redirect', async () => {
    const browser = new TestBrowser(service);
    await browser.signIn(client.authorize(), service.signIn);
    for (const csrf of ['', 'x', 'A'.repeat(43)]) {
      const { status, headers } = await browser.send(client.authorize(), { intent: 'allow', csrf });
      expect([status, headers.has('Location')]).toEqual([403, false]);
    }
  });

  test('a form with the CSRF token of another session is refused', async () => {
    const [first, second] = [new TestBrowser(service), new TestBrowser(service)];
    await first.signIn(client.authorize(), service.signIn);
    const { text } = await second.signIn(client.authorize(), service.signIn);
    const csrf = /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? '';
    expect((await first.send(client.authorize(), { intent: 'allow', csrf })).status).toBe(403);
  });
});

describe('denying access', () => {
  test.each(['code', 'token'])(
    'denying access redirects with access_denied and without a token: %s',
    async (response_type) => {
      const browser = new TestBrowser(service);
      const page = client.authorize({ response_type, state: 'mine' });
      await browser.signIn(page, service.signIn);
      const { location } = await browser.send(page, { intent: 'deny' });
      const { from: _, ...errorParameters } = parametersOf(location);
      expect(errorParameters).toEqual({
        error: 'access_denied',
        error_description: expect.any(String),
        state: 'mine',
      });
    },
  );
});
