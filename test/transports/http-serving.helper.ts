/** An HTTP server with a manual clock, whose tools take as long as a test wants. */
import { inputRequired, inputResponse, McpServer } from '@modelcontextprotocol/server';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { fixedTokenProvider } from '../../src/auth/token-provider.ts';
import { currentHostRequest, type HostRequest } from '../../src/base/host-request.ts';
import { createSharedState } from '../../src/mcp/server.ts';
import { BudgetClient } from '../../src/session/budget-client.ts';
import { HttpSender } from '../../src/session/http/http-sender.ts';
import { createAccess } from '../../src/transports/http/access.ts';
import { createSingleEndpoint } from '../../src/transports/http/endpoint.ts';
import { type HttpOptions, serveHttp } from '../../src/transports/http.ts';
import { Arrivals } from '../arrivals.helper.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { exchange, requestOf } from '../raw-http.helper.ts';

/** The length of the text that the tool `read` returns: more than the system buffers for a slow reader. */
export const LONG = 2 ** 26;

/** A call as the tool sees it. */
export interface Call {
  readonly signal: AbortSignal;
  readonly request: HostRequest | undefined;
  /** Answers the call. */
  readonly end: () => void;
}

export async function startServing(
  tokens: readonly string[] = [],
  wanted = 0,
  options: Pick<HttpOptions, 'isOverloaded' | 'onRequest'> = {},
) {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const calls = new Arrivals<Call>();
  /** The callers for which servers were created. */
  const callers: (string | undefined)[] = [];
  const createServer = (caller?: string) => {
    callers.push(caller);
    const server = new McpServer(
      { name: 'test', version: '0.0.0' },
      { capabilities: { resources: { subscribe: true } } },
    );
    server.registerTool('notify', { inputSchema: z.object({ uri: z.string() }) }, async ({ uri }) => {
      await server.server.sendResourceUpdated({ uri });
      return { content: [] };
    });
    server.registerTool('wait', {}, ({ mcpReq: { signal } }) => {
      const answer = { content: [{ type: 'text' as const, text: 'done' }] };
      const request = currentHostRequest();
      return new Promise((resolve) => calls.add({ signal, request, end: () => resolve(answer) }));
    });
    server.registerPrompt('greet', {}, () => ({
      messages: [{ role: 'user', content: { type: 'text', text: 'hello' } }],
    }));
    server.registerTool('read', {}, () => ({
      content: [{ type: 'text', text: 'x'.repeat(LONG) }],
    }));
    server.registerTool('consent', {}, async ({ mcpReq: { signal, inputResponses } }) => {
      const answered = inputResponse(inputResponses, 'consent');
      if (answered.kind === 'elicit')
        return { content: [{ type: 'text', text: `consent: ${answered.action}` }] };
      const request = currentHostRequest();
      await new Promise<void>((resolve) => calls.add({ signal, request, end: resolve }));
      return inputRequired({
        inputRequests: {
          consent: inputRequired.elicit({
            message: 'Do you agree?',
            requestedSchema: { type: 'object', properties: {} },
          }),
        },
      });
    });
    return server.server;
  };
  const sender = new HttpSender({ clock });
  const unusedTokens = fixedTokenProvider({ baseUrl: 'http://127.0.0.1:9/v1', token: 'none' });
  const client = new BudgetClient({ tokens: unusedTokens, sender, clock });
  const errors: Error[] = [];
  let valid = tokens;
  const onBug = (error: Error) => errors.push(error);
  const entry = createSingleEndpoint({
    createServer,
    subscriptions: createSharedState({
      client,
      clock,
      log: { error: () => {} },
      version: '0.0.0',
      confirm: 'deletes',
    }).subscriptions,
    onToolListChanged: () => {},
    access: createAccess({
      host: '127.0.0.1',
      ...(tokens.length > 0 && { tokens: { current: async () => valid } }),
    }),
    clock,
    onError: (error) => errors.push(error),
    onBug,
  });
  const serving = await serveHttp({ host: '127.0.0.1', port: wanted, entry, clock, onBug, ...options });
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= serving.close();
    return closing;
  };
  onTestFinished(async () => {
    const closed = close();
    clock.advance(10_000);
    await closed;
    await sender.close();
  });
  const { url } = serving;
  return {
    url,
    port: Number(new URL(url).port),
    clock,
    calls,
    errors,
    callers,
    close,
    drain: () => serving.drain(),
    /** Replaces the valid tokens. */
    replaceTokens(others: readonly string[]) {
      valid = others;
    },
  };
}

