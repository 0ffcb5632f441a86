import { expect, it } from 'vitest';
import { startHosting } from './hosting.helper.ts';
import { OAuthClient } from './oauth-client.helper.ts';

it('a client that a person allows gets tokens that are valid for this server', async () => {
  const hosting = await startHosting();
  const client = await OAuthClient.register(hosting, { client_name: 'My assistant' });
  const tokens = await client.tokens();
  expect(hosting.bugs).toEqual([]);
  expect(await hosting.authorization.verify(tokens.access_token)).toMatchObject({
    clientId: client.id,
    clientName: 'My assistant',
    scopes: new Set(['budget:read', 'budget:write']),
  });
});
