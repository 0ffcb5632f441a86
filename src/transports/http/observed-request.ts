/**
 * Follows each HTTP request from its arrival to the last byte of its answer, for the log and the metrics. Its id is in the
 * header of the answer, and in every log line of the work that it has begun. A proxy in front of the server may choose the id.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Clock } from '../../base/clock.ts';
import { type HostRequest, withHostRequest } from '../../base/host-request.ts';
import { withLogFields } from '../../base/log.ts';

/** A request that has ended. It contains nothing from the request but its method, and nothing personal. */
export interface EndedRequest {
  /** One of the server's routes, such as `/mcp` or `/interaction/:uid`, or `other`. Addresses can contain codes. */
  readonly route: string;
  readonly method: string;
  /** 0 if the host has disconnected before there was an answer. */
  readonly status: number;
  readonly milliseconds: number;
  /** Whether the answer was a stream of events, which ends when the host wants. */
  readonly isStream: boolean;
  /** The caller in a form for the log. Undefined if the request was refused before its caller was known. */
  readonly caller?: string | undefined;
}

interface ObservedRequest {
  readonly id: string;
  route: string;
  isStream: boolean;
  /** Whether the response is not the answer to its call. */
  isUnanswered: boolean;
  caller?: string;
}

const storage = new AsyncLocalStorage<ObservedRequest>();

/** The id of the current request. Undefined outside of a request. */
export const currentRequestId = (): string | undefined => storage.getStore()?.id;

/** Notes what is known of the current request from now on. */
export function noteRequest(facts: Partial<Omit<ObservedRequest, 'id'>>): void {
  Object.assign(storage.getStore() ?? {}, facts);
}

/** Others could make a log hard to read, or be very long. */
const WELL_FORMED = /^[\w.=-]{1,64}$/;

/** `onEnded` is called after each request. */
export function observed(
  listener: RequestListener,
  clock: Clock,
  onEnded: (request: EndedRequest) => void,
): RequestListener {
  return (incoming, outgoing) => {
    const given = incoming.headers['x-request-id'];
    const id = typeof given === 'string' && WELL_FORMED.test(given) ? given : randomUUID();
    const request: ObservedRequest = { id, route: 'other', isStream: false, isUnanswered: false };
    const startedAt = clock.monotonic();
    const { method = '' } = incoming;
    outgoing.setHeader('x-request-id', id);
    const closed = whenClosed(incoming, outgoing);
    let isSent = false;
    outgoing.once('finish', () => {
      // A response to a connection that was lost finishes too.
      isSent = !incoming.socket.destroyed;
    });
    const answered = closed.then(() => isSent && !request.isUnanswered);
    const work = () => {
      void closed.then(() => {
        const status = outgoing.headersSent ? outgoing.statusCode : 0;
        const { route, isStream, caller } = request;
        onEnded({ route, method, status, milliseconds: clock.monotonic() - startedAt, isStream, caller });
      });
      return listener(incoming, outgoing);
    };
    return storage.run(request, () =>
      withLogFields({ request_id: id }, () => withHostRequest(hostRequestOf(clock, answered), work)),
    );
  };
}

/** Not inside `observed`: whatever was begun in a request keeps this as long as it runs, and nothing else of the request. */
function hostRequestOf(clock: Clock, answered: Promise<boolean>): HostRequest {
  const startedAt = clock.monotonic();
  return { waitedMs: () => clock.monotonic() - startedAt, answered };
}

/**
 * Resolves when the response or its connection is closed. A response that waits behind another one on the same connection
 * gets no event when the connection closes.
 */
export function whenClosed({ socket }: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  // A host may send any number of requests at once on one connection.
  socket.setMaxListeners(0);
  return new Promise((resolve) => {
    const onClose = () => {
      socket.off('close', onClose);
      outgoing.off('close', onClose);
      resolve();
    };
    socket.on('close', onClose);
    outgoing.on('close', onClose);
  });
}
