/** The server on standard input and output, one host per process. Nothing but protocol frames goes to stdout. */
import type { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio as serve } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';
import type { Subscriptions, Tell, Watch } from '../mcp/subscriptions.ts';
import { listeningOf } from './listening.ts';

export interface StdioOptions {
  readonly signal: AbortSignal;
  readonly onError: (error: Error) => void;
  readonly subscriptions: Subscriptions;
}

/** Serves both protocol eras until the host closes the pipe or `signal` is aborted. */
export async function serveStdio(
  createServer: () => McpServer,
  { signal, onError, subscriptions }: StdioOptions,
): Promise<void> {
  const transport = new StdioServerTransport();
  let current: McpServer | undefined;
  const handle = serve(
    () => {
      current = createServer();
      return current;
    },
    { transport, onerror: onError },
  );
  const tell: Tell = (uri) => {
    current?.server.sendResourceUpdated({ uri }).catch(onError);
  };
  const { onmessage: deliver } = transport;
  const watch = listens(subscriptions, tell);
  transport.onmessage = (message) => {
    watch(message);
    deliver?.(message);
  };
  await new Promise<void>((resolve) => {
    process.stdin.once('end', resolve).once('close', resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
  await handle.close();
}

const cancelSchema = z.object({
  method: z.literal('notifications/cancelled'),
  params: z.object({ requestId: z.union([z.string(), z.number()]) }),
});

/**
 * Reads along what a host of the newer era listens to. The SDK answers that by itself, and lets through to the host
 * what it has asked for, but tells nobody what that is.
 */
function listens(subscriptions: Subscriptions, tell: Tell) {
  const open = new Map<string | number, readonly Watch[]>();
  const end = (id: string | number) => {
    for (const watch of open.get(id) ?? []) watch.end();
    open.delete(id);
  };
  return (message: unknown) => {
    const listening = listeningOf(message);
    const cancelled = cancelSchema.safeParse(message).data;
    if (cancelled) end(cancelled.params.requestId);
    if (!listening) return;
    end(listening.id);
    open.set(
      listening.id,
      listening.uris.map((uri) => subscriptions.watch(uri, tell)),
    );
  };
}
