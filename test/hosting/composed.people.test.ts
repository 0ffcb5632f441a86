/** `--allow-people`: who may sign in at a hosted server, and what others see. */
import { expect, test } from 'vitest';
import { startComposed } from './composed.helper.ts';
import { decide, signInUpstream } from './hosting.helper.ts';
import { OAuthClient, refusal, tokensOf } from './oauth-client.helper.ts';

async function start(allowPeople: (userId: string) => string) {
  const hosting = await startComposed();
  const userId = hosting.service.user.id;
  await hosting.restart({ allowPeople: allowPeople(userId) });
  const client = await OAuthClient.register(hosting, { client_name: 'Assistant' });
  return { hosting, client, userId };
}

const linkOf = (text: string) => new URL(/<a href="([^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '');

test('a person who is not on the list sees their own id, and the application learns that nothing was allowed', async () => {
  const { hosting, client, userId } = await start(() => 'none');
  const browser = hosting.browser();
  const view = await decide(hosting, client.url(), {}, browser);
  expect(view.status).toBe(403);
  expect(view.text).toContain('You are not on the list of this server');
  expect(view.text).toContain(`<code>${userId}</code>`);
  const answer = await browser.open(linkOf(view.text));
  expect(answer.url.href.startsWith(client.redirectUri)).toBe(true);
  expect(answer.url.searchParams.get('error')).toBe('access_denied');
  expect(answer.url.searchParams.has('code')).toBe(false);
});

test('nothing is kept of a person who is not on the list, and their id is in no log', async () => {
  const { hosting, client, userId } = await start(() => 'none');
  const browser = hosting.browser();
  const consent = await browser.open(client.url());
  const before = [...hosting.memory.records.keys()];
  const signIn = await browser.submit(consent, { decision: 'allow' });
  const person = hosting.service.signIn;
  expect((await signInUpstream(signIn, browser, { person, upstream: 'allow' })).status).toBe(403);
  expect((await hosting.account()).view.status).toBe(403);
  const after = [...hosting.memory.records.keys()];
  expect(after.filter((name) => !before.includes(name))).toEqual([]);
  expect(JSON.stringify([...hosting.memory.records]) + hosting.logged.join()).not.toContain(userId);
});

test('people on the list sign in as before', async () => {
  const { hosting, client } = await start((userId) => `someone-else, ${userId}`);
  const { access_token: token } = await client.tokens();
  expect((await hosting.call(token, 'list_accounts')).text).toContain('Checking');
  expect((await hosting.account()).view.text).toContain('Assistant');
});

test('the access of a person who is no longer on the list is refused with the reason, and continues when they are back', async () => {
  const { hosting, client, userId } = await start((id) => id);
  const tokens = await client.tokens();
  const { browser } = await hosting.account();
  await hosting.restart({ allowPeople: 'someone-else' });
  const refused = await hosting.call(tokens.access_token, 'list_accounts');
  expect(refused.status).toBe(401);
  expect(refused.text).toContain('not on the list of people of this server');
  expect(refused.headers.get('www-authenticate')).toContain('error="invalid_token"');
  expect(await client.refresh(tokens.refresh_token)).toEqual(refusal('invalid_grant'));
  expect((await decide(hosting, client.url())).text).toContain(userId);
  expect((await browser.open(`${hosting.issuer}/account`)).text).not.toContain('Assistant');
  await hosting.restart({ allowPeople: userId });
  expect((await hosting.call(tokens.access_token, 'list_accounts')).text).toContain('Checking');
  expect(tokensOf(await client.refresh(tokens.refresh_token))).toBeDefined();
  expect((await browser.open(`${hosting.issuer}/account`)).text).toContain('Assistant');
});

test('a code that was issued to a person who is no longer on the list gives no tokens', async () => {
  const { hosting, client } = await start((id) => id);
  const code = await client.code();
  await hosting.restart({ allowPeople: 'someone-else' });
  expect(await client.exchange(code)).toEqual(refusal('invalid_grant'));
});
