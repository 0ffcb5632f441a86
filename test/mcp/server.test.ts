import { PassThrough } from 'node:stream';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { fixedTokenProvider } from '../../src/auth/token-provider.ts';
import { createServer, createSharedState } from '../../src/mcp/server.ts';
import { BudgetClient } from '../../src/session/budget-client.ts';
import { HttpSender } from '../../src/session/http/http-sender.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { connectedClient } from './connected.helper.ts';

/** Records its listeners. */
class ObservedClient extends BudgetClient {
  readonly listeners = new Set<unknown>();

  override onAvailabilityChanged(listener: () => void): () => void {
    return this.#counted(listener, super.onAvailabilityChanged(listener));
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

/** Creates servers of one client, and counts its listeners without those of the shared state. */
function started() {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const sender = new HttpSender({ clock });
  onTestFinished(() => sender.close());
  const tokens = fixedTokenProvider({ baseUrl: 'http://127.0.0.1:9/v1', token: 'none' });
  const client = new ObservedClient({ tokens, sender, clock });
  const log = { error: () => {} };
  const deps = { client, clock, log, version: '0.0.0', confirm: 'deletes' } as const;
  const shared = createSharedState(deps);
  const before = client.listeners.size;
  return {
    create: () => createServer(deps, shared),
    listenerCount: () => client.listeners.size - before,
  };
}

describe('the listeners of a server', () => {
  it('a server listens to its client as long as it is connected', async () => {
    const { create, listenerCount } = started();
    const servers = [create(), create()];
    expect(listenerCount()).toBe(0);
    for (const server of servers) await server.connect(InMemoryTransport.createLinkedPair()[0]);
    expect(listenerCount()).toBe(2);
    for (const server of servers) await server.close();
    expect(listenerCount()).toBe(0);
  });

  it('a server that could not connect does not listen to its client', async () => {
    const { create, listenerCount } = started();
    const transport = new StdioServerTransport(new PassThrough(), new PassThrough());
    await transport.start();
    await expect(create().connect(transport)).rejects.toThrow('already started');
    expect(listenerCount()).toBe(0);
    await transport.close();
  });
});

test.each([
  [
    'delete_transaction',
    { transaction_id: '00000000-0000-0000-0000-000000000000' },
    /^This call changed nothing\. /,
  ],
  ['import_transactions', {}, /^This call changed nothing\. /],
  ['list_payees', {}, /^Not signed in/],
])(
  'the error of %s begins with whether anything was written, if the tool writes',
  async (name, args, text) => {
    const host = await connectedClient({ confirm: 'none' });
    expect(await host.callTool({ name, arguments: args })).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: expect.stringMatching(text) }],
    });
  },
);
