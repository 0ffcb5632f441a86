import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Client } from '../oauth/client.ts';
import { bearer, type RunningService, startTestService } from '../running-service.ts';
import { type Seen, Visitor } from './visitor.ts';

const page = '/settings/developer';

let service: RunningService;
let visitor: Visitor;
beforeAll(async () => {
  service = await startTestService({ transactions: 10 });
});
beforeEach(async () => {
  visitor = new Visitor(service);
  await visitor.signIn(page, service.signIn);
});
afterAll(() => service.close());

const password = () => service.signIn.password;
const secretsIn = ({ text }: Seen) =>
  [...text.matchAll(/<dd><code>([^<]+)<\/code>/g)].map(([, secret = '']) => secret);
/** The id in the form whose button ends what is called so. */
const idOf = ({ text }: Seen, name: string) =>
  new RegExp(`name="id" value="([^"]+)">\\s*<button[^>]*aria-label="Revoke ${name},`).exec(text)?.[1] ?? '';
const statusWith = async (token: string) =>
  (await fetch(`${service.baseUrl}/user`, { headers: bearer(token) })).status;

describe('a personal access token', () => {
  const make = (label: string) => visitor.send(page, { intent: 'create-token', label, password: password() });

  test('is made with the password, shown once, and does not expire', async () => {
    const made = await make('Spreadsheet');
    const [token = '', ...more] = secretsIn(made);
    expect(more).toEqual([]);
    expect(await statusWith(token)).toBe(200);
    const later = await visitor.get(page);
    expect(later.text).not.toContain(token);
    expect(later.text).toContain(`ends in ${token.slice(-4)}`);
    expect(later.text).toMatch(/<b>Spreadsheet<\/b>.*Made on 2026-11-21/);
    service.clock.advance(3_000 * 86_400_000);
    expect(await statusWith(token)).toBe(200);
  });

  test.each(['', 'wrong'])('is not made with the password %j', async (typed) => {
    const before = service.access.personalTokensOf(service.user).length;
    const seen = await visitor.send(page, { intent: 'create-token', label: 'No', password: typed });
    expect(seen.status).toBe(422);
    expect(seen.text).toMatch(/role="alert"[^>]*>The password is wrong\./);
    expect(secretsIn(seen)).toEqual([]);
    expect(service.access.personalTokensOf(service.user)).toHaveLength(before);
  });

  test.each(['', '   ', 'x'.repeat(61)])('cannot be called %j', async (label) => {
    const seen = await make(label);
    expect([seen.status, secretsIn(seen)]).toEqual([422, []]);
  });

  test('is called what its owner calls it, as text', async () => {
    const { text } = await make('<b>"bold"</b>');
    expect(text).toContain('&lt;b&gt;&quot;bold&quot;&lt;/b&gt;');
    expect(text).not.toContain('<b>"bold"');
  });

  test('is revoked alone', async () => {
    const [gone = ''] = secretsIn(await make('Gone'));
    const made = await make('Kept');
    const [kept = ''] = secretsIn(made);
    const seen = await visitor.send(page, { intent: 'revoke-token', id: idOf(made, 'Gone') });
    expect(seen.text).toContain('role="status"');
    expect(seen.text).not.toContain('<b>Gone</b>');
    expect([await statusWith(gone), await statusWith(kept)]).toEqual([401, 200]);
  });

  test('is seen and revoked by nobody but its owner', async () => {
    const made = await make('Mine');
    const [token = ''] = secretsIn(made);
    const signIn = { email: 'other@example.com', password: 'other' };
    service.access.addUser([], signIn);
    const other = new Visitor(service);
    expect((await other.signIn(page, signIn)).text).not.toContain('Mine');
    await other.send(page, { intent: 'revoke-token', id: idOf(made, 'Mine') });
    expect(await statusWith(token)).toBe(200);
  });
});

describe('what applications were allowed', () => {
  test('is listed with its scope and revoked one by one', async () => {
    const client = new Client(service, { name: 'Charts' });
    const reading = await client.tokens({ scope: 'read-only' });
    const writing = await client.tokens();
    const { location } = await client.allowed({ response_type: 'token' });
    const implicit = new URLSearchParams(location.hash.slice(1)).get('access_token') ?? '';

    const seen = await visitor.signIn(page, service.signIn);
    expect(seen.text.match(/<b>Charts<\/b>.*?<\/p><p class="faint">([^<,]*),/g)).toHaveLength(3);
    expect(seen.text).toContain('ends at 14:00 UTC');
    await visitor.send(page, { intent: 'revoke-authorization', id: idOf(seen, 'Charts, Read-only access') });
    expect(await statusWith(reading.access_token)).toBe(401);
    expect((await client.refresh(reading.refresh_token)).status).toBe(400);
    expect([await statusWith(writing.access_token), await statusWith(implicit)]).toEqual([200, 200]);

    service.clock.advance(7_200_000);
    const later = await visitor.signIn(page, service.signIn);
    expect(later.text.match(/aria-label="Revoke Charts/g)).toHaveLength(1);
  });

  test('is revoked by nobody but the user who allowed it', async () => {
    const client = new Client(service, { name: 'Private' });
    const { access_token } = await client.tokens();
    const seen = await visitor.get(page);
    const signIn = { email: 'stranger@example.com', password: 'stranger' };
    service.access.addUser([], signIn);
    const stranger = new Visitor(service);
    expect((await stranger.signIn(page, signIn)).text).not.toContain('Private');
    await stranger.send(page, { intent: 'revoke-authorization', id: idOf(seen, 'Private') });
    expect(await statusWith(access_token)).toBe(200);
  });
});

describe('an OAuth application', () => {
  const make = (fields: Record<string, string>) =>
    visitor.send(page, { intent: 'create-application', ...fields });

  test('is registered with an id and a secret, which is shown once, and begins in Restricted Mode', async () => {
    const made = await make({
      name: 'Mine',
      redirect_uris: 'https://a.example/\r\nhttps://b.example/',
      default_budget: 'on',
    });
    const [clientId = '', clientSecret = ''] = secretsIn(made);
    expect(service.oauth.applications.authenticate({ clientId, clientSecret })).toMatchObject({
      name: 'Mine',
      redirectUris: ['https://a.example/', 'https://b.example/'],
      selectsDefaultBudget: true,
      restricted: true,
      owner: service.user,
    });
    const later = await visitor.get(page);
    expect(later.text).toContain(clientId);
    expect(later.text).not.toContain(clientSecret);
  });

  test.each([
    [{ name: '', redirect_uris: 'https://a.example/' }, 'The name must have'],
    [{ name: 'Hidden\u202e', redirect_uris: 'https://a.example/' }, 'The name must have'],
    [{ name: 'Mine', redirect_uris: '' }, 'Give one redirect URI'],
    [{ name: 'Mine', redirect_uris: 'http://a.example/' }, 'A redirect URI must begin with'],
    [{ name: 'Mine', redirect_uris: 'javascript:alert(1)' }, 'A redirect URI must begin with'],
  ])('is not registered as %j', async (fields, message) => {
    const seen = await make(fields);
    expect([seen.status, secretsIn(seen)]).toEqual([422, []]);
    expect(seen.text).toContain(message);
  });
});

test.each([{}, { intent: 'unknown' }, { intent: 'revoke-token' }])(
  'a form that says nothing is refused: %j',
  async (fields) => {
    expect((await visitor.send(page, fields)).status).toBe(422);
  },
);
