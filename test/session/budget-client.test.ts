import type { IncomingHttpHeaders } from 'node:http';
import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type Credential,
  fixedTokenProvider,
  staticTokenProvider,
  type TokenProvider,
} from '../../src/auth/token-provider.ts';
import { BudgetError } from '../../src/base/errors.ts';
import { listAccounts } from '../../src/operations/accounts.ts';
import { getUser, listBudgets } from '../../src/operations/budgets.ts';
import { updatePayee } from '../../src/operations/payees.ts';
import { listTransactions } from '../../src/operations/transactions.ts';
import { demoBudgets } from '../../src/service/demo-data.ts';
import { startService } from '../../src/service/server.ts';
import { BudgetClient, type BudgetClientOptions } from '../../src/session/budget-client.ts';
import { HttpSender } from '../../src/session/http/http-sender.ts';
import { callOperation } from '../call-operation.helper.ts';
import { sendJson, serveHttp, serveTcp, unusedUrl } from '../local-server.helper.ts';
import { ManualClock, unhurried } from '../manual-clock.helper.ts';
import { startTestService } from '../service/running-service.helper.ts';

const TOKEN = 'tok-8d1f0c';
const NOON = '2026-11-21T12:00:00.000Z';

function connect(baseUrl: string, options: Partial<BudgetClientOptions> = {}): BudgetClient {
  const clock = options.clock ?? unhurried(new ManualClock(NOON));
  const sender = new HttpSender({ clock: new ManualClock(NOON) });
  onTestFinished(() => sender.close());
  const tokens = fixedTokenProvider({ baseUrl, token: TOKEN });
  return new BudgetClient({ tokens, sender, clock, ...options });
}

