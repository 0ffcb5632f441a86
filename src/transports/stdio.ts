/** The server on standard input and output, one host per process. Nothing but protocol frames goes to stdout. */
import type { Readable, Writable } from 'node:stream';
import type { JSONRPCMessage, McpServer } from '@modelcontextprotocol/server';
import { serveStdio as serve } from '@modelcontextprotocol/server/stdio';
import type { OnResourceUpdated, Subscription, Subscriptions } from '../mcp/subscriptions.ts';
import type { Clock } from '../platform/clock.ts';
import { Elicitations } from './elicitations.ts';
import { cancelledBy } from './open-requests.ts';
import { parseListenRequest, subscribe } from './resource-subscription.ts';
import { StdioTransport } from './stdio/stdio-transport.ts';

/** How long what is under way may still take when the host has nothing more to say. */
const FINISHING_MS = 10_000;

export interface StdioOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onError: (error: Error) => void;
  readonly subscriptions: Subscriptions;
  /** Those of the process by default. */
  readonly input?: Readable;
  readonly output?: Writable;
}

/**
 * Serves both protocol eras until the host closes the pipe, whose last questions are answered, or `signal` is aborted.
 */
export async function serveStdio(
  createServer: () => McpServer,
  { clock, signal, onError, subscriptions, input = process.stdin, output = process.stdout }: StdioOptions,
): Promise<void> {
  let current: McpServer | undefined;
  const tell: OnResourceUpdated = (uri) => {
    current?.server.sendResourceUpdated({ uri }).catch(onError);
  };
  const transport = new StdioTransport({ input, output, intercept: listens(subscriptions, tell) });
  const handle = serve(
    () => {
      current = createServer();
      return current;
    },
    { transport, onerror: onError },
  );
  const elicitations = new Elicitations(transport);
  const stopped = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
  const finished = transport.ended.then(() => {
    elicitations.end();
    return Promise.race([transport.allAnswered(), clock.sleep(FINISHING_MS)]);
  });
  await Promise.race([stopped, finished, transport.closed]);
  await handle.close();
}

/**
 * Reads along what a host of the newer era listens to. The SDK answers that by itself, and lets through to the host
 * what it has asked for, but tells nobody what that is. What is returned gives the answer to a message that is refused.
 */
function listens(subscriptions: Subscriptions, tell: OnResourceUpdated) {
  const open = new Map<string | number, Pick<Subscription, 'end'>>();
  const end = (id: string | number) => {
    open.get(id)?.end();
    open.delete(id);
  };
  return (message: JSONRPCMessage) => {
    const listening = parseListenRequest(message);
    const cancelled = cancelledBy(message);
    if (cancelled !== undefined) end(cancelled);
    if (!listening) return undefined;
    end(listening.id);
    const watch = subscribe(listening, subscriptions, tell);
    if ('error' in watch) return watch;
    open.set(listening.id, watch);
    return undefined;
  };
}