export type Serving = Awaited<ReturnType<typeof startServing>>;

type Headers = Readonly<Record<string, string>>;

let lastId = 1_000;
const nextId = () => {
  lastId += 1;
  return lastId;
};

const message = (id: number, method: string, params = {}) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });

const post = ({ port }: Serving, body: string, headers: Headers = {}) =>
  exchange(port, requestOf('POST', '/mcp', { body, headers }));

/** Begins a session of the older era. Its id is in the headers of the response. */
export const initialize = (
  serving: Serving,
  headers: Headers = {},
  capabilities = {},
  protocolVersion = '2025-11-25',
) =>
  post(
    serving,
    message(1, 'initialize', {
      protocolVersion,
      capabilities,
      clientInfo: { name: 'raw', version: '1' },
    }),
    headers,
  );

export async function begin(
  serving: Serving,
  { caller = {}, capabilities = {} }: { caller?: Headers; capabilities?: object } = {},
): Promise<string> {
  const { status, headers: got } = await initialize(serving, caller, capabilities);
  if (status !== 200) throw new Error(`${status} instead of a session.`);
  return got['mcp-session-id'] ?? '';
}

export const ping = (serving: Serving, session: string, headers: Headers = {}) =>
  post(serving, message(2, 'ping'), { 'mcp-session-id': session, ...headers });

/** A raw request that calls a tool in a session. */
export const callRequest = (session: string, name: string, args = {}, id = nextId(), headers: Headers = {}) =>
  requestOf('POST', '/mcp', {
    body: message(id, 'tools/call', { name, arguments: args }),
    headers: { 'mcp-session-id': session, ...headers },
  });

/** Sends a request in a session. */
export const requestIn = (serving: Serving, session: string, method: string, params: object) =>
  post(serving, message(nextId(), method, params), { 'mcp-session-id': session });

/** Cancels a call. */
export const cancelIn = (serving: Serving, session: string, requestId: number) =>
  post(
    serving,
    JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }),
    { 'mcp-session-id': session },
  );

export const waitIn = ({ port }: Serving, session: string) => exchange(port, callRequest(session, 'wait'));

/** Makes the server notify the session's host of a changed resource. */
export const notifyIn = ({ port }: Serving, session: string, uri: string) =>
  exchange(port, callRequest(session, 'notify', { uri }));

const modern = (method: string, params: object, headers: Headers) =>
  requestOf('POST', '/mcp', {
    body: message(3, method, {
      ...params,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    }),
    headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...headers },
  });

/** A raw request that calls a tool in the newer era. */
export const modernRequest = (name: string, headers: Headers = {}) =>
  modern('tools/call', { name, arguments: {} }, { 'mcp-name': name, ...headers });

/** A raw request that opens a stream with the updates of a resource, in the newer era. */
export const listenRequest = (uri: string, headers: Headers = {}) =>
  modern('subscriptions/listen', { notifications: { resourceSubscriptions: [uri] } }, headers);

export const waitRequest = (headers: Headers = {}) => modernRequest('wait', headers);

/** A raw request that opens the stream of a session. */
export const streamRequest = (session: string, headers: Headers = {}) =>
  requestOf('GET', '/mcp', { headers: { 'mcp-session-id': session, ...headers } });
