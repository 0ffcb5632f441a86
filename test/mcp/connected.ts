import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import { StoredTokens } from '../../src/auth/stored-tokens.ts';
import { MemoryTokenStore } from '../../src/auth/token-store.ts';
import { BudgetClient } from '../../src/client/budget-client.ts';
import { HttpSender } from '../../src/client/http-sender.ts';
import { createServer, type ServerParts } from '../../src/mcp/server.ts';
import { ManualClock } from '../manual-clock.ts';

/** A real client, connected in memory to a server that is not signed in. */
export async function connectedClient(
  options: Partial<Pick<ServerParts, 'confirm' | 'toolsets'>> = {},
): Promise<Client> {
  const clock = new ManualClock('2026-11-20T09:00:00Z');
  const sender = new HttpSender({ clock });
  onTestFinished(() => sender.close());
  const tokens = new StoredTokens({
    store: new MemoryTokenStore(),
    profile: 'default',
    clock,
    refresh: () => Promise.reject(new Error('There is nothing to refresh.')),
    lock: (_, work) => work(),
  });
  const server = createServer({
    client: new BudgetClient({ tokens, sender, clock }),
    clock,
    log: { error: () => {} },
    version: '0.0.0',
    confirm: 'deletes',
    ...options,
  });
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'test', version: '0.0.0' });
  await server.connect(far);
  await client.connect(near);
  onTestFinished(() => client.close());
  return client;
}
