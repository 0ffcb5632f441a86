import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import packageJson from '../../../package.json' with { type: 'json' };
import { fixedTokenProvider } from '../../../src/auth/token-provider.ts';
import type { StateStatus } from '../../../src/store/shared-stores.ts';
import { hostOf } from '../../mcp/connected.helper.ts';
import { startHolding } from '../../session/holding.helper.ts';
import { connected } from '../connected.helper.ts';

const statusSchema = z.looseObject({
  requests: z.record(z.string(), z.unknown()),
  cache: z.record(z.string(), z.unknown()),
});

describe('get_status', () => {
  it('get_status returns used and remaining requests and cached budgets, and sends no request', async () => {
    const { call, clock, ledger, asked } = await connected();
    const now = new Date(clock.now()).toISOString();
    const allBackAt = new Date(clock.now() + 3_600_000).toISOString();
    clock.advance(1000);
    const later = new Date(clock.now()).toISOString();
    const { structured, text } = await call('get_status');
    expect(structured).toEqual({
      requests: {
        limit: 200,
        used: 2,
        left: 198,
        left_for_reads: 178,
        next_read_at: later,
        next_write_at: later,
        all_back_at: allBackAt,
      },
      cache: {
        budgets: [
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
      state: { shared: false },
      default_budget: { id: ledger.id, name: 'Household', by: 'settings' },
      version: packageJson.version,
      notice: 'Invented.',
    });
    expect(text).toContain('2 of 200 used, 198 left (178 for reading)');
    expect(text).toContain(`budget ${ledger.id} as of ${now}`);
    expect(text).toContain(`budget-mcp ${packageJson.version}.\nInvented.`);
    expect(asked()).toEqual([]);
  });

  it('the list of resources contains the known budgets with their names in quotes, and sends no request', async () => {
    const { host, ledger, asked } = await connected();
    const { resources } = await host.listResources();
    const budget = resources.find(({ uri }) => uri === `budget://v1/budgets/${ledger.id}`);
    expect(budget).toMatchObject({ title: expect.stringMatching(/^".+"$/) });
    expect(asked()).toEqual([]);
  });

  it('the resource budget://status has the same content as get_status', async () => {
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

it('get_status says that the service refused the token, and when, until it accepts one', async () => {
  const { call, clock, service } = await connected();
  service.access.revokeToken(service.accessToken);
  clock.advance(60_000);
  await call('refresh_budget');
  const { structured, text } = await call('get_status');
  const refused = `The service refused the token at ${new Date(clock.now()).toISOString()}. It is from the program that provided it. `;
  expect(text).toContain(refused);
  expect(text).toContain('a new one is needed');
  expect(text).not.toContain('scope unknown');
  expect(structured).toMatchObject({ token: { problem: expect.stringContaining(refused) } });
});

describe('the state that processes share', () => {
  it.each<[StateStatus, string]>([
    [{ shared: true }, 'State: shared with the other processes of this user.'],
    [
      { shared: false, reason: '--no-state is set.' },
      'State: only in the memory of this process, which does not know what others write. --no-state is set.',
    ],
  ])('get_status gives the status %j in its data and in words', async (status, line) => {
    const { connect, service, clock } = await startHolding();
    const client = connect(service.accessToken, { stateStatus: () => status });
    const host = await hostOf({ client, clock });
    const { content, structuredContent } = await host.callTool({ name: 'get_status', arguments: {} });
    expect(structuredContent).toMatchObject({ state: status });
    expect(JSON.stringify(content)).toContain(line);
  });
});

it('get_status and its resource log an unexpected error and do not reveal its message', async () => {
  const { connect, service, clock } = await startHolding();
  const inner = fixedTokenProvider({ baseUrl: service.baseUrl, token: service.accessToken });
  const bug = new TypeError('internals');
  const client = connect(service.accessToken, {
    tokens: { ...inner, describe: () => Promise.reject(bug) },
  });
  const logged: unknown[] = [];
  const host = await hostOf({ client, clock }, { log: { error: (details) => logged.push(details) } });
  const message = expect.stringMatching(/^Internal error in this server\./);
  expect(await host.callTool({ name: 'get_status', arguments: {} })).toMatchObject({
    content: [{ text: message }],
    isError: true,
  });
  const uri = 'budget://status';
  await expect(host.readResource({ uri })).rejects.toMatchObject({
    code: -32603,
    message,
    data: { uri },
  });
  expect(logged).toEqual([
    { err: bug, operation: 'get_status' },
    { err: bug, operation: 'get_status' },
  ]);
});
