/** The server on standard input and output, one host per process. Nothing but protocol frames goes to stdout. */
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { RequestId, Server } from '@modelcontextprotocol/server';
import { serveStdio as serve } from '@modelcontextprotocol/server/stdio';
import type { Clock } from '../base/clock.ts';
import type { OnResourceUpdated, Subscription, Subscriptions } from '../mcp/subscriptions.ts';
import {
  cancelledRequestId,
  dismissibleElicitations,
  ObservedTransport,
  parseListenRequest,
  subscribe,
  type TransportObserver,
} from './messages.ts';
import { StdioTransport } from './stdio-transport.ts';

/** How long requests in progress may take after the host has closed its end of the pipe. */
const FINISHING_MS = 10_000;

export interface StdioOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onError: (error: Error) => void;
  /** Loads what requests need, other than the `firstMethods`. They wait until it resolves. */
  readonly load: () => Promise<{ readonly subscriptions: Subscriptions }>;
  /** The methods that the server can handle before that. The default is none. */
  readonly firstMethods?: ReadonlySet<string>;
  /** By default, stdin and stdout of the process. */
  readonly input?: Readable;
  readonly output?: Writable;
}

/**
 * Serves both protocol eras until the host closes the pipe or `signal` is aborted. After the host has closed the pipe, its
 * last requests are still answered.
 */
export async function serveStdio(createServer: () => Server, options: StdioOptions): Promise<void> {
  const { clock, signal, onError, load, firstMethods } = options;
  const { input = process.stdin, output = process.stdout } = options;
  let current: Server | undefined;
  let isLoaded = false;
  const onUpdated = (uri: string) => void current?.sendResourceUpdated({ uri }).catch(onError);
  const loadRest = async () => {
    const { subscriptions } = await load();
    isLoaded = true;
    transport.observe(listenObserver(subscriptions, onUpdated));
  };
  const wire = new StdioTransport({
    input,
    output,
    prepare: ({ method }) => (isLoaded || firstMethods?.has(method) ? undefined : loadRest()),
  });
  const transport = new ObservedTransport(wire);
  const dismissElicitations = dismissibleElicitations(transport);
  const handle = serve(
    () => {
      current = createServer();
      return current;
    },
    { transport, onerror: onError },
  );
  const finished = wire.ended.then(() => {
    dismissElicitations();
    return Promise.race([wire.allAnswered(), clock.sleep(FINISHING_MS)]);
  });
  if (!signal.aborted) await Promise.race([once(signal, 'abort'), finished, wire.closed]);
  await handle.close();
}

/**
 * Follows what a host of the newer era listens to. The SDK answers `subscriptions/listen` by itself and filters what is
 * sent to the host, but gives no access to the URIs in it.
 */
function listenObserver(subscriptions: Subscriptions, onUpdated: OnResourceUpdated): TransportObserver {
  const active = new Map<RequestId, Pick<Subscription, 'end'>>();
  const end = (id: RequestId) => {
    active.get(id)?.end();
    active.delete(id);
  };
  return {
    onReceive: (message) => {
      const cancelled = cancelledRequestId(message);
      if (cancelled !== undefined) end(cancelled);
      const listenRequest = parseListenRequest(message);
      if (!listenRequest) return undefined;
      end(listenRequest.id);
      const subscription = subscribe(listenRequest, subscriptions, onUpdated);
      if ('error' in subscription) return subscription;
      active.set(listenRequest.id, subscription);
      return undefined;
    },
  };
}
