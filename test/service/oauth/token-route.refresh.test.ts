import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningService, startTestService } from '../running-service.helper.ts';
import { Client, errorResponse, tokensOf } from './client.helper.ts';

let service: RunningService;
let client: Client;
beforeAll(async () => {
  service = await startTestService({ transactions: 10 });
  client = new Client(service);
});
afterAll(() => service.close());

const invalidGrant = errorResponse('invalid_grant');

describe('refresh tokens', () => {
  test('a refresh returns a new access token and a new refresh token with the same scope', async () => {
    const first = await client.tokens({ scope: 'read-only' });
    const second = tokensOf(await client.refresh(first.refresh_token));
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(second.access_token).not.toBe(first.access_token);
    expect(await client.status(second.access_token)).toBe(200);
    expect(await client.status(second.access_token, 'POST')).toBe(403);
  });

  test('the old access token stays valid until it expires', async () => {
    const first = await client.tokens();
    const second = tokensOf(await client.refresh(first.refresh_token));
    expect(await client.status(second.access_token)).toBe(200);
    expect(await client.status(first.access_token)).toBe(200);
  });

  test('a refresh token is still valid after its access token expired', async () => {
    const first = await client.tokens();
    service.clock.advance(30 * 86_400_000);
    expect(await client.status(first.access_token)).toBe(401);
    const second = tokensOf(await client.refresh(first.refresh_token));
    expect(await client.status(second.access_token)).toBe(200);
  });

  test('a refresh token is revoked when the new access token is first used', async () => {
    const first = await client.tokens();
    const second = tokensOf(await client.refresh(first.refresh_token));
    await client.status(second.access_token);
    expect(await client.refresh(first.refresh_token)).toMatchObject(invalidGrant);
    expect(await client.status(second.access_token)).toBe(200);
  });

  test('a refresh token is not revoked by use of the old access token', async () => {
    const first = await client.tokens();
    await client.refresh(first.refresh_token);
    await client.status(first.access_token);
    expect((await client.refresh(first.refresh_token)).status).toBe(200);
  });

  test('a second refresh returns a fresh pair while the new one is unused, and revokes the unused one', async () => {
    const first = await client.tokens();
    const unused = tokensOf(await client.refresh(first.refresh_token));
    const second = tokensOf(await client.refresh(first.refresh_token));
    expect(await client.status(unused.access_token)).toBe(401);
    expect(await client.refresh(unused.refresh_token)).toMatchObject(invalidGrant);
    expect(await client.status(second.access_token)).toBe(200);
    expect(await client.refresh(first.refresh_token)).toMatchObject(invalidGrant);
    expect((await client.refresh(second.refresh_token)).status).toBe(200);
  });

  test('a refresh token is revoked when the new refresh token is used', async () => {
    const first = await client.tokens();
    const second = tokensOf(await client.refresh(first.refresh_token));
    const third = tokensOf(await client.refresh(second.refresh_token));
    expect(await client.refresh(first.refresh_token)).toMatchObject(invalidGrant);
    expect(await client.status(third.access_token)).toBe(200);
  });

  test('a refresh token is refused for another application', async () => {
    const { refresh_token } = await client.tokens();
    expect(await new Client(service).refresh(refresh_token)).toMatchObject(invalidGrant);
    expect((await client.refresh(refresh_token)).status).toBe(200);
  });

  test.each(['made-up', 'access token'])(
    'a refresh with a value that is no refresh token is refused: %s',
    async (kind) => {
      const { access_token } = await client.tokens();
      const presented = kind === 'made-up' ? kind : access_token;
      expect(await client.refresh(presented)).toMatchObject(invalidGrant);
    },
  );
});

test('the operator can read how often an old refresh token was accepted or refused', async () => {
  const countingService = await startTestService({ transactions: 10 });
  const application = new Client(countingService);
  const { refreshReuses } = countingService.oauth.authorizations;

  const first = await application.tokens();
  const second = tokensOf(await application.refresh(first.refresh_token));
  await application.status(second.access_token);
  await application.refresh(second.refresh_token);
  expect(refreshReuses).toEqual({ accepted: 0, refused: 0 });
  await application.refresh(second.refresh_token);
  expect(refreshReuses).toEqual({ accepted: 1, refused: 0 });
  await application.refresh(first.refresh_token);
  await application.refresh('made-up');
  expect(refreshReuses).toEqual({ accepted: 1, refused: 1 });
  await countingService.close();
});

test('revoking an authorization revokes all of its tokens and no others', async () => {
  const [revoked, kept] = [await client.tokens(), await client.tokens()];
  const renewed = tokensOf(await client.refresh(revoked.refresh_token));
  const authorization = service.oauth.authorizations.of(service.user).at(-2);
  service.oauth.authorizations.revoke(authorization?.id ?? '');
  for (const { access_token } of [revoked, renewed]) expect(await client.status(access_token)).toBe(401);
  expect(await client.refresh(renewed.refresh_token)).toMatchObject(invalidGrant);
  expect(await client.status(kept.access_token)).toBe(200);
  expect((await client.refresh(kept.refresh_token)).status).toBe(200);
});
