import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import { createServer } from '../../src/mcp/server.ts';
import { ManualClock } from '../manual-clock.ts';

/** A real client, connected in memory to a server that has nobody to ask. */
export async function connectedClient(): Promise<Client> {
  const server = createServer({
    client: {
      call: async () => {
        throw new Error('This server was not to be asked anything.');
      },
    },
    clock: new ManualClock('2026-11-20T09:00:00Z'),
    log: { error: () => {} },
    version: '0.0.0',
  });
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'test', version: '0.0.0' });
  await server.connect(far);
  await client.connect(near);
  onTestFinished(() => client.close());
  return client;
}
