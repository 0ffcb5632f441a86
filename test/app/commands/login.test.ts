import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { BudgetError } from '../../../src/base/errors.ts';
import { codeSignIn } from '../../auth/signed-in.helper.ts';
import { sendJson, serveHttp } from '../../local-server.helper.ts';
import { bearer } from '../../service/running-service.helper.ts';
import { authorizationUrlOf, listOf, personal, startSigningIn } from './signing-in.helper.ts';

describe('budget-mcp login', () => {
  test('login stores a token from a pipe, and says what it gives access to and where it is stored', async () => {
    const { service, store, login } = await startSigningIn();
    const { ended, printed } = login({}, { stdin: `${service.accessToken}\n` });
    await ended;
    expect(printed).toMatchObject({
      stdout: `You are signed in. The token gives access to the budgets "Household", "Japan Trip".
The sign-in is stored in memory as profile "default". The token is sent to ${service.baseUrl} only.
A question that names no budget is about "Household", which begins first; \`budget-mcp login\` or --budget chooses another one.
`,
      stderr: '',
    });
    expect(await store.read('default')).toEqual({
      kind: 'personal',
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      baseUrl: service.baseUrl,
      appUrl: service.appUrl,
      accessToken: service.accessToken,
    });
  });

  test('login checks the token with one request', async () => {
    const { service, login } = await startSigningIn();
    await login({}, { stdin: service.accessToken }).ended;
    const response = await fetch(`${service.baseUrl}/user`, { headers: bearer(service.accessToken) });
    expect(response.headers.get('x-rate-limit')).toMatch(/^2\//);
  });

  test('login does not store an invalid token, and leaves the stored sign-in unchanged', async () => {
    const { service, store, login } = await startSigningIn();
    await store.write('default', personal(service.baseUrl));
    const { ended, printed } = login({}, { stdin: 'mistyped' });
    await expect(ended).rejects.toMatchObject({ code: 'not_authorized' });
    expect(await store.read('default')).toEqual(personal(service.baseUrl));
    expect(printed.stdout).toBe('');
  });

  test('login replaces the stored sign-in, and says that the earlier token is still valid', async () => {
    const { service, store, login } = await startSigningIn();
    await store.write('default', personal(service.baseUrl));
    const { ended, printed } = login({}, { stdin: service.accessToken });
    await ended;
    expect(printed.stdout).toContain(
      'It replaces the earlier sign-in. The service accepts the earlier token',
    );
    expect(await store.read('default')).toMatchObject({ accessToken: service.accessToken });
  });

  test('login without options renews the stored sign-in with its grant and its service', async () => {
    const { service, store, stop, login } = await startSigningIn();
    const { baseUrl, appUrl, accessToken, client } = service;
    await store.write('default', { ...personal(baseUrl), appUrl });
    await login({}, { stdin: accessToken }, { baseUrl: undefined, appUrl: undefined }).ended;
    expect(await store.read('default')).toMatchObject({ kind: 'personal', baseUrl, appUrl, accessToken });

    await store.write('default', {
      ...codeSignIn(service, service.clock, 'read-only'),
      accessToken: 'ended',
    });
    const nothing = { baseUrl: undefined, appUrl: undefined, clientId: undefined, clientSecret: undefined };
    const { ended, printed } = login({}, {}, nothing);
    await printed.until('asks for this code');
    const { href } = await authorizationUrlOf(printed.stderr);
    expect(href).toContain(`${appUrl}/oauth/authorize?client_id=${client.clientId}`);
    expect(href).toContain('scope=read-only');
    stop.abort();
    await expect(ended).rejects.toMatchObject({ code: 'cancelled' });
  });

  test('login at another service uses nothing of the earlier sign-in', async () => {
    const { service, store, login } = await startSigningIn();
    await store.write('default', {
      ...personal('https://api.example.com/v1'),
      appUrl: 'https://app.example.com',
    });
    await login({}, { stdin: service.accessToken }, { appUrl: undefined }).ended;
    expect(await store.read('default')).not.toHaveProperty('appUrl');
  });

  test('login sends the stored client secret only to the address of its application', async () => {
    const { service, store, login } = await startSigningIn();
    await store.write('default', codeSignIn(service, service.clock));
    const sent: string[] = [];
    const { url: appUrl } = await serveHttp(async (request, response) => {
      sent.push((await request.setEncoding('utf8').toArray()).join(''));
      sendJson(response, { error: 'invalid_client' }, 401);
    });
    const { ended, printed } = login(
      { oauth: true },
      { stdin: 'typed-for-this-address' },
      { appUrl, baseUrl: undefined, clientId: undefined, clientSecret: undefined },
    );
    await printed.until('asks for this code');
    const params = (await authorizationUrlOf(printed.stderr)).searchParams;
    const callback = new URLSearchParams({ code: 'c1', state: params.get('state') ?? '' });
    await fetch(`${params.get('redirect_uri')}?${callback}`);
    await expect(ended).rejects.toMatchObject({ code: 'sign_in_failed' });
    expect(sent).toHaveLength(1);
    expect(sent[0]).toContain('client_secret=typed-for-this-address');
    expect(sent[0]).not.toContain(service.client.clientSecret);
  });

  test('login says where a token is provided that is used instead', async () => {
    const { service, login } = await startSigningIn();
    const { ended, printed } = login(
      {},
      {
        stdin: service.accessToken,
        providedToken: async () => ({
          place: 'the environment variable BUDGET_MCP_TOKEN',
          read: async () => '',
        }),
      },
    );
    await ended;
    expect(printed.stdout).toContain(
      'provided by the environment variable BUDGET_MCP_TOKEN, that token is used',
    );
  });

  test('login changes no other profile', async () => {
    const { service, store, login } = await startSigningIn();
    await store.write('default', personal(service.baseUrl));
    await login({}, { stdin: service.accessToken }, { profile: 'work' }).ended;
    expect(await store.read('default')).toEqual(personal(service.baseUrl));
    expect(await store.read('work')).toMatchObject({ accessToken: service.accessToken });
  });

  test('login stores the sign-in while no other process changes the profile', async () => {
    const { service, store, login } = await startSigningIn();
    const seen: unknown[] = [];
    await login(
      {},
      {
        stdin: service.accessToken,
        async lock(profile, work) {
          seen.push(profile, await store.read(profile));
          const result = await work();
          seen.push(await store.read(profile));
          return result;
        },
      },
    ).ended;
    expect(seen).toEqual(['default', undefined, expect.objectContaining({ kind: 'personal' })]);
  });

  test('login asks for nothing if the store cannot be read', async () => {
    const { store, login } = await startSigningIn();
    const locked = new BudgetError('invalid_configuration', 'The keychain is locked.');
    store.read = () => Promise.reject(locked);
    const stdin = new PassThrough().end('unread');
    await expect(login({}, { stdin }).ended).rejects.toBe(locked);
    expect(stdin.read()).toEqual(Buffer.from('unread'));
  });

  test.each([
    ['nothing', '', 'Personal access token: type it at a terminal, or pipe it in.'],
    ['an empty line', '\n', 'Personal access token: type it at a terminal, or pipe it in.'],
    ['two words', 'SECRET two', 'Personal access token: It must be a single word of visible characters.'],
    ['other letters', 'SECRETé', 'Personal access token: It must be a single word of visible characters.'],
    [
      'a whole file',
      'x'.repeat(60_000),
      'Personal access token: It must be a single word of visible characters.',
    ],
  ])('login refuses %s on stdin', async (_, stdin, message) => {
    const { store, login } = await startSigningIn();
    await expect(login({}, { stdin }).ended).rejects.toMatchObject({ code: 'sign_in_failed', message });
    expect(await store.read('default')).toBeUndefined();
  });

  test('login can be cancelled while it waits for stdin', async () => {
    const { stop, store, login } = await startSigningIn();
    const { ended } = login({}, { stdin: new PassThrough() });
    stop.abort();
    await expect(ended).rejects.toMatchObject({ code: 'cancelled' });
    expect(await store.read('default')).toBeUndefined();
  });

  test('login stores nothing if it is cancelled while it checks the token', async () => {
    const { service, stop, store, login } = await startSigningIn();
    const { ended } = login(
      {},
      {
        stdin: service.accessToken,
        async budgetsOf() {
          stop.abort();
          return listOf('Household');
        },
      },
    );
    await expect(ended).rejects.toMatchObject({ code: 'cancelled' });
    expect(await store.read('default')).toBeUndefined();
  });

  test('login quotes the names of budgets', async () => {
    const { service, login } = await startSigningIn();
    const { ended, printed } = login(
      {},
      { stdin: service.accessToken, budgetsOf: async () => listOf('\u001b[31mred\u202e', 'two\nlines') },
    );
    await ended;
    expect(printed.stdout).toContain('the budgets "\\u001b[31mred\\u202e", "two\\nlines".');
  });

  test.each([
    [{}, { baseUrl: undefined }, 'name it, as in `budget-mcp login --service ynab`, or with --base-url.'],
    [{}, { readOnly: true }, '--read-only goes with --oauth or --implicit: a personal access token may do'],
    [{ redirectUri: 'http://127.0.0.1:1/' }, {}, '--redirect-uri and --no-browser go with --oauth or'],
    [{ browser: false }, {}, '--redirect-uri and --no-browser go with --oauth or --implicit.'],
    [{ oauth: true, implicit: true }, {}, 'two ways to sign in: give one of them'],
    [{ implicit: true, redirectUri: 'http://localhost:8000/' }, {}, 'must be on 127.0.0.1 with --implicit'],
    [{ oauth: true }, { appUrl: undefined }, '--app-url must say where people sign in to the service.'],
    [
      { oauth: true, redirectUri: 'https://127.0.0.1:1/' },
      {},
      '--redirect-uri must be http://127.0.0.1:PORT/',
    ],
    [{ oauth: true, redirectUri: 'http://evil.example:1/' }, {}, '--redirect-uri must be http://127.0.0.1:'],
    [
      { oauth: true, redirectUri: 'http://127.0.0.1:70000/' },
      {},
      '--redirect-uri must have a port up to 65535',
    ],
    [{ oauth: true }, { clientId: undefined }, 'Client id: give it with --client-id.'],
    [{ oauth: true }, { clientSecret: undefined }, 'Client secret: type it at a terminal, or pipe it in.'],
  ])('login refuses the options %j with the settings %j', async (options, config, message) => {
    const { login } = await startSigningIn();
    await expect(login(options, {}, config).ended).rejects.toThrow(message);
  });
});
