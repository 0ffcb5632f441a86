import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningService, startTestService } from '../running-service.ts';
import { Client, refusal, tokensOf } from './client.ts';

let service: RunningService;
let client: Client;
beforeAll(async () => {
  service = await startTestService({ transactions: 10 });
  client = new Client(service);
});
afterAll(() => service.close());

const invalidGrant = refusal('invalid_grant');

describe('a refresh token', () => {
  test('gives a new access token and a new refresh token, with the scope and budget that were allowed', async () => {
    const first = await client.tokens({ scope: 'read-only' });
    const second = tokensOf(await client.refresh(first.refresh_token));
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(second.access_token).not.toBe(first.access_token);
    expect(await client.status(second.access_token)).toBe(200);
    expect(await client.status(second.access_token, 'POST')).toBe(403);
  });

  test('leaves the old access token to its own expiry', async () => {
    const first = await client.tokens();
    const second = tokensOf(await client.refresh(first.refresh_token));
    expect(await client.status(second.access_token)).toBe(200);
    expect(await client.status(first.access_token)).toBe(200);
  });

  test('outlives its access token', async () => {
    const first = await client.tokens();
    service.clock.advance(30 * 86_400_000);
    expect(await client.status(first.access_token)).toBe(401);
    const second = tokensOf(await client.refresh(first.refresh_token));
    expect(await client.status(second.access_token)).toBe(200);
  });

  test('is revoked the first time that the new access token is used', async () => {
    const first = await client.tokens();
    const second = tokensOf(await client.refresh(first.refresh_token));
    await client.status(second.access_token);
    expect(await client.refresh(first.refresh_token)).toMatchObject(invalidGrant);
    expect(await client.status(second.access_token)).toBe(200);
  });

  test('is not revoked by the use of the old access token', async () => {
    const first = await client.tokens();
    await client.refresh(first.refresh_token);
    await client.status(first.access_token);
    expect((await client.refresh(first.refresh_token)).status).toBe(200);
  });

  test('gives a fresh pair as long as the new one is unused, which is revoked', async () => {
    const first = await client.tokens();
    const lost = tokensOf(await client.refresh(first.refresh_token));
    const second = tokensOf(await client.refresh(first.refresh_token));
    expect(await client.status(lost.access_token)).toBe(401);
    expect(await client.refresh(lost.refresh_token)).toMatchObject(invalidGrant);
    expect(await client.status(second.access_token)).toBe(200);
    expect(await client.refresh(first.refresh_token)).toMatchObject(invalidGrant);
    expect((await client.refresh(second.refresh_token)).status).toBe(200);
  });

  test('is revoked as well when the new refresh token is used', async () => {
    const first = await client.tokens();
    const second = tokensOf(await client.refresh(first.refresh_token));
    const third = tokensOf(await client.refresh(second.refresh_token));
    expect(await client.refresh(first.refresh_token)).toMatchObject(invalidGrant);
    expect(await client.status(third.access_token)).toBe(200);
  });

  test('is of no use to another application', async () => {
    const { refresh_token } = await client.tokens();
    expect(await new Client(service).refresh(refresh_token)).toMatchObject(invalidGrant);
    expect((await client.refresh(refresh_token)).status).toBe(200);
  });

  test.each(['made-up', 'access token'])('cannot be %s', async (what) => {
    const { access_token } = await client.tokens();
    const presented = what === 'made-up' ? what : access_token;
    expect(await client.refresh(presented)).toMatchObject(invalidGrant);
  });
});

test('the operator sees how often a refresh token came again, before and after it was revoked', async () => {
  const counting = await startTestService({ transactions: 10 });
  const application = new Client(counting);
  const { refreshReuses } = counting.oauth.authorizations;

  const first = await application.tokens();
  const second = tokensOf(await application.refresh(first.refresh_token));
  await application.status(second.access_token);
  await application.refresh(second.refresh_token);
  expect(refreshReuses).toEqual({ forgiven: 0, refused: 0 });
  await application.refresh(second.refresh_token);
  expect(refreshReuses).toEqual({ forgiven: 1, refused: 0 });
  await application.refresh(first.refresh_token);
  await application.refresh('made-up');
  expect(refreshReuses).toEqual({ forgiven: 1, refused: 1 });
  await counting.close();
});

test('an authorization that the user revokes takes all of its tokens with it, and no others', async () => {
  const [gone, kept] = [await client.tokens(), await client.tokens()];
  const renewed = tokensOf(await client.refresh(gone.refresh_token));
  const authorization = service.oauth.authorizations.of(service.user).at(-2);
  service.oauth.authorizations.revoke(authorization?.id ?? '');
  for (const { access_token } of [gone, renewed]) expect(await client.status(access_token)).toBe(401);
  expect(await client.refresh(renewed.refresh_token)).toMatchObject(invalidGrant);
  expect(await client.status(kept.access_token)).toBe(200);
  expect((await client.refresh(kept.refresh_token)).status).toBe(200);
});
