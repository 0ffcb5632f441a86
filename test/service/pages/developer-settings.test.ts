import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Client } from '../oauth/client.helper.ts';
import { bearer, type RunningService, startTestService } from '../running-service.helper.ts';
import { type PageResponse, TestBrowser } from './test-browser.helper.ts';

const page = '/settings/developer';

let service: RunningService;
let browser: TestBrowser;
beforeAll(async () => {
  service = await startTestService({ transactions: 10 });
});
beforeEach(async () => {
  browser = new TestBrowser(service);
  await browser.signIn(page, service.signIn);
});
afterAll(() => service.close());

const password = () => service.signIn.password;
const secretsIn = ({ text }: PageResponse) =>
  [...text.matchAll(/<dd><code>([^<]+)<\/code>/g)].map(([, secret = '']) => secret);
/** The id in the form with the revoke button for `name`. */
const idOf = ({ text }: PageResponse, name: string) =>
  new RegExp(`name="id" value="([^"]+)">\\s*<button[^>]*aria-label="Revoke ${name},`).exec(text)?.[1] ?? '';
const statusWith = async (token: string) =>
  (await fetch(`${service.baseUrl}/user`, { headers: bearer(token) })).status;

describe('personal access tokens', () => {
  const create = (label: string) =>
    browser.send(page, { intent: 'create-token', label, password: password() });

  test('a personal access token is created with the password, shown once, and does not expire', async () => {
    const created = await create('Spreadsheet');
    const [token = '', ...otherSecrets] = secretsIn(created);
    expect(otherSecrets).toEqual([]);
    expect(await statusWith(token)).toBe(200);
    const later = await browser.get(page);
    expect(later.text).not.toContain(token);
    expect(later.text).toContain(`ends in ${token.slice(-4)}`);
    expect(later.text).toMatch(/<b>Spreadsheet<\/b>.*Made on 2026-11-21/);
    service.clock.advance(3_000 * 86_400_000);
    expect(await statusWith(token)).toBe(200);
  });

  test.each(['', 'wrong'])('a personal access token is not created with the password %j', async (entered) => {
    const before = service.access.personalTokensOf(service.user).length;
    const response = await browser.send(page, { intent: 'create-token', label: 'No', password: entered });
    expect(response.status).toBe(422);
    expect(response.text).toMatch(/role="alert"[^>]*>The password is wrong\./);
    expect(secretsIn(response)).toEqual([]);
    expect(service.access.personalTokensOf(service.user)).toHaveLength(before);
  });

  test.each(['', '   ', 'x'.repeat(61)])('a personal access token cannot have the name %j', async (label) => {
    const response = await create(label);
    expect([response.status, secretsIn(response)]).toEqual([422, []]);
  });

  test('the name of a personal access token is escaped', async () => {
    const { text } = await create('<b>"bold"</b>');
    expect(text).toContain('&lt;b&gt;&quot;bold&quot;&lt;/b&gt;');
    expect(text).not.toContain('<b>"bold"');
  });

  test('revoking a personal access token keeps the others', async () => {
    const [revoked = ''] = secretsIn(await create('Gone'));
    const created = await create('Kept');
    const [kept = ''] = secretsIn(created);
    const response = await browser.send(page, { intent: 'revoke-token', id: idOf(created, 'Gone') });
    expect(response.text).toContain('role="status"');
    expect(response.text).not.toContain('<b>Gone</b>');
    expect([await statusWith(revoked), await statusWith(kept)]).toEqual([401, 200]);
  });

  test('a personal access token is shown to its owner only, and only the owner can revoke it', async () => {
    const created = await create('Mine');
    const [token = ''] = secretsIn(created);
    const signIn = { email: 'other@example.com', password: 'other' };
    service.access.addUser([], signIn);
    const otherBrowser = new TestBrowser(service);
    expect((await otherBrowser.signIn(page, signIn)).text).not.toContain('Mine');
    await otherBrowser.send(page, { intent: 'revoke-token', id: idOf(created, 'Mine') });
    expect(await statusWith(token)).toBe(200);
  });
});

