/**
 * Any callback from the browser gives a `BudgetError` without a secret, or a sign-in that can be stored.
 */
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { listenForRedirect } from '../../src/auth/loopback-redirect.ts';
import { type Application, OAuth, type Send } from '../../src/auth/oauth.ts';
import { parseSignIn } from '../../src/auth/token-store.ts';
import { HttpSender } from '../../src/session/http/http-sender.ts';
import { fuzzRuns } from '../fuzz.helper.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { exchange, requestOf } from '../raw-http.helper.ts';
import { startTestService } from '../service/running-service.helper.ts';
import { budgetErrorOf } from './budget-error-of.helper.ts';
import { agree } from './signed-in.helper.ts';

const RUNS = fuzzRuns(300);

const redirectUri = 'http://127.0.0.1:4711/callback';

const SECRET = 'SECRET-7c1e';

/** Values that the service sends, and values that it does not send. */
const names = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom('code', 'state', 'error', 'access_token', 'token_type', 'expires_in'),
  },
  fc.constantFrom('iss', 'response', 'id_token', 'token', 'error_description', 'refresh_token', '__proto__'),
  fc.string({ unit: 'binary' }),
);

const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }));

const numbers = fc
  .oneof(fc.double(), fc.bigInt(), fc.constantFrom('1e306', '1e300', '-1', '0x10', ' 7 ', '1e-9'))
  .map(String);

const values = fc.oneof(
  anyText.map((text) => SECRET + text),
  anyText,
  numbers,
  fc.constantFrom('access_denied', 'server_error', 'invalid_scope', 'bearer', 'Bearer', 'constructor'),
);

type Pair = [name: string, value: string];

const encoded = (pairs: Pair[]) => new URLSearchParams(pairs).toString();

/** The query or fragment of a callback. `STATE` and `CODE` stand for the values of the service. */
const callbacks = fc.oneof(
  // Parameters, in any order and number.
  fc.array(fc.oneof(fc.tuple(names, values), fc.constant<Pair>(['state', 'STATE']))).map(encoded),
  // Almost right.
  fc
    .tuple(
      fc.constantFrom('CODE', 'CODE', `${SECRET}-code`),
      fc.oneof(fc.constant('t1'), values),
      fc.oneof(fc.constant('60'), numbers),
      fc.option(fc.tuple(names, values)),
    )
    .map(([code, token, seconds, more]) =>
      encoded([
        ['state', 'STATE'],
        ['code', code],
        ['access_token', token],
        ['expires_in', seconds],
        ...(more ? [more] : []),
      ]),
    ),
  // Text that is not a query, or has an unusual encoding.
  fc
    .array(
      fc.constantFrom('%', '%zz', '%00', '%ff', '+', '&', '=', '&&', '#', 'state=STATE', 'code=', 'code%3d'),
    )
    .map((parts) => parts.join('')),
  anyText,
);

async function startOAuth() {
  const service = await startTestService();
  onTestFinished(() => service.close());
  const sender = new HttpSender({ clock: service.clock });
  onTestFinished(() => sender.close());
  const send: Send = (request, signal) => sender.send(request, signal);
  return { service, oauth: new OAuth({ clock: service.clock, send }) };
}

test.each(['authorization_code', 'implicit'] as const)(
  'every callback of the grant %s gives an error that says why, or a sign-in that can be stored',
  async (kind) => {
    const { service, oauth } = await startOAuth();
    const { appUrl, baseUrl, client } = service;
    const { clientId, clientSecret } = client;
    const common = { appUrl, clientId, scope: 'full' } as const;
    const application: Application =
      kind === 'implicit' ? { kind, ...common } : { kind, ...common, clientSecret };
    let signIns = 0;
    let errors = 0;
    await fc.assert(
      fc.asyncProperty(callbacks, async (text) => {
        const { url, state, granted } = await oauth.authorization(application, redirectUri);
        const code = kind === 'implicit' ? '' : (agree(service, url).get('code') ?? '');
        const callback = new URLSearchParams(text.replaceAll('STATE', state).replaceAll('CODE', code));
        const outcome = await budgetErrorOf(granted(callback), [SECRET, state, clientSecret]);
        if ('error' in outcome) {
          errors += 1;
          return;
        }
        signIns += 1;
        const signIn = { id: 'sign-in-1', baseUrl, ...outcome.value };
        expect(parseSignIn(JSON.stringify(signIn), 'a store')).toEqual(signIn);
      }),
      { numRuns: RUNS },
    );
    // Otherwise half of the property was not tested.
    expect(Math.min(signIns, errors)).toBeGreaterThan(0);
  },
);

const headers = fc.dictionary(
  fc.constantFrom(
    'origin',
    'cookie',
    'referer',
    'content-type',
    'accept',
    'x-forwarded-host',
    'authorization',
  ),
  fc.string({ unit: 'binary' }).map((text) => text.replaceAll(/[\r\n]/g, ' ')),
);

const requests = fc.record({
  method: fc.constantFrom('GET', 'GET', 'GET', 'POST', 'HEAD', 'PUT', 'OPTIONS', 'get', 'B@D'),
  target: fc.oneof(
    callbacks.map((query) => `/callback?${query}`),
    callbacks.map((query) => `/callback/start?${query}`),
    callbacks,
    fc.webPath(),
  ),
  headers,
  isOurHost: fc.boolean(),
  isOurOrigin: fc.boolean(),
  body: callbacks,
});

test.each([false, true])(
  'the listener for the redirect answers every request, and no request ends a sign-in (fragment: %s)',
  async (inFragment) => {
    const state = `${SECRET}-state`;
    const authorization = { url: `https://app.example.com/oauth/authorize?state=${state}`, state };
    const clock = new ManualClock('2026-11-21T12:00:00Z');
    const redirect = await listenForRedirect({ clock, inFragment });
    onTestFinished(() => redirect.close());
    const { signal } = new AbortController();
    const accepted: URLSearchParams[] = [];
    const finish = async (callback: URLSearchParams) => {
      accepted.push(callback);
      return { heading: 'You are signed in', text: '' };
    };
    const received = redirect.receive(authorization, finish, signal);
    const { host, origin, port } = new URL(redirect.uri);
    await fc.assert(
      fc.asyncProperty(requests, async ({ method, target, headers, isOurHost, isOurOrigin, body }) => {
        // Wrong codes from the start page itself may end a sign-in.
        const isStart = target.includes('/start');
        const line = target.replaceAll(/[\r\n]/g, ' ');
        const request = requestOf(method, line, {
          body,
          headers: { ...headers, ...(isOurHost && { host }), ...(isOurOrigin && !isStart && { origin }) },
        });
        const answer = await exchange(Number(port), request);
        expect([200, 400, 403, 404, 405, 421]).toContain(answer.status);
        expect(answer.body).not.toContain(SECRET);
        expect(accepted).toEqual([]);
      }),
      { numRuns: RUNS },
    );
    const right = await fetch(`${redirect.uri}?code=c1&state=${state}`);
    expect(right.status).toBe(200);
    await received;
    expect(accepted.map(String)).toEqual([`code=c1&state=${state}`]);
  },
);
