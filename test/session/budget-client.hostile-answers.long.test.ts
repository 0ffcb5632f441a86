/** A malicious service over real HTTP: its responses are refused with a short message. */

import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { OAuth } from '../../src/auth/oauth.ts';
import { fixedTokenProvider } from '../../src/auth/token-provider.ts';
import { systemClock } from '../../src/base/clock.ts';
import { getBudget, listBudgets } from '../../src/operations/budgets.ts';
import { BudgetClient } from '../../src/session/budget-client.ts';
import { HttpSender } from '../../src/session/http/http-sender.ts';
import { callOperation } from '../call-operation.helper.ts';
import { sendJson, serveHttp } from '../local-server.helper.ts';
import { failureOf } from './sending.helper.ts';

const budget = { id: 'b-1', name: 'Home' };

/** A client of a service that responds with `text`, compressed. It reads the budgets first. */
async function clientOf(text: (path: string) => string) {
  const packed = new Map<string, Buffer>();
  const server = await serveHttp((request, response) => {
    const path = request.url ?? '';
    const body = packed.get(path) ?? gzipSync(text(path), { level: 1 });
    packed.set(path, body);
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(body);
  });
  const sender = new HttpSender({ clock: systemClock });
  onTestFinished(() => sender.close());
  const tokens = fixedTokenProvider({ baseUrl: server.url, token: 'token-of-the-user' });
  return new BudgetClient({ tokens, sender, clock: systemClock });
}

const listOf = (json: string, bytes: number) => `[${`${json},`.repeat(bytes / (json.length + 1))}${json}]`;

describe('a response with millions of wrong elements', () => {
  test.each([
    ['at the first', 6_000_000, /list_budgets is not as specified: data\.budgets\.0: .{1,100}$/],
    [
      'without parsing, because it has too many values',
      15_700_000,
      /list_budgets has more values than this server accepts\.$/,
    ],
  ])(
    'a response with millions of wrong elements is refused %s, with a short message',
    async (_, bytes, message) => {
      const client = await clientOf(() => `{"data":{"budgets":${listOf('[]', bytes)}}}`);
      const failure = await failureOf(callOperation(client, listBudgets, {}));
      expect(failure.code).toBe('unexpected_response');
      expect(failure.message).toMatch(message);
    },
  );

  test('a response is not decompressed if it is larger than any such response can be', async () => {
    const client = await clientOf(() => `{"data":{"budgets":${listOf('[]', 17_000_000)}}}`);
    expect(await failureOf(callOperation(client, listBudgets, {}))).toMatchObject({
      code: 'unexpected_response',
      message: expect.stringContaining('larger than'),
    });
  });

  test('a response is not parsed if even an export has fewer values', async () => {
    const list = JSON.stringify({ data: { budgets: [budget] } });
    const client = await clientOf((path) =>
      path.endsWith('/budgets') ? list : `{"data":{"budget":${listOf('[]', 30_000_000)}}}`,
    );
    expect(await failureOf(callOperation(client, getBudget, {}))).toMatchObject({
      code: 'unexpected_response',
      message: expect.stringContaining('more values than'),
    });
  });
});

test('a map with many wrong entries is left out as one', async () => {
  const entries = Array.from({ length: 200_000 }, (_, at) => `"k${at}":""`);
  const account = `{"id":"a","name":"A","type":"cash","on_budget":true,"closed":false,"balance":0,"cleared_balance":0,"uncleared_balance":0,"deleted":false,"debt_interest_rates":{${entries}}}`;
  const client = await clientOf(() => `{"data":{"budgets":[{"id":"b","name":"B","accounts":[${account}]}]}}`);
  const call = client.begin({});
  const { data } = await call.read(listBudgets, {});
  const lacks = call.lacks(true);
  expect(data.budgets[0]?.accounts?.[0]).toMatchObject({ id: 'a', debt_interest_rates: null });
  expect(lacks).toMatchObject([{ gaps: [{ id: 'a', fields: { debt_interest_rates: null } }], unknown: [] }]);
});

test('a name in a map that cannot be read reaches no answer', async () => {
  const name = JSON.stringify(`forged\n2026-11-20 \u202e${'x'.repeat(3_000)}`);
  const account = `{"id":"a","name":"A","type":"cash","on_budget":true,"closed":false,"balance":0,"cleared_balance":0,"uncleared_balance":0,"deleted":false,"debt_escrow_amounts":{${name}:""}}`;
  const client = await clientOf(() => `{"data":{"budgets":[{"id":"b","name":"B","accounts":[${account}]}]}}`);
  const call = client.begin({});
  const { data } = await call.read(listBudgets, {});
  const lacks = call.lacks(true);
  expect(data.budgets[0]?.accounts?.[0]).toMatchObject({ id: 'a', debt_escrow_amounts: null });
  expect(JSON.stringify([data, lacks])).not.toContain('forged');
});

test('a response of a token endpoint with more than 64 KiB is not read', async () => {
  const server = await serveHttp((_, response) => {
    const tokens = { access_token: 'a', refresh_token: 'r', token_type: 'bearer', expires_in: 7_200 };
    sendJson(response, { ...tokens, padding: 'x'.repeat(64 * 1024) });
  });
  const sender = new HttpSender({ clock: systemClock });
  onTestFinished(() => sender.close());
  const oauth = new OAuth({ clock: systemClock, send: (request, signal) => sender.send(request, signal) });
  const signIn = {
    id: '1',
    kind: 'authorization_code',
    baseUrl: `${server.url}/v1`,
    appUrl: server.url,
    clientId: 'client',
    clientSecret: 'secret-of-the-client',
    scope: 'full',
    accessToken: 'old',
    refreshToken: 'refresh',
    grantedAt: 0,
    expiresAt: 0,
  } as const;
  expect(await failureOf(oauth.refresh(signIn))).toMatchObject({
    code: 'unexpected_response',
    message: expect.stringContaining('larger than'),
  });
});