describe('authorizations', () => {
  test('authorizations are listed with their scope and revoked one by one', async () => {
    const client = new Client(service, { name: 'Charts' });
    const readOnlyTokens = await client.tokens({ scope: 'read-only' });
    const fullTokens = await client.tokens();
    const { location } = await client.allow({ response_type: 'token' });
    const implicitToken = new URLSearchParams(location.hash.slice(1)).get('access_token') ?? '';

    const response = await browser.signIn(page, service.signIn);
    expect(response.text.match(/<b>Charts<\/b>.*?<\/p><p class="faint">([^<,]*),/g)).toHaveLength(3);
    expect(response.text).toContain('ends at 14:00 UTC');
    await browser.send(page, {
      intent: 'revoke-authorization',
      id: idOf(response, 'Charts, Read-only access'),
    });
    expect(await statusWith(readOnlyTokens.access_token)).toBe(401);
    expect((await client.refresh(readOnlyTokens.refresh_token)).status).toBe(400);
    expect([await statusWith(fullTokens.access_token), await statusWith(implicitToken)]).toEqual([200, 200]);

    service.clock.advance(7_200_000);
    const later = await browser.signIn(page, service.signIn);
    expect(later.text.match(/aria-label="Revoke Charts/g)).toHaveLength(1);
  });

  test('an authorization is shown to its user only, and only that user can revoke it', async () => {
    const client = new Client(service, { name: 'Private' });
    const { access_token } = await client.tokens();
    const response = await browser.get(page);
    const signIn = { email: 'stranger@example.com', password: 'stranger' };
    service.access.addUser([], signIn);
    const otherBrowser = new TestBrowser(service);
    expect((await otherBrowser.signIn(page, signIn)).text).not.toContain('Private');
    await otherBrowser.send(page, { intent: 'revoke-authorization', id: idOf(response, 'Private') });
    expect(await statusWith(access_token)).toBe(200);
  });
});

describe('OAuth applications', () => {
  const create = (fields: Record<string, string>) =>
    browser.send(page, { intent: 'create-application', ...fields });

  test('a new OAuth application has an id, a secret that is shown once, and Restricted Mode', async () => {
    const created = await create({
      name: 'Mine',
      redirect_uris: 'https://a.example/\r\nhttps://b.example/',
      default_budget: 'on',
    });
    const [clientId = '', clientSecret = ''] = secretsIn(created);
    expect(service.oauth.applications.authenticate({ clientId, clientSecret })).toMatchObject({
      name: 'Mine',
      redirectUris: ['https://a.example/', 'https://b.example/'],
      selectsDefaultBudget: true,
      restricted: true,
      owner: service.user,
    });
    const later = await browser.get(page);
    expect(later.text).toContain(clientId);
    expect(later.text).not.toContain(clientSecret);
  });

  test.each([
    [{ name: '', redirect_uris: 'https://a.example/' }, 'The name must have'],
    [{ name: 'Hidden\u202e', redirect_uris: 'https://a.example/' }, 'The name must have'],
    [{ name: 'Mine', redirect_uris: '' }, 'Give one redirect URI'],
    [{ name: 'Mine', redirect_uris: 'http://a.example/' }, 'A redirect URI must begin with'],
    [{ name: 'Mine', redirect_uris: 'javascript:alert(1)' }, 'A redirect URI must begin with'],
  ])('an OAuth application cannot be registered as %j', async (fields, message) => {
    const response = await create(fields);
    expect([response.status, secretsIn(response)]).toEqual([422, []]);
    expect(response.text).toContain(message);
  });
});

test.each([{}, { intent: 'unknown' }, { intent: 'revoke-token' }])(
  'a form without a valid action is refused: %j',
  async (fields) => {
    expect((await browser.send(page, fields)).status).toBe(422);
  },
);
