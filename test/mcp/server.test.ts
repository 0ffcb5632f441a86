import { PassThrough } from 'node:stream';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { fixedTokenProvider } from '../../src/auth/token-provider.ts';
import { BudgetClient } from '../../src/client/budget-client.ts';
import { HttpSender } from '../../src/client/http-sender.ts';
import { createServer, createSharedState } from '../../src/mcp/server.ts';
import { ManualClock } from '../manual-clock.ts';
import { connectedClient } from './connected.ts';

/** Knows who listens to it. */
class ListenedClient extends BudgetClient {
  readonly listeners = new Set<unknown>();

  override onReadOnlyChanged(listener: () => void): () => void {
    return this.#counted(listener, super.onReadOnlyChanged(listener));
  }

  override onChange(listener: () => void): () => void {
    return this.#counted(listener, super.onChange(listener));
  }

  #counted(listener: unknown, end: () => void): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
      end();
    };
  }
}

/** Servers of one client, and how many listeners it has beside those of what they share. */
function started() {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const sender = new HttpSender({ clock });
  onTestFinished(() => sender.close());
  const tokens = fixedTokenProvider({ baseUrl: 'http://127.0.0.1:9/v1', token: 'none' });
  const client = new ListenedClient({ tokens, sender, clock });
  const log = { error: () => {} };
  const parts = { client, clock, log, version: '0.0.0', confirm: 'deletes' } as const;
  const shared = createSharedState(parts);
  const before = client.listeners.size;
  return {
    create: () => createServer(parts, shared),
    listening: () => client.listeners.size - before,
  };
}

describe('a server', () => {
  it('listens to its client for as long as it is connected', async () => {
    const { create, listening } = started();
    const servers = [create(), create()];
    expect(listening()).toBe(0);
    for (const server of servers) await server.connect(InMemoryTransport.createLinkedPair()[0]);
    expect(listening()).toBe(2);
    for (const server of servers) await server.close();
    expect(listening()).toBe(0);
  });

  it('that could not be connected listens to nobody', async () => {
    const { create, listening } = started();
    const transport = new StdioServerTransport(new PassThrough(), new PassThrough());
    await transport.start();
    await expect(create().connect(transport)).rejects.toThrow('already started');
    expect(listening()).toBe(0);
    await transport.close();
  });
});

test.each([
  [
    'delete_transaction',
    { transaction_id: '00000000-0000-0000-0000-000000000000' },
    /^Nothing was written\. /,
  ],
  ['import_transactions', {}, /^Nothing was written\. /],
  ['list_payees', {}, /^Not signed in/],
])('%s that fails says whether anything was written, where it could have been', async (name, args, text) => {
  const host = await connectedClient({ confirm: 'none' });
  expect(await host.callTool({ name, arguments: args })).toMatchObject({
    isError: true,
    content: [{ type: 'text', text: expect.stringMatching(text) }],
  });
});
