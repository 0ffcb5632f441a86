/** A real MCP client, connected in memory to the server, with counts of the requests to the service process. */
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import type { Server } from '@modelcontextprotocol/server';
import { fixedTokenProvider } from '../../src/auth/token-provider.ts';
import type { Clock } from '../../src/base/clock.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { createServer, createSharedState, type ServerDeps } from '../../src/mcp/server.ts';
import { BudgetClient } from '../../src/session/budget-client.ts';
import { type HttpRequest, type HttpResponse, HttpSender } from '../../src/session/http/http-sender.ts';
import { MemoryStore, type SharedMemory } from '../../src/store/memory-store.ts';
import { distant } from '../distant-store.helper.ts';
import type { ServiceProcess } from './service-process.ts';

/** Counts requests, and the bytes of the decompressed responses. */
class CountingSender extends HttpSender {
  requests = 0;
  bytes = 0;

  override async exchange(request: HttpRequest, signal?: AbortSignal): Promise<HttpResponse<Buffer>> {
    this.requests += 1;
    const response = await super.exchange(request, signal);
    this.bytes += response.body.length;
    return response;
  }
}

export type CallResult = Awaited<ReturnType<Client['callTool']>>;

export interface Host {
  /** Throws if the tool returns an error. */
  call(name: string, args: JsonObject): Promise<CallResult>;
  readonly client: Client;
  readonly spent: { readonly requests: number; readonly bytes: number };
  close(): Promise<void>;
}

/** With `agrees`, questions of the server are accepted. With `views`, the host shows views. */
export async function connectTo(server: Server, agrees = false, views = false): Promise<Client> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const extensions = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } };
  const capabilities = { ...(agrees && { elicitation: { form: {} } }), ...(views && { extensions }) };
  const client = new Client({ name: 'bench', version: '0.0.0' }, { capabilities });
  if (agrees) client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: {} }));
  await server.connect(far);
  await client.connect(near);
  return client;
}

export interface HostOptions {
  readonly clock: Clock;
  readonly cacheBytes: number;
  /** Whether results have structured content too. */
  readonly structured?: boolean;
  /** Whether questions of the server are accepted. Without it, the host cannot be asked. */
  readonly agrees?: boolean;
  /** Whether the host shows views. */
  readonly views?: boolean;
  /** What hosts with the same memory share, like processes of one user. */
  readonly memory?: SharedMemory;
  /** How far away that is. By default it is in this process. */
  readonly distanceMs?: number;
}

export async function startHost(
  { baseUrl, token, budgetId }: Pick<ServiceProcess, 'baseUrl' | 'token' | 'budgetId'>,
  { clock, cacheBytes, structured = false, agrees = false, views = false, memory, distanceMs }: HostOptions,
): Promise<Host> {
  const sender = new CountingSender({ clock });
  const near = memory && new MemoryStore(clock, memory);
  const store = near && distanceMs !== undefined ? distant(near, distanceMs) : near;
  const tokens = fixedTokenProvider({ baseUrl, token });
  const deps: ServerDeps = {
    client: new BudgetClient({
      tokens,
      sender,
      clock,
      cacheBytes,
      budget: budgetId,
      ...(store && { store: async () => store }),
    }),
    clock,
    log: { error: ({ err }) => process.stderr.write(`${err}\n`) },
    version: '0.0.0',
    confirm: 'deletes',
    structured,
    readView: async () => '',
  };
  const shared = createSharedState(deps);
  const client = await connectTo(createServer(deps, shared), agrees, views);
  return {
    call: async (name, args) => {
      const result = await client.callTool({ name, arguments: { ...args } });
      if (result.isError)
        throw new Error(`${name} ${JSON.stringify(args)}: ${JSON.stringify(result.content)}`);
      return result;
    },
    client,
    spent: sender,
    close: async () => {
      await client.close();
      await sender.close();
    },
  };
}