interface Asked {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** A service with two budgets without accounts. Home was modified last. `onRequest` runs before each response. */
async function serveBudgets(onRequest: () => void = () => {}) {
  const asked: Asked[] = [];
  const budgets = [
    { id: 'b-1', name: 'Home', last_modified_on: NOON },
    { id: 'b-2', name: 'Studio' },
  ];
  const answers: Readonly<Record<string, unknown>> = {
    '/v1/user': { user: { id: 'u-1' } },
    '/v1/budgets': { budgets, default_budget: null },
    '/v1/budgets/b-1/accounts': { accounts: [], server_knowledge: 7 },
    '/v1/budgets/b-2/accounts': { accounts: [], server_knowledge: 8 },
  };
  const { url } = await serveHttp(({ url = '', headers }, response) => {
    asked.push({ url, headers });
    onRequest();
    sendJson(response, { data: answers[url] });
  });
  return { baseUrl: `${url}/v1`, asked };
}

async function startEmbeddedService() {
  const service = await startService({ clock: new ManualClock(NOON), transactions: 50, accessToken: TOKEN });
  onTestFinished(() => service.close());
  return service;
}

describe('a call', () => {
  test('a call sends the token in the header of every request, and in no URL', async () => {
    const { baseUrl, asked } = await serveBudgets();
    await callOperation(connect(baseUrl), listAccounts, {});
    expect(asked.map(({ url }) => url)).toEqual(['/v1/budgets', '/v1/budgets/b-1/accounts']);
    for (const { headers } of asked) expect(headers.authorization).toBe(`Bearer ${TOKEN}`);
  });

  test('a call returns the data with its budget', async () => {
    const { baseUrl } = await serveBudgets();
    const { data, budget } = await callOperation(connect(baseUrl), listAccounts, { budget_id: 'home' });
    expect(data).toEqual({ accounts: [], server_knowledge: 7 });
    expect(budget).toMatchObject({ id: 'b-1', name: 'Home' });
  });

  test('a call about the user needs no budget and names none', async () => {
    const { baseUrl, asked } = await serveBudgets();
    const answer = await callOperation(connect(baseUrl), getUser, {});
    expect(answer).toEqual({
      data: { user: { id: 'u-1' } },
      freshness: { as_of: NOON, source: 'service', requests_left: 199 },
    });
    expect(asked).toHaveLength(1);
  });

  test('a call uses the configured budget', async () => {
    const { baseUrl } = await serveBudgets();
    const { data, budget } = await callOperation(connect(baseUrl, { budget: 'studio' }), listAccounts, {});
    expect([budget?.id, data.server_knowledge]).toEqual(['b-2', 8]);
  });

  test('a call finds the budget that is `last-used` for the service', async () => {
    const { baseUrl } = await startEmbeddedService();
    const { budget } = await callOperation(connect(baseUrl), listAccounts, { budget_id: 'last-used' });
    expect(budget?.name).toEqual(expect.any(String));
  });

  test('the data of a call is as of a moment not after its request was sent', async () => {
    const clock = new ManualClock(NOON);
    const arrivals: number[] = [];
    const { baseUrl } = await serveBudgets(() => {
      arrivals.push(clock.now());
      clock.advance(5000);
    });
    const { freshness } = await callOperation(connect(baseUrl, { clock }), listAccounts, {});
    expect(arrivals).toHaveLength(2);
    expect(Date.parse(freshness.as_of)).toBe(arrivals[1]);
  });

  test('a call gets the credential again each time, so that it can change', async () => {
    const { baseUrl, asked } = await serveBudgets();
    let token = 'first';
    const tokens = {
      ...fixedTokenProvider({ baseUrl, token }),
      credential: async () => ({ baseUrl, token, signIn: 'one' }),
    };
    const client = connect(baseUrl, { tokens });
    await callOperation(client, getUser, {});
    token = 'second';
    await callOperation(client, getUser, {});
    expect(asked.map(({ headers }) => headers.authorization)).toEqual(['Bearer first', 'Bearer second']);
  });

  test('a call whose token is refused is repeated once with the renewed token', async () => {
    const service = await startTestService();
    onTestFinished(() => service.close());
    const refused: string[] = [];
    const tokens: TokenProvider = {
      ...fixedTokenProvider({ baseUrl: service.baseUrl, token: 'ended' }),
      renewed: async ({ token, signIn }) => {
        refused.push(token);
        return { baseUrl: service.baseUrl, token: service.accessToken, signIn };
      },
    };
    const { data } = await callOperation(connect(service.baseUrl, { tokens }), getUser, {});
    expect(data.user.id).toBe(service.user.id);
    expect(refused).toEqual(['ended']);
  });

  test('a call whose renewed token is refused too is not authorized', async () => {
    const service = await startTestService();
    onTestFinished(() => service.close());
    const tokens: TokenProvider = {
      ...fixedTokenProvider({ baseUrl: service.baseUrl, token: 'ended' }),
      renewed: async (refused) => ({ ...refused, token: 'ended too' }),
    };
    const failure = callOperation(connect(service.baseUrl, { tokens }), getUser, {});
    await expect(failure).rejects.toMatchObject({ code: 'not_authorized' });
  });

  test('a call that is cancelled ends as cancelled', async () => {
    const { baseUrl } = await serveBudgets();
    const failure = callOperation(connect(baseUrl), listAccounts, {}, AbortSignal.abort());
    await expect(failure).rejects.toMatchObject({ code: 'cancelled' });
  });
});

describe('after another user has signed in', () => {
  const start = async () => {
    const service = await startTestService({ rateLimit: 200 });
    onTestFinished(() => service.close());
    const other = service.access.addUser(demoBudgets({ now: service.clock.now(), seed: 7 }));
    const credentials = {
      one: { baseUrl: service.baseUrl, token: service.accessToken, signIn: 'one' },
      other: { baseUrl: service.baseUrl, token: service.access.issueToken(other), signIn: 'other' },
    };
    let signedIn: Credential = credentials.one;
    const tokens = { ...fixedTokenProvider(credentials.one), credential: async () => signedIn };
    const client = connect(service.baseUrl, { tokens, clock: service.clock, cacheBytes: 2 ** 26 });
    await callOperation(client, getUser, {});
    await callOperation(client, listAccounts, {});
    const signInAs = (credential: Credential) => {
      signedIn = credential;
    };
    return { service, other, credentials, client, tokens, signInAs };
  };

  test('after another user has signed in, no cached data and no counts of the first user are returned', async () => {
    const { client, other, credentials, signInAs } = await start();
    signInAs(credentials.other);
    expect((await callOperation(client, getUser, {})).data.user.id).toBe(other.id);
    const { data, budget, freshness } = await callOperation(client, listAccounts, {});
    expect(budget?.id).toBe(other.ledgers[0]?.id);
    expect(data.accounts.map(({ id }) => id)).toEqual(other.ledgers[0]?.accounts().map(({ id }) => id));
    expect(freshness.requests_left).toBe(197);
  });

  test('a call in progress does not return data of another user who signs in', async () => {
    const { client, credentials, tokens, signInAs } = await start();
    tokens.renewed = async () => credentials.other;
    signInAs({ ...credentials.one, token: 'ended' });
    await expect(callOperation(client, listBudgets, { include_accounts: true })).rejects.toMatchObject({
      code: 'sign_in_changed',
    });
  });

  test('a call in progress does not return cached data of the first user after another user has signed in', async () => {
    const { client, credentials, service, signInAs, tokens } = await start();
    service.clock.advance(60_000);
    // Another user signs in between the call and the request for the delta.
    tokens.credential = async () => {
      tokens.credential = async () => credentials.other;
      return credentials.one;
    };
    signInAs(credentials.other);
    await expect(callOperation(client, listAccounts, {})).rejects.toMatchObject({ code: 'sign_in_changed' });
  });

  test('a read-only scope refuses writes before any request', async () => {
    const { client, credentials, signInAs } = await start();
    expect(client.readOnly).toBe(false);
    signInAs({ ...credentials.other, scope: 'read-only' });
    const used = (await client.status()).requests.used;
    await expect(callOperation(client, updatePayee, { payee_id: 'x', name: 'y' })).rejects.toMatchObject({
      code: 'unauthorized_scope',
    });
    expect(client.readOnly).toBe(true);
    expect((await client.status()).requests.used).toBeLessThanOrEqual(used);
  });
});

describe('with a provided token', () => {
  test('a provided token without a base URL makes every call an error without a request', async () => {
    const { asked } = await serveBudgets();
    const read = async () => TOKEN;
    const tokens = staticTokenProvider({ baseUrl: undefined, place: 'the environment', read });
    const client = connect('', { tokens });
    for (const call of [callOperation(client, getUser, {}), callOperation(client, listAccounts, {})]) {
      await expect(call).rejects.toMatchObject({
        code: 'no_base_url',
        message: 'There is a token, from the environment, but no base URL.',
        advice: expect.stringContaining('BUDGET_MCP_BASE_URL'),
      });
    }
    expect(asked).toEqual([]);
  });

  test('the replacement of a provided token is noticed when the service refuses it', async () => {
    const service = await startTestService();
    onTestFinished(() => service.close());
    let handed = 'ended';
    const { baseUrl } = service;
    const tokens = staticTokenProvider({ baseUrl, place: 'a file', read: async () => handed });
    const client = connect(baseUrl, { tokens });
    await expect(callOperation(client, getUser, {})).rejects.toMatchObject({ code: 'not_authorized' });
    handed = service.accessToken;
    // The new token may belong to another user, who must not get data of the first one.
    await expect(callOperation(client, getUser, {})).rejects.toMatchObject({ code: 'sign_in_changed' });
    expect((await callOperation(client, getUser, {})).data.user.id).toBe(service.user.id);
  });
});

describe('an error', () => {
  test('an error of the service is reported with its detail', async () => {
    const { baseUrl } = await startEmbeddedService();
    const client = connect(baseUrl);
    await expect(callOperation(client, listTransactions, { since_date: 'soon' })).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining('since_date'),
    });
    const revoked = connect(baseUrl, { tokens: fixedTokenProvider({ baseUrl, token: 'revoked' }) });
    await expect(callOperation(revoked, getUser, {})).rejects.toMatchObject({ code: 'not_authorized' });
  });

