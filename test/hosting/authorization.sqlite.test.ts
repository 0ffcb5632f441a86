/** Two processes with one file. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { collectGarbage } from '../collect-garbage.helper.ts';
import { openStore, sqlite, temporaryDirectory } from '../store/sqlite.helper.ts';
import { serve, startHosting } from './hosting.helper.ts';
import { OAuthClient, refusal, tokensOf } from './oauth-client.helper.ts';

async function start() {
  const directory = temporaryDirectory();
  const hosting = await startHosting({
    openStore: (clock) => openStore(join(directory, 'server.db'), clock),
  });
  const client = await OAuthClient.register(hosting, { client_name: 'Assistant of Anna' });
  return { directory, hosting, client };
}

it.skipIf(!sqlite)(
  'a token of one process is valid in the other until one of them ends its grant',
  async () => {
    const { hosting, client } = await start();
    const other = await hosting.otherProcess();
    const ended: string[] = [];
    other.grants.onEnded((grantId) => ended.push(grantId));
    const first = await client.tokens();
    const tokens = tokensOf(await client.refresh(first.refresh_token));
    const verified = await other.verify(tokens.access_token);
    expect(verified).toEqual(await hosting.authorization.verify(tokens.access_token));
    const { grantId = '', grantKey = new Uint8Array() } = verified ?? {};
    expect(await other.grants.tokenStore(grantId, grantKey).read('any')).toMatchObject({ scope: 'full' });
    await client.revoke(tokens.access_token);
    expect(await other.verify(tokens.access_token)).toBeUndefined();
    hosting.clock.advance(1_000);
    await expect.poll(() => ended).toEqual([grantId]);
  },
);

it.skipIf(!sqlite)(
  'a refresh token that was used a moment before a restart gives each process of a host tokens of its own',
  async () => {
    const { hosting, client } = await start();
    const first = await client.tokens();
    const one = tokensOf(await client.refresh(first.refresh_token));
    await hosting.authorization.close();
    const restarted = await hosting.otherProcess();
    const other = new OAuthClient({ ...hosting, url: await serve(restarted.routes) }, client.id);
    hosting.clock.advance(9_000);
    const two = tokensOf(await other.refresh(first.refresh_token));
    hosting.clock.advance(3_600_000);
    for (const { refresh_token: token } of [one, two]) {
      const { access_token: next } = tokensOf(await other.refresh(token));
      expect(await restarted.verify(next)).toBeDefined();
    }
    expect(await client.refresh(first.refresh_token)).toEqual(refusal('invalid_grant'));
  },
);

it.skipIf(!sqlite)('the file names no client, person, scope or token', async () => {
  const { directory, hosting, client } = await start();
  const tokens = await client.tokens();
  const { personId, grantId } = (await hosting.authorization.verify(tokens.access_token)) ?? {};
  const bytes = readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => readFileSync(join(directory, name)).toString('latin1'))
    .join('');
  expect(bytes.length).toBeGreaterThan(4_096);
  for (const text of ['Assistant of Anna', 'this computer', 'budget:read', client.id, personId, grantId])
    expect(bytes).not.toContain(text);
});

it.skipIf(!sqlite)('100,000 unknown tokens leave the memory where it was', async () => {
  const { hosting } = await start();
  const usedBytes = async () => {
    await collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const verify = async (count: number) => {
    for (let nth = 0; nth < count; nth += 1)
      await hosting.authorization.verify(`unknown-token-${count}-${String(nth).padStart(32, '0')}`);
  };
  await verify(1_000);
  const before = await usedBytes();
  await verify(100_000);
  expect((await usedBytes()) - before).toBeLessThan(5_000_000);
});
