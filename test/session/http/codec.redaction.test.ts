/** A service that repeats the token it received, over real HTTP. */
import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { fixedTokenProvider } from '../../../src/auth/token-provider.ts';
import { BudgetClient } from '../../../src/session/budget-client.ts';
import { redactionOf } from '../../../src/session/http/codec.ts';
import { HttpSender } from '../../../src/session/http/http-sender.ts';
import { fuzzRuns } from '../../fuzz.helper.ts';
import { type LocalServer, serveHttp } from '../../local-server.helper.ts';
import { ManualClock } from '../../manual-clock.helper.ts';
import { hostOf } from '../../mcp/connected.helper.ts';

const TOKEN = 'eyJhbGciOi/J9.token+of~the-user_0001==';

/** A host of the server that asks `service`, and everything that the server has logged. */
async function hostOfServerAt({ url }: LocalServer) {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const sender = new HttpSender({ clock });
  onTestFinished(() => sender.close());
  const logged: unknown[] = [];
  const client = new BudgetClient({
    tokens: fixedTokenProvider({ baseUrl: url, token: TOKEN }),
    sender,
    clock,
    onRequest: (exchange) => logged.push(exchange),
  });
  const host = await hostOf({ client, clock }, { log: { error: (details) => logged.push(details) } });
  return { host, logged };
}

const error = (fields: object) => ({ error: { id: '400', name: 'bad_request', detail: 'no', ...fields } });

describe.each([
  ['the detail of an error', 400, error({ detail: `You sent Bearer ${TOKEN}.` })],
  ['a detail that is cut in the middle of it', 400, error({ detail: `${'x'.repeat(280)}${TOKEN}` })],
  ['the name of an error', 400, error({ name: `Authorization: Bearer ${TOKEN}` })],
  ['the id of an error', 418, error({ id: TOKEN })],
  ['the name of a budget', 200, { data: { budgets: [{ id: 'b', name: `Bearer ${TOKEN}` }] } }],
])('a token that the service repeats in %s', (_, status, body) => {
  const json = JSON.stringify(body);
  test.each([
    ['as it is', json],
    ['with escapes that JSON allows', json.replaceAll('/', '\\/').replaceAll('+', '\\u002B')],
  ])('a repeated token reaches neither the host nor the log: %s', async (_, sent) => {
    const server = await serveHttp((request, response) => {
      expect(request.headers.authorization).toBe(`Bearer ${TOKEN}`);
      response.writeHead(status, { 'content-type': `application/json; was=${TOKEN}` }).end(sent);
    });
    const { host, logged } = await hostOfServerAt(server);
    const answered = inspect(await host.callTool({ name: 'list_budgets', arguments: {} }), { depth: 10 });
    expect(answered).toContain('(secret)');
    for (const text of [answered, inspect(logged, { depth: 10 })]) {
      expect(text).not.toContain(TOKEN);
      expect(text).not.toContain(TOKEN.slice(0, 10));
    }
  });
});

test('a response that repeats the token in its content type does not reveal it', async () => {
  const server = await serveHttp((_, response) =>
    response.writeHead(200, { 'content-type': `text/html; was=${TOKEN}` }).end('<html>'),
  );
  const { host } = await hostOfServerAt(server);
  const answered = inspect(await host.callTool({ name: 'list_budgets', arguments: {} }), { depth: 10 });
  expect(answered).toContain('text/html');
  expect(answered).not.toContain(TOKEN.slice(0, 10));
});

test('no token of visible characters remains in JSON, however its encoder escapes characters', () => {
  const token = fc.string({
    unit: fc.integer({ min: 0x21, max: 0x7e }).map((c) => String.fromCharCode(c)),
    minLength: 8,
  });
  const escaped = (text: string, seed: number) =>
    [...text]
      .map((character, at) => {
        const code = character.charCodeAt(0).toString(16).padStart(4, '0');
        if ((seed >> (at % 30)) % 2 === 1) return `\\u${at % 2 === 0 ? code : code.toUpperCase()}`;
        return JSON.stringify(character).slice(1, -1);
      })
      .join('');
  fc.assert(
    fc.property(token, fc.nat(), (secret, seed) => {
      const body = `{"a":"<${escaped(secret, seed)}>"}`;
      expect(JSON.parse(redactionOf(secret)(body))).toEqual({ a: '<(secret)>' });
    }),
    { numRuns: fuzzRuns(300) },
  );
});
