/** The reuse of refresh tokens (RFC 9700, section 4.14), by thieves and by the processes of one host. */
import { auth } from '@modelcontextprotocol/client';
import { describe, expect, it, vi } from 'vitest';
import { KeptSignIn } from '../programs/kept-sign-in.helper.ts';
import { isValid, serve, startHosting } from './hosting.helper.ts';
import { OAuthClient, REDIRECT_URI, refusal, startWithClient, tokensOf } from './oauth-client.helper.ts';

const HOUR = 3_600_000;
const SIBLINGS_MS = 10_000;

describe('the reuse of refresh tokens', () => {
  it('is allowed while the new token was not used, because its answer may be lost', async () => {
    const { hosting, client } = await startWithClient();
    const first = await client.tokens();
    await client.refresh(first.refresh_token);
    const second = tokensOf(await client.refresh(first.refresh_token));
    const third = tokensOf(await client.refresh(second.refresh_token));
    expect(await isValid(hosting, third.access_token)).toBe(true);
  });

  it('ends the grant after the new token was used', async () => {
    const { hosting, client } = await startWithClient();
    const first = await client.tokens();
    const second = tokensOf(await client.refresh(first.refresh_token));
    const third = tokensOf(await client.refresh(second.refresh_token));
    expect(await client.refresh(first.refresh_token)).toEqual(refusal('invalid_grant'));
    expect(await isValid(hosting, third.access_token)).toBe(false);
    expect(await client.refresh(third.refresh_token)).toEqual(refusal('invalid_grant'));
  });

  it('ends the grant if a thief and the client both got a token for the same one', async () => {
    const { hosting, client } = await startWithClient();
    const first = await client.tokens();
    const stolen = tokensOf(await client.refresh(first.refresh_token));
    hosting.clock.advance(SIBLINGS_MS);
    const own = tokensOf(await client.refresh(first.refresh_token));
    expect(await client.refresh(stolen.refresh_token)).toEqual(refusal('invalid_grant'));
    expect(await isValid(hosting, own.access_token)).toBe(false);
    expect(await client.refresh(own.refresh_token)).toEqual(refusal('invalid_grant'));
  });

  it('at the same time gives each process of a host tokens of its own, which go on', async () => {
    const { hosting, client } = await startWithClient();
    const first = await client.tokens();
    const answers = await Promise.all([1, 2, 3].map(() => client.refresh(first.refresh_token)));
    hosting.clock.advance(HOUR);
    for (const { refresh_token: token } of answers.map(tokensOf)) {
      const next = tokensOf(await client.refresh(token));
      hosting.clock.advance(HOUR);
      const { access_token: last } = tokensOf(await client.refresh(next.refresh_token));
      expect(await isValid(hosting, last)).toBe(true);
    }
  });

  it('at the same time does not hide a later one: that ends the grant with all siblings', async () => {
    const { hosting, client } = await startWithClient();
    const first = await client.tokens();
    const answers = await Promise.all([1, 2].map(() => client.refresh(first.refresh_token)));
    const [one, two] = answers.map(tokensOf);
    tokensOf(await client.refresh(one?.refresh_token ?? ''));
    expect(await client.refresh(first.refresh_token)).toEqual(refusal('invalid_grant'));
    expect(await isValid(hosting, two?.access_token ?? '')).toBe(false);
    expect(await client.refresh(two?.refresh_token ?? '')).toEqual(refusal('invalid_grant'));
  });

  it.each([SIBLINGS_MS - 1, SIBLINGS_MS])(
    'after %d ms leaves the token that was issued before valid for less than ten seconds only',
    async (ms) => {
      const { hosting, client } = await startWithClient();
      const first = await client.tokens();
      const before = tokensOf(await client.refresh(first.refresh_token));
      hosting.clock.advance(ms);
      const later = tokensOf(await client.refresh(first.refresh_token));
      const isSibling = ms < SIBLINGS_MS;
      expect((await client.refresh(before.refresh_token)).status).toBe(isSibling ? 200 : 400);
      expect(await isValid(hosting, later.access_token)).toBe(isSibling);
    },
  );

  it('by another client is refused, and ends nothing', async () => {
    const { hosting, client } = await startWithClient();
    const tokens = await client.tokens();
    const other = await OAuthClient.register(hosting);
    expect(await other.refresh(tokens.refresh_token)).toEqual(refusal('invalid_grant'));
    expect((await other.revoke(tokens.refresh_token)).status).toBe(200);
    expect(await isValid(hosting, tokens.access_token)).toBe(true);
    expect((await client.refresh(tokens.refresh_token)).status).toBe(200);
  });
});

describe('a client whose metadata document cannot be loaded', () => {
  it('is asked to try again when it renews its tokens, also after a restart, and keeps them', async () => {
    const id = 'https://assistant.example/client.json';
    const document = { client_id: id, redirect_uris: [REDIRECT_URI] };
    const hosting = await startHosting({ fetchDocument: async () => Response.json(document) });
    const { refresh_token: token } = await new OAuthClient(hosting, id).tokens();
    const load = vi.fn(async () => Response.json(document)).mockRejectedValueOnce(new Error('too slow'));
    const { routes } = await hosting.otherProcess({ fetchDocument: load });
    const client = new OAuthClient({ ...hosting, url: await serve(routes) }, id);
    expect(await client.refresh(token)).toEqual(refusal('temporarily_unavailable', 503));
    expect(tokensOf(await client.refresh(token))).toBeDefined();
  });
});

describe('a client of the official SDK', () => {
  it('renews a sign-in also if the proxy has no server for the metadata at that moment', async () => {
    const { hosting, client } = await startWithClient();
    const first = await client.tokens();
    const signIn = new KeptSignIn(hosting.issuer, client.id, first);
    const asked: string[] = [];
    const result = await auth(signIn, {
      serverUrl: hosting.resource,
      fetchFn: async (input, init) => {
        const { pathname } = new URL(input);
        asked.push(pathname);
        if (pathname.startsWith('/.well-known/'))
          return new Response('No server has answered.', { status: 502 });
        return fetch(input, init);
      },
    });
    expect(result).toBe('AUTHORIZED');
    expect(asked.at(-1)).toBe('/token');
    const renewed = signIn.tokens();
    expect(renewed.refresh_token).not.toBe(first.refresh_token);
    expect(await isValid(hosting, renewed.access_token)).toBe(true);
  });
});
