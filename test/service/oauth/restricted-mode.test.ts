import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Visitor } from '../pages/visitor.ts';
import { type RunningService, startTestService } from '../running-service.ts';
import { Client, refusal, tokensOf } from './client.ts';

let service: RunningService;
beforeAll(async () => {
  service = await startTestService({ transactions: 10 });
});
afterAll(() => service.close());

const person = (name: string) => {
  const signIn = { email: `${name}@example.com`, password: `password of ${name}` };
  return { signIn, user: service.access.addUser([], signIn) };
};

describe('Restricted Mode', () => {
  test('ends at 25 tokens for users other than the owner: the 26th user is told on the page', async () => {
    const client = new Client(service);
    const users = Array.from({ length: 26 }, (_, at) => person(`user-${at}`));
    // The owner's own tokens are not among the 25.
    await client.tokens();
    for (const [at, { signIn }] of users.slice(0, 25).entries()) {
      const { status, location } = await client.allowed({ response_type: at % 2 ? 'token' : 'code' }, signIn);
      expect(status).toBe(303);
      const code = location.searchParams.get('code');
      if (code) tokensOf(await client.exchange(code));
    }

    const last = users.at(-1)?.signIn ?? service.signIn;
    const visitor = new Visitor(service);
    const page = client.authorize({ state: 'mine' });
    const seen = await visitor.signIn(page, last);
    expect([seen.status, seen.headers.has('Location')]).toEqual([403, false]);
    expect(seen.text).toMatch(/role="alert"[^>]*>[^<]* is in Restricted Mode: it may have 25 access tokens/);
    expect((await visitor.send(page, { intent: 'allow' })).status).toBe(403);
    const { location } = await visitor.send(page, { intent: 'deny' });
    expect(location.search).toMatch(/error=access_denied.*state=mine/);

    expect((await client.allowed()).location.searchParams.has('code')).toBe(true);
    const application = service.oauth.applications.find(client.id);
    if (application) application.restricted = false;
    expect((await client.allowed({}, last)).location.searchParams.has('code')).toBe(true);
  });

  test('counts neither refreshed tokens nor revoked ones back, and holds for codes under way', async () => {
    const client = new Client(service);
    const { user, signIn } = person('eager');
    const codes: string[] = [];
    for (let count = 0; count < 26; count++) {
      const { location } = await client.allowed({}, signIn);
      codes.push(location.searchParams.get('code') ?? '');
    }
    const [first = '', ...rest] = codes;
    const { refresh_token } = tokensOf(await client.exchange(first));
    const renewed = tokensOf(await client.refresh(refresh_token));
    for (const code of rest.slice(0, 24)) tokensOf(await client.exchange(code));
    expect(await client.exchange(rest.at(-1) ?? '')).toMatchObject(refusal('invalid_grant'));

    for (const { id } of service.oauth.authorizations.of(user).slice(1))
      service.oauth.authorizations.revoke(id);
    expect((await client.allowed({}, signIn)).status).toBe(403);
    expect((await client.refresh(renewed.refresh_token)).status).toBe(200);
  });
});
