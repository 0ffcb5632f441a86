import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  bearer,
  errorOf,
  type RunningService,
  sendRequest,
  startTestService,
} from './running-service.helper.ts';

let service: RunningService;
beforeAll(async () => {
  service = await startTestService({ accessToken: 'chosen.by~the+operator/1==' });
});
afterAll(() => service.close());

const unauthorized = { status: 401, id: '401', name: 'not_authorized' };

describe('accepted tokens', () => {
  const status = async (path: string, headers: Record<string, string> = {}) =>
    (await sendRequest(service, path, { headers })).status;

  test.each(['Bearer', 'bearer', 'BEARER'])(
    'a token is accepted in the header with the scheme written %s',
    async (scheme) => {
      expect(await status('/user', { Authorization: `${scheme} ${service.accessToken}` })).toBe(200);
    },
  );

  test('a token is accepted in the parameter access_token', async () => {
    expect(await status(`/user?access_token=${encodeURIComponent(service.accessToken)}`)).toBe(200);
  });

  test('the same token is accepted in header and parameter together', async () => {
    const path = `/user?access_token=${encodeURIComponent(service.accessToken)}`;
    expect(await status(path, bearer(service.accessToken))).toBe(200);
  });

  test('a token is accepted until the millisecond of its expiry', async () => {
    const expiresAt = service.clock.now() + 7_200_000;
    const headers = bearer(service.access.issueToken(service.user, { expiresAt }));
    service.clock.advance(7_199_999);
    expect(await status('/user', headers)).toBe(200);
    service.clock.advance(1);
    expect(await errorOf(service, '/user', { headers })).toMatchObject(unauthorized);
  });
});

describe('401 not_authorized', () => {
  test.each<[string, Record<string, string>, string]>([
    ['no token', {}, ''],
    ['an unknown token', bearer('unknown'), ''],
    ['an empty header', { Authorization: '' }, ''],
    ['a scheme without a token', { Authorization: 'Bearer' }, ''],
    ['another scheme', { Authorization: 'Basic Y2hvc2VuOg==' }, ''],
    ['the token without its scheme', { Authorization: 'chosen.by~the+operator/1==' }, ''],
    ['more than one word after the scheme', { Authorization: 'Bearer chosen.by~the+operator/1== x' }, ''],
    ['an empty parameter', {}, '?access_token='],
    ['an unknown token in the parameter', {}, '?access_token=unknown'],
    ['two different tokens', bearer('chosen.by~the+operator/1=='), '?access_token=unknown'],
    ['two different parameters', {}, '?access_token=chosen.by~the%2Boperator%2F1%3D%3D&access_token=unknown'],
    ['a token in upper case', bearer('CHOSEN.BY~THE+OPERATOR/1=='), ''],
  ])('a request gets 401 for %s', async (_what, headers, query) => {
    const response = await sendRequest(service, `/user${query}`, { headers });
    expect(response.headers.get('WWW-Authenticate')).toBe('Bearer');
    expect(response).toMatchObject({
      status: 401,
      body: { error: { id: '401', name: 'not_authorized', detail: expect.any(String) } },
    });
  });

  test('a request gets 401 for a revoked token, and other tokens of the user stay valid', async () => {
    const revoked = service.access.issueToken(service.user);
    service.access.revokeToken(revoked);
    expect(await errorOf(service, '/user', { headers: bearer(revoked) })).toMatchObject(unauthorized);
    expect((await sendRequest(service, '/user')).status).toBe(200);
  });

  test('a request without a token gets 401 before 404, so that the response does not reveal which paths exist', async () => {
    expect(await errorOf(service, '/nowhere', { headers: {} })).toMatchObject(unauthorized);
  });
});

describe('users', () => {
  test('a user sees only budgets of their own, in the list and by id', async () => {
    const otherUser = service.access.addUser([]);
    const headers = bearer(service.access.issueToken(otherUser));
    const [budget] = service.user.ledgers;
    expect((await sendRequest(service, '/budgets', { headers })).body).toEqual({ data: { budgets: [] } });
    expect((await sendRequest(service, '/user', { headers })).body).toEqual({
      data: { user: { id: otherUser.id } },
    });
    for (const id of [budget?.id, 'last-used', 'default']) {
      expect(await errorOf(service, `/budgets/${id}/accounts`, { headers })).toMatchObject({
        status: 404,
        id: '404.2',
      });
    }
  });

  test.each([
    ['subscription_lapsed', '403.1'],
    ['trial_expired', '403.2'],
  ] as const)(
    'a user with %s gets 403 on every path, and the request counts in X-Rate-Limit',
    async (subscription, id) => {
      const user = service.access.addUser([]);
      const headers = bearer(service.access.issueToken(user));
      user.subscription = subscription;
      for (const path of ['/user', '/budgets', '/nowhere']) {
        expect(await errorOf(service, path, { headers })).toMatchObject({
          status: 403,
          id,
          name: subscription,
        });
      }
      expect((await sendRequest(service, '/user', { headers })).headers.get('X-Rate-Limit')).toMatch(/^4\//);
      user.subscription = 'active';
      expect((await sendRequest(service, '/user', { headers })).status).toBe(200);
    },
  );
});
