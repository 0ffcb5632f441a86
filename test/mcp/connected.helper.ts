import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import { StoredTokens } from '../../src/auth/stored-tokens.ts';
import { createServer, createSharedState, type ServerDeps } from '../../src/mcp/server.ts';
import { BudgetClient } from '../../src/session/budget-client.ts';
import { HttpSender } from '../../src/session/http/http-sender.ts';
import { answerValidators } from '../answer-validators.helper.ts';
import { MemoryTokenStore } from '../auth/memory-token-store.helper.ts';
import { ManualClock } from '../manual-clock.helper.ts';

type Options = Partial<Omit<ServerDeps, 'client' | 'clock'>>;

/**
 * A real MCP client, connected in memory to a server that uses `client` for `caller`. With `readView` it says that it shows
 * views.
 */
export async function hostOf(
  { client, clock }: Pick<ServerDeps, 'client' | 'clock'>,
  options: Options = {},
  caller?: string,
): Promise<Client> {
  const deps: ServerDeps = {
    client,
    clock,
    log: { error: () => {} },
    version: '0.0.0',
    confirm: 'deletes',
    structured: true,
    hasStatements: true,
    ...options,
  };
  const shared = createSharedState(deps);
  const server = createServer(deps, shared, caller);
  const [near, far] = InMemoryTransport.createLinkedPair();
  const extensions = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } };
  const capabilities = options.readView ? { extensions } : {};
  const host = new Client(
    { name: 'test', version: '0.0.0' },
    { capabilities, jsonSchemaValidator: answerValidators },
  );
  await server.connect(far);
  await host.connect(near);
  onTestFinished(() => host.close());
  return host;
}

/** A client of a server that is not signed in. */
export async function connectedClient(options: Options = {}): Promise<Client> {
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
  return hostOf({ client: new BudgetClient({ tokens, sender, clock }), clock }, options);
}
