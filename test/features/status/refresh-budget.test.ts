import { describe, expect, it } from 'vitest';
import { fixedTokenProvider } from '../../../src/auth/token-provider.ts';
import { createPayee } from '../../../src/service/ledger/payees.ts';
import { hostOf } from '../../mcp/connected.helper.ts';
import { startHolding } from '../../session/holding.helper.ts';
import { connected } from '../connected.helper.ts';

describe('refresh_budget', () => {
  it('refresh_budget syncs the cached budget at once by a delta', async () => {
    const { call, clock, ledger, asked } = await connected();
    ledger.commit((books) => createPayee(books, 'Florist'));
    clock.advance(1000);
    const { structured, text } = await call('refresh_budget', { budget_id: ledger.summary().name });
    const as_of = new Date(clock.now()).toISOString();
    expect(structured).toEqual({
      budget: { id: ledger.id, name: ledger.summary().name, currency: 'EUR' },
      server_knowledge: ledger.knowledge,
      bytes: expect.any(Number),
      freshness: { as_of, source: 'replica', requests_left: 197 },
      notice: 'Invented.',
    });
    expect(text).toContain(`As of ${as_of}, from the replica; 197 requests left.`);
    expect(asked()).toEqual([expect.stringMatching(/^home\?last_knowledge_of_server=/)]);
  });

  it('refresh_budget loads the whole budget again with full: true', async () => {
    const { call, asked } = await connected();
    expect((await call('refresh_budget', { full: true })).isError).toBeFalsy();
    expect(asked()).toEqual(['home']);
    expect((await call('get_status')).structured).toMatchObject({ cache: { loads: 2, syncs: 0 } });
  });

  it('the result of refresh_budget says when the sign-in ends soon', async () => {
    const { connect, service, clock } = await startHolding();
    const inner = fixedTokenProvider({ baseUrl: service.baseUrl, token: service.accessToken });
    const endsAt = clock.now() + 300_000;
    const credential = async () => ({ ...(await inner.credential()), endsAt });
    const client = connect(service.accessToken, { tokens: { ...inner, credential } });
    const host = await hostOf({ client, clock });
    await host.listTools();
    const sign_in_ends = new Date(endsAt).toISOString();
    expect(await host.callTool({ name: 'refresh_budget', arguments: {} })).toMatchObject({
      structuredContent: { freshness: { sign_in_ends } },
      content: [{ text: expect.stringContaining(`The sign-in ends at ${sign_in_ends}`) }],
    });
  });

  it('refresh_budget explains an unknown budget and a failed request', async () => {
    const { call, service } = await connected();
    const unknown = await call('refresh_budget', { budget_id: 'Nowhere' });
    expect(unknown).toMatchObject({ isError: true, text: expect.stringContaining('Nowhere') });
    service.maintenance = true;
    const failed = await call('refresh_budget');
    expect(failed).toMatchObject({ isError: true, text: expect.stringContaining('maintenance') });
  });
});

it('the results of get_status and refresh_budget do not contain the token', async () => {
  const { call, host, service } = await connected();
  const results = [
    await call('get_status'),
    await call('refresh_budget'),
    await host.readResource({ uri: 'budget://status' }),
  ];
  service.access.revokeToken(service.accessToken);
  results.push(await call('refresh_budget'));
  expect(JSON.stringify(results)).not.toContain(service.accessToken);
});
