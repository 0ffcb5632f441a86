import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fixedTokenProvider } from '../../src/auth/token-provider.ts';
import { listPayees } from '../../src/operations/payees.ts';
import { createPayee } from '../../src/service/ledger/payees.ts';
import { startHolding, startWarm } from '../client/holding.ts';
import { hostOf } from './connected.ts';

const statusSchema = z.looseObject({
  requests: z.record(z.string(), z.unknown()),
  cache: z.record(z.string(), z.unknown()),
});

/** A real client, connected to a server that holds the household's budget. */
async function connected() {
  const started = await startWarm((client) => client.call(listPayees, {}));
  const host = await hostOf(started, { version: '1.2.3', notice: 'Invented.' });
  // The client checks structured content against the schemas of the tools that it has listed.
  await host.listTools();
  const call = async (name: string, args = {}) => {
    const { structuredContent, content, isError } = await host.callTool({ name, arguments: args });
    const text = content.map((each) => (each.type === 'text' ? each.text : '')).join('\n');
    return { structured: structuredContent, text, isError };
  };
  return { ...started, host, call };
}

describe('get_status', () => {
  it('tells what was asked, what is left, when it comes back and what is held, at no cost', async () => {
    const { call, clock, ledger, asked } = await connected();
    const now = new Date(clock.now()).toISOString();
    const back = new Date(clock.now() + 3_600_000).toISOString();
    clock.advance(1000);
    const later = new Date(clock.now()).toISOString();
    const { structured, text } = await call('get_status');
    expect(structured).toEqual({
      requests: {
        limit: 200,
        used: 3,
        left: 197,
        left_for_reads: 177,
        next_read_at: later,
        next_write_at: later,
        all_back_at: back,
      },
      cache: {
        held: [
          {
            budget_id: ledger.id,
            as_of: now,
            bytes: expect.any(Number),
            server_knowledge: ledger.knowledge,
          },
        ],
        too_large: [],
        failing: [],
        bytes: expect.any(Number),
        hits: 0,
        syncs: 0,
        loads: 1,
      },
      token: { kind: 'given', scope: 'unknown', place: 'the program that provided it' },
      writes: [],
      read_only: false,
      version: '1.2.3',
      notice: 'Invented.',
    });
    expect(text).toContain('3 of 200 used, 197 left (177 for reading)');
    expect(text).toContain(`budget ${ledger.id} as of ${now}`);
    expect(text).toContain('budget-mcp 1.2.3.\nInvented.');
    expect(asked()).toEqual([]);
  });

  it('and the list of resources, with the budgets that are known, cost no request', async () => {
    const { host, ledger, asked } = await connected();
    const { resources } = await host.listResources();
    expect(resources.map(({ uri }) => uri)).toContain(`budget://v1/budgets/${ledger.id}`);
    expect(asked()).toEqual([]);
  });

  it('is the resource budget://status as well', async () => {
    const { call, host, asked } = await connected();
    const { resources } = await host.listResources();
    expect(resources.map(({ uri }) => uri)).toContain('budget://status');
    const { contents } = await host.readResource({ uri: 'budget://status' });
    expect(contents).toHaveLength(1);
    const [content] = contents;
    expect(content).toMatchObject({ uri: 'budget://status', mimeType: 'application/json' });
    const read = z.object({ text: z.string() }).parse(content).text;
    expect(statusSchema.parse(JSON.parse(read))).toEqual((await call('get_status')).structured);
    expect(asked().filter((path) => path !== 'budgets')).toEqual([]);
  });
});

it('where get_status meets a bug, it is logged and not told, nor by its resource', async () => {
  const { connect, service, clock } = await startHolding();
  const inner = fixedTokenProvider({ baseUrl: service.baseUrl, token: service.accessToken });
  const bug = new TypeError('internals');
  const client = connect(service.accessToken, {
    tokens: { ...inner, describe: () => Promise.reject(bug) },
  });
  const logged: unknown[] = [];
  const host = await hostOf({ client, clock }, { log: { error: (details) => logged.push(details) } });
  const told = expect.stringMatching(/^Internal error in this server\./);
  expect(await host.callTool({ name: 'get_status', arguments: {} })).toMatchObject({
    content: [{ text: told }],
    isError: true,
  });
  const uri = 'budget://status';
  await expect(host.readResource({ uri })).rejects.toMatchObject({
    code: -32603,
    message: told,
    data: { uri },
  });
  expect(logged).toEqual([
    { err: bug, operation: 'get_status' },
    { err: bug, operation: uri },
  ]);
});

describe('refresh_budget', () => {
  it('brings what is held up to date now, by what has changed', async () => {
    const { call, clock, ledger, asked } = await connected();
    ledger.commit((books) => createPayee(books, 'Florist'));
    clock.advance(1000);
    const { structured, text } = await call('refresh_budget', { budget_id: ledger.summary().name });
    const as_of = new Date(clock.now()).toISOString();
    expect(structured).toEqual({
      budget: { id: ledger.id, name: ledger.summary().name },
      server_knowledge: ledger.knowledge,
      bytes: expect.any(Number),
      freshness: { as_of, source: 'replica', requests_left: 196 },
    });
    expect(text).toContain(`As of ${as_of}, from the replica; 196 requests left.`);
    expect(asked()).toEqual([expect.stringMatching(/^home\?last_knowledge_of_server=/)]);
  });

  it('loads the whole budget anew with full: true', async () => {
    const { call, asked } = await connected();
    expect((await call('refresh_budget', { full: true })).isError).toBeFalsy();
    expect(asked()).toEqual(['home']);
    expect((await call('get_status')).structured).toMatchObject({ cache: { loads: 2, syncs: 0 } });
  });

  it('tells of the end of a sign-in that is near, as every answer does', async () => {
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

  it('says what is wrong where it cannot, and what to do', async () => {
    const { call, service } = await connected();
    const unknown = await call('refresh_budget', { budget_id: 'Nowhere' });
    expect(unknown).toMatchObject({ isError: true, text: expect.stringContaining('Nowhere') });
    service.maintenance = true;
    const failed = await call('refresh_budget');
    expect(failed).toMatchObject({ isError: true, text: expect.stringContaining('maintenance') });
  });
});

it('neither tells anything secret', async () => {
  const { call, host, service } = await connected();
  const told = [
    await call('get_status'),
    await call('refresh_budget'),
    await host.readResource({ uri: 'budget://status' }),
  ];
  service.access.revokeToken(service.accessToken);
  told.push(await call('refresh_budget'));
  expect(JSON.stringify(told)).not.toContain(service.accessToken);
});
