import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestBrowser } from '../pages/test-browser.helper.ts';
import { type RunningService, startTestService } from '../running-service.helper.ts';
import { Client, errorResponse, tokensOf } from './client.helper.ts';

let service: RunningService;
beforeAll(async () => {
  service = await startTestService({ transactions: 10 });
});
afterAll(() => service.close());

const addUser = (name: string) => {
  const signIn = { email: `${name}@example.com`, password: `password of ${name}` };
  return { signIn, user: service.access.addUser([], signIn) };
};

describe('Restricted Mode', () => {
  test('in Restricted Mode an application gets 25 tokens for users other than its owner, and the next user sees an error page', async () => {
    const client = new Client(service);
    const users = Array.from({ length: 26 }, (_, index) => addUser(`user-${index}`));
    // Tokens of the owner do not count.
    await client.tokens();
    for (const [index, { signIn }] of users.slice(0, 25).entries()) {
      const { status, location } = await client.allow(
        { response_type: index % 2 ? 'token' : 'code' },
        signIn,
      );
      expect(status).toBe(303);
      const code = location.searchParams.get('code');
      if (code) tokensOf(await client.exchange(code));
    }

    const lastSignIn = users.at(-1)?.signIn ?? service.signIn;
    const browser = new TestBrowser(service);
    const page = client.authorize({ state: 'mine' });
    const response = await browser.signIn(page, lastSignIn);
    expect([response.status, response.headers.has('Location')]).toEqual([403, false]);
    expect(response.text).toMatch(
      /role="alert"[^>]*>[^<]* is in Restricted Mode: it may have 25 access tokens/,
    );
    expect((await browser.send(page, { intent: 'allow' })).status).toBe(403);
    const { location } = await browser.send(page, { intent: 'deny' });
    expect(location.search).toMatch(/error=access_denied.*state=mine/);

    expect((await client.allow()).location.searchParams.has('code')).toBe(true);
    const application = service.oauth.applications.find(client.id);
    if (application) application.restricted = false;
    expect((await client.allow({}, lastSignIn)).location.searchParams.has('code')).toBe(true);
  });

  test('in Restricted Mode revoked tokens still count, refreshed ones do not, and the limit applies when a code is exchanged', async () => {
    const client = new Client(service);
    const { user, signIn } = addUser('eager');
    const codes: string[] = [];
    for (let count = 0; count < 26; count++) {
      const { location } = await client.allow({}, signIn);
      codes.push(location.searchParams.get('code') ?? '');
    }
    const [first = '', ...rest] = codes;
    const { refresh_token } = tokensOf(await client.exchange(first));
    const renewed = tokensOf(await client.refresh(refresh_token));
    for (const code of rest.slice(0, 24)) tokensOf(await client.exchange(code));
    expect(await client.exchange(rest.at(-1) ?? '')).toMatchObject(errorResponse('invalid_grant'));

    for (const { id } of service.oauth.authorizations.of(user).slice(1))
      service.oauth.authorizations.revoke(id);
    expect((await client.allow({}, signIn)).status).toBe(403);
    expect((await client.refresh(renewed.refresh_token)).status).toBe(200);
  });
});