  const page = '<html>Bad Gateway</html>';
  const html = (status: number) =>
    serveHttp((_, response) => response.writeHead(status, { 'content-type': 'text/html' }).end(page));

  test.each<[string, () => Promise<{ url: string }>]>([
    ['no server listens', async () => ({ url: await unusedUrl() })],
    ['the connection is reset', () => serveTcp((socket) => socket.resetAndDestroy())],
    ['the body is cut off', () => serveTcp((s) => s.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{'))],
    ['the answer is not HTTP', () => serveTcp((socket) => socket.end('220 ESMTP\r\n'))],
    ['the answer is HTML', () => html(200)],
    ['a gateway answers', () => html(502)],
    ['there is a redirect', () => serveHttp((_, r) => r.writeHead(302, { location: '/' }).end())],
    ['the shape is wrong', () => serveHttp((_, response) => sendJson(response, { data: { user: 1 } }))],
    [
      'the token is refused',
      () => serveHttp((_, r) => sendJson(r, { error: { id: '401', name: 'n', detail: 'd' } }, 401)),
    ],
  ])('an error contains no token when %s', async (_, serve) => {
    const { url } = await serve();
    const error = await callOperation(connect(`${url}/v1`), getUser, {}).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(BudgetError);
    expect(inspect(error, { depth: Infinity, showHidden: true })).not.toContain(TOKEN);
  });
});
