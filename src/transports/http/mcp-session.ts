/** One session of a host of the older protocol era: its server, and what is open between the two. */
import {
  type JSONRPCMessage,
  type RequestId,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { yieldTurn } from '../../base/clock.ts';
import { dismissibleElicitations, ObservedTransport, PendingRequests } from '../messages.ts';

interface McpSessionOptions {
  readonly id: string;
  readonly owner: string;
  readonly caller: string;
  readonly server: Server;
  /** Called when the host ends the session. */
  readonly onDeleted: () => Promise<void>;
  readonly onError: (error: Error) => void;
}

const REQUEST_TIMEOUT = -32001;

export type McpSession = Readonly<ReturnType<typeof createMcpSession>> & { open: number; usedAt: number };

export function createMcpSession({ id, owner, caller, server, onDeleted, onError }: McpSessionOptions) {
  const http = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => id,
    onsessionclosed: onDeleted,
  });
  /** What the server is connected to; it sends and receives through `http`. */
  const transport = new ObservedTransport(http);
  transport.onerror = onError;
  const calls = new PendingRequests();
  transport.observe({ onSent: (message) => calls.removeAnswered(message) });
  const dismissElicitations = dismissibleElicitations(transport);
  const outbox = createOutbox(transport);

  /** Cancels a call in the server by the notification that its host would send. */
  const deliverCancellation = (requestId: RequestId, reason: string) => {
    const params = { requestId, reason };
    transport.deliver({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
  };

  return {
    id,
    owner,
    caller,
    http,
    outbox,
    calls,
    /** The number of requests in progress, streams included. */
    open: 0,
    usedAt: 0,
    connect: () => server.connect(transport),
    /** Ends the stream, which another one has replaced. */
    closeStream() {
      outbox.close();
      http.closeStandaloneSSEStream();
    },
    /** Ends a call that its host has cancelled. A cancelled call gets no answer, so its stream has to be closed here. */
    async cancelCall(call: RequestId | undefined) {
      if (call === undefined || !calls.has(call)) return;
      // Questions that belong to the call are cancelled on its stream first.
      await yieldTurn();
      http.closeSSEStream(call);
      calls.remove(call);
    },
    /**
     * Cancels a call whose host has disconnected: streams are not resumed here, so the answer cannot be delivered. If a write
     * was sent, its outcome is stored for the call that repeats it.
     */
    cancelUndeliverable(requestId: RequestId) {
      if (!calls.has(requestId)) return;
      deliverCancellation(requestId, 'The connection of the call was closed.');
      // A cancelled call gets no answer, so it is removed here.
      calls.remove(requestId);
    },
    /** Cancels a call that has taken too long, and tells the host so. */
    timeOutCall(requestId: RequestId) {
      const error = { code: REQUEST_TIMEOUT, message: 'It took too long and was cancelled.' };
      deliverCancellation(requestId, error.message);
      // This is not the answer of the call.
      calls.remove(requestId);
      transport.send({ jsonrpc: '2.0', id: requestId, error }).catch(onError);
    },
    /** Stops notifications and questions to the host. */
    finish() {
      http.closeStandaloneSSEStream();
      dismissElicitations();
    },
    async close() {
      calls.removeAll();
      await server.close().catch(onError);
    },
  };
}

/**
 * Notifications to a host of the older protocol era that has no stream open. They are kept, each once and in order, until
 * the host opens one. The protocol does not require a host to have a stream open, and connections break.
 */
export function createOutbox(transport: ObservedTransport) {
  const deferred = new Map<string, JSONRPCMessage>();
  /** The newest stream, while it is open. */
  let current: symbol | undefined;
  transport.observe({
    defer(message, options) {
      // A message that belongs to a call has the stream of that call.
      const hasOwnStream = !('method' in message) || options?.relatedRequestId !== undefined;
      if (hasOwnStream || current) return false;
      deferred.set(JSON.stringify(message), message);
      return true;
    },
  });
  return {
    /** The current stream is not read any more. */
    close() {
      current = undefined;
    },
    /** A stream was opened. It stays open until `disconnected` resolves or a newer stream is opened. */
    async open(disconnected: Promise<void>): Promise<void> {
      const stream = Symbol('stream');
      current = stream;
      void disconnected.then(() => {
        if (current === stream) current = undefined;
      });
      const messages = [...deferred.values()];
      deferred.clear();
      for (const message of messages) await transport.send(message);
    },
  };
}
