/** The server on standard input and output, one host per process. Nothing but protocol frames goes to stdout. */
import { PassThrough } from 'node:stream';
import type { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio as serve } from '@modelcontextprotocol/server/stdio';
import type { Clock } from '../clock.ts';
import type { Subscriptions, Tell, Watch } from '../mcp/subscriptions.ts';
import { Elicitations } from './elicitations.ts';
import { listeningOf, watchFor } from './listening.ts';
import { cancelledBy, OpenRequests } from './open-requests.ts';

/** How long what is under way may still take when the host has nothing more to say. */
const FINISHING_MS = 10_000;

export interface StdioOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onError: (error: Error) => void;
  readonly subscriptions: Subscriptions;
}

/**
 * Serves both protocol eras until the host closes the pipe, whose last questions are answered, or `signal` is aborted.
 */
export async function serveStdio(
  createServer: () => McpServer,
  { clock, signal, onError, subscriptions }: StdioOptions,
): Promise<void> {
  // The SDK's transport closes with its input, whatever is still to be said.
  const input = process.stdin.pipe(new PassThrough(), { end: false });
  const transport = new StdioServerTransport(input);
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
  const elicitations = new Elicitations(transport);
  const { onmessage: deliver } = transport;
  const send = transport.send.bind(transport);
  const listen = listens(subscriptions, tell);
  const open = new OpenRequests();
  transport.onmessage = (message) => {
    open.asked(message);
    const refusal = listen(message);
    if (refusal) send(refusal).catch(onError);
    else deliver?.(message);
  };
  transport.send = async (message) => {
    await send(message);
    open.answered(message);
  };
  const stopped = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
  const { onclose } = transport;
  // As after a message that is too long: nobody reads the pipe any more.
  const broken = new Promise<void>((resolve) => {
    transport.onclose = () => {
      resolve();
      onclose?.();
    };
  });
  const finished = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve).once('close', resolve);
  }).then(() => {
    elicitations.end();
    return Promise.race([open.allAnswered(), clock.sleep(FINISHING_MS)]);
  });
  await Promise.race([stopped, finished, broken]);
  await handle.close();
}

/**
 * Reads along what a host of the newer era listens to. The SDK answers that by itself, and lets through to the host
 * what it has asked for, but tells nobody what that is. What is returned gives the answer to a message that is refused.
 */
function listens(subscriptions: Subscriptions, tell: Tell) {
  const open = new Map<string | number, Pick<Watch, 'end'>>();
  const end = (id: string | number) => {
    open.get(id)?.end();
    open.delete(id);
  };
  return (message: unknown) => {
    const listening = listeningOf(message);
    const cancelled = cancelledBy(message);
    if (cancelled !== undefined) end(cancelled);
    if (!listening) return undefined;
    end(listening.id);
    const watch = watchFor(listening, subscriptions, tell);
    if ('error' in watch) return watch;
    open.set(listening.id, watch);
    return undefined;
  };
}
