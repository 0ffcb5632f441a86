import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { listPayees } from '../../src/operations/payees.ts';
import { createPayee } from '../../src/service/ledger/payees.ts';
import { startWarm } from '../client/holding.ts';
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
      token: { kind: 'given', scope: 'unknown', place: 'its giver' },
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
    expect(text).toContain(`as of ${as_of} now; 196 requests left`);
    expect(asked()).toEqual([expect.stringMatching(/^home\?last_knowledge_of_server=/)]);
  });

  it('loads the whole budget anew with full: true', async () => {
    const { call, asked } = await connected();
    expect((await call('refresh_budget', { full: true })).isError).toBeFalsy();
    expect(asked()).toEqual(['home']);
    expect((await call('get_status')).structured).toMatchObject({ cache: { loads: 2, syncs: 0 } });
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
