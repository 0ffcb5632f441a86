/** The attacks of RFC 9700 that send a person, or a code, to another address than the client's. */
import { describe, expect, it } from 'vitest';
import { startHosting } from './hosting.helper.ts';
import { OAuthClient, refusal, register, startWithClient } from './oauth-client.helper.ts';

describe('redirect tricks', () => {
  const registered = 'https://app.example/oauth/callback';

  it.each([
    'https://app.example/oauth/callback/',
    'https://app.example/oauth/callback/../../evil',
    'https://app.example/oauth/callback%2F..%2F..%2Fevil',
    'https://app.example/oauth/callback?next=https://evil.example',
    'https://app.example/oauth/callback#fragment',
    'https://app.example/oauth/Callback',
    'https://app.example:8443/oauth/callback',
    'https://app.example.evil.example/oauth/callback',
    'https://app.example@evil.example/oauth/callback',
    'https://evil.example\\@app.example/oauth/callback',
    'http://app.example/oauth/callback',
    '//app.example/oauth/callback',
    'https://127.0.0.1/oauth/callback',
    'javascript:alert(1)//app.example/oauth/callback',
  ])('%s is not the registered URI, and nothing is sent there', async (uri) => {
    const hosting = await startHosting();
    const client = await OAuthClient.register(hosting, { redirect_uris: [registered] });
    const view = await hosting.browser().open(client.url({ redirect_uri: uri }));
    expect(view.status).toBe(400);
    expect(view.url.origin).toBe(hosting.issuer);
    expect(view.text).not.toContain('name="decision"');
  });

  it.each([
    ['http://127.0.0.1:5000/callback', true],
    ['http://127.0.0.1:65535/callback', true],
    ['http://127.0.0.1:5000/other', false],
    ['http://127.0.0.1:5000@evil.example/callback', false],
    ['http://evil@127.0.0.1:5000/callback', false],
    ['http://127.0.0.1.evil.example:5000/callback', false],
    ['http://localhost:5000/callback', false],
    ['http://0.0.0.0:5000/callback', false],
    ['https://127.0.0.1:5000/callback', false],
  ])('of a client with a loopback address, %s is accepted: %s', async (uri, isAccepted) => {
    const { hosting, client } = await startWithClient();
    const view = await hosting.browser().open(client.url({ redirect_uri: uri }));
    expect(view.status).toBe(isAccepted ? 200 : 400);
  });

  it('an unknown client is not sent anywhere', async () => {
    const { hosting } = await startWithClient();
    const unknown = new OAuthClient(hosting, 'unknown', 'https://evil.example/cb');
    const browser = hosting.browser();
    expect((await browser.open(unknown.url())).status).toBe(400);
    expect(browser.visited.length).toBe(1);
  });

  it.each(['fragment', 'form_post', 'web_message', 'jwt'])(
    'the response mode %s is refused, because it would show the code to scripts',
    async (mode) => {
      const { client } = await startWithClient();
      const answer = await client.refusal({ response_mode: mode });
      expect(answer.get('error')).toMatch(/^(invalid_request|unsupported_response_mode)$/);
      const response = await fetch(new URL('/.well-known/oauth-authorization-server', client.hosting.url));
      expect(await response.json()).toMatchObject({ response_modes_supported: ['query'] });
    },
  );

  it.each(['token', 'id_token', 'code id_token', 'none'])('the response type %s is refused', async (type) => {
    const { client } = await startWithClient();
    const answer = await client.refusal({ response_type: type });
    expect(answer.has('error')).toBe(true);
    expect(`${answer}`).not.toMatch(/code=|token=/);
  });
});

describe('open redirect: a stranger registers a client to send people from this server to a page of theirs', () => {
  const uri = 'https://evil.example/cb';
  const document = { client_id: 'https://evil.example/client.json', redirect_uris: [uri] };

  it.each([
    ['no question to the person', { prompt: 'none' }, 'login_required'],
    ['a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['no challenge', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['another response type', { response_type: 'token' }, 'invalid_request'],
    ['no response type', { response_type: undefined }, 'invalid_request'],
    ['another resource', { resource: 'https://evil.example' }, 'invalid_target'],
    ['a request object', { request: 'x' }, 'request_not_supported'],
    ['a form as the answer', { response_mode: 'form_post', prompt: 'none' }, 'invalid_request'],
  ])('a request with %s ends on a page of this server, with a link', async (_, parameters, error) => {
    const hosting = await startHosting({ fetchDocument: async () => Response.json(document) });
    for (const client of [
      await OAuthClient.register(hosting, { redirect_uris: [uri] }),
      new OAuthClient(hosting, document.client_id, uri),
    ])
      expect(Object.fromEntries(await client.refusal(parameters))).toMatchObject({
        error,
        iss: hosting.issuer,
        state: 'state-of-client',
      });
  });

  it('the address where the person comes back leads nowhere without a request', async () => {
    const hosting = await startHosting();
    const client = await OAuthClient.register(hosting, { redirect_uris: [uri] });
    for (const mode of ['query', 'form_post']) {
      const url = client.url({ response_mode: mode });
      url.pathname += '/invented';
      const view = await hosting.browser().open(url);
      expect(view.status).toBe(400);
      expect(view.text).not.toContain('evil.example');
    }
  });

  it('a person who has denied the request is sent back, because they have seen where to', async () => {
    const hosting = await startHosting();
    const client = await OAuthClient.register(hosting, { redirect_uris: [uri] });
    const answer = await client.authorize({}, { decision: 'deny' });
    expect(answer.get('error')).toBe('access_denied');
  });
});

describe('a registration with a redirect URI that may not be registered', () => {
  it.each([
    'http://app.example/cb',
    'http://192.168.1.1/cb',
    'https://app.example/cb#fragment',
    'https://user@app.example/cb',
    'javascript:alert(1)',
    'data:text/html,x',
    'microsoft-edge:https://evil.example',
    'googlechrome://evil.example',
    'googlechromes://evil.example',
    'x-safari-https://evil.example',
    'web+evil://cb',
    'feed:https://evil.example',
    'tg://resolve?domain=evil',
    'com.example.browser:https://evil.example',
    'callback',
  ])('such as %s is refused', async (uri) => {
    const hosting = await startHosting();
    const answer = await register(hosting, { redirect_uris: ['https://app.example/cb', uri] });
    expect(answer).toEqual(refusal('invalid_redirect_uri'));
  });
});
