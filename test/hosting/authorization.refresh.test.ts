/** The reuse of refresh tokens (RFC 9700, section 4.14). */
import { describe, expect, it } from 'vitest';
import { isValid } from './hosting.helper.ts';
import { OAuthClient, refusal, startWithClient, tokensOf } from './oauth-client.helper.ts';

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
    const own = tokensOf(await client.refresh(first.refresh_token));
    expect(await client.refresh(stolen.refresh_token)).toEqual(refusal('invalid_grant'));
    expect(await isValid(hosting, own.access_token)).toBe(false);
    expect(await client.refresh(own.refresh_token)).toEqual(refusal('invalid_grant'));
  });

  it('leaves one line of tokens, or none, if a token is used many times at once', async () => {
    const { client } = await startWithClient();
    const first = await client.tokens();
    const answers = await Promise.all([1, 2, 3, 4].map(() => client.refresh(first.refresh_token)));
    const tokens = answers.filter(({ status }) => status === 200).map(tokensOf);
    const used = [];
    for (const { refresh_token: token } of tokens) used.push((await client.refresh(token)).status);
    expect(used.filter((status) => status === 200).length).toBeLessThanOrEqual(1);
  });

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
