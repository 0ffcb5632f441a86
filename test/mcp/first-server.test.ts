import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { describe, expect, onTestFinished, test } from 'vitest';
import { fixedTokenProvider } from '../../src/auth/token-provider.ts';
import { createFirstServer, firstMethods } from '../../src/mcp/first-server.ts';
import { completeServer, createServer, createSharedState, type ServerDeps } from '../../src/mcp/server.ts';
import { confirmPolicies } from '../../src/operations/consent.ts';
import { BudgetClient } from '../../src/session/budget-client.ts';
import { HttpSender } from '../../src/session/http/http-sender.ts';
import { Arrivals } from '../arrivals.helper.ts';
import { ManualClock } from '../manual-clock.helper.ts';

type Settings = Pick<ServerDeps, 'toolsets' | 'notice'> & { readonly readOnly?: boolean };

const defaults = { version: '1.2.3', confirm: 'deletes', structured: false } as const;

function start(settings: Settings = {}) {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const sender = new HttpSender({ clock });
  onTestFinished(() => sender.close());
  const tokens = fixedTokenProvider({ baseUrl: 'http://127.0.0.1:9/v1', token: 'none' });
  const { readOnly = false } = settings;
  const client = new BudgetClient({ tokens, sender, clock, readOnly });
  const deps = { ...defaults, ...settings, client, clock, log: { error: () => {} } };
  const shared = createSharedState(deps);
  const listed = new Arrivals<true>();
  return {
    listed,
    complete: createServer(deps, shared),
    first: createFirstServer({ ...defaults, ...settings, readOnly, onListed: () => listed.add(true) }),
    completeFirst: (server: ReturnType<typeof createFirstServer>) => completeServer(server, deps, shared),
  };
}

async function hostOf(server: ReturnType<typeof createServer>): Promise<Client> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const host = new Client({ name: 'test', version: '0.0.0' });
  await server.connect(far);
  await host.connect(near);
  onTestFinished(() => host.close());
  return host;
}

describe('a server that answers before everything is loaded', () => {
  test.each<[string, Settings]>([
    ['the defaults', {}],
    ['read only', { readOnly: true }],
    ['some toolsets', { toolsets: ['accounts', 'transactions'] }],
    ['a toolset without prompts, read only', { toolsets: ['user'], readOnly: true }],
    ['a notice', { notice: 'Invented data.' }],
  ])('it presents itself and lists the tools as the complete server does, with %s', async (_, settings) => {
    const { first, complete } = start(settings);
    const [firstHost, host] = [await hostOf(first), await hostOf(complete)];
    expect(firstHost.getServerVersion()).toEqual(host.getServerVersion());
    expect(firstHost.getInstructions()).toBe(host.getInstructions());
    expect(firstHost.getServerCapabilities()).toEqual(host.getServerCapabilities());
    expect(await firstHost.listTools()).toEqual(await host.listTools());
  });

  test('it reports that the list was answered, so that the rest can be loaded then', async () => {
    const { first, listed } = start();
    const host = await hostOf(first);
    expect(listed.waiting).toEqual([]);
    await host.listTools();
    await listed.next();
  });

  test('once it is complete, it answers all requests of a host that is connected already', async () => {
    const { first, complete, completeFirst } = start();
    const [host, other] = [await hostOf(first), await hostOf(complete)];
    await expect(host.listPrompts()).rejects.toThrow('Method not found');
    completeFirst(first);
    expect(await host.listPrompts()).toEqual(await other.listPrompts());
    expect(await host.listResources()).toEqual(await other.listResources());
    expect(await host.listTools()).toEqual(await other.listTools());
    expect(await host.callTool({ name: 'get_status', arguments: {} })).not.toMatchObject({ isError: true });
  });
});

test.each(confirmPolicies.flatMap((confirm) => [false, true].map((structured) => ({ confirm, structured }))))(
  'the list of tools is prepared for the default settings only: $confirm, structured $structured',
  (settings) => {
    const isDefault = settings.confirm === 'deletes' && !settings.structured;
    expect(firstMethods(settings).has('tools/list')).toBe(isDefault);
    expect(firstMethods(settings).has('initialize')).toBe(true);
    expect(firstMethods(settings).has('tools/call')).toBe(false);
  },
);
