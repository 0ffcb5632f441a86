/** What the middleware knows about a request, for the handlers after it. */
import type { HttpBindings } from '@hono/node-server';
import type { RequestLimit } from './request-limits.ts';

export interface InFlightRequest {
  /** Aborted when no answer can be sent any more: it was sent, the host has disconnected, or the time limit is over. */
  readonly signal: AbortSignal;
  /** Aborted when the time limit is over. */
  readonly timedOut: AbortSignal;
  /** Resolves when the answer was sent or the host has disconnected. */
  readonly disconnected: Promise<void>;
  /** Resolves when the host is disconnected and every promise passed to `keepAliveUntil` has settled. */
  readonly settled: Promise<void>;
  /** The request counts as open until `work` resolves, even if the host has disconnected. */
  readonly keepAliveUntil: (work: Promise<void>) => void;
  /** Marks the answer as a stream of events. */
  readonly becomesStream: () => void;
}

/** A request that has passed the access checks, with its parsed body. */
export interface AcceptedRequest
  extends Readonly<Pick<RequestContext['Variables'], 'owner' | 'caller' | 'message' | 'inFlight'>> {
  readonly request: Request;
}

/** What answers the messages of MCP. */
export interface Endpoint {
  answer(request: AcceptedRequest): Promise<Response>;
  /** Ends the sessions of a caller whose access has ended. */
  endSessionsOf(caller: string): void;
  /** Stops notifications and questions to hosts. Requests in progress are still answered. */
  finish(): void;
  close(): Promise<void>;
}

export interface RequestContext {
  Bindings: HttpBindings;
  Variables: {
    /** Who owns the sessions that it may use: the caller and the web page that sends it. Set by `guards`. */
    owner: string;
    /** One for each token: all pages with one token are one caller. */
    caller: string;
    /** The caller in a form for the log. */
    label: string;
    /** Those that the request counts for. If it is over several, the first one is reported. */
    limits: readonly RequestLimit[];
    /** The parsed body. Undefined if the method has none. */
    message: unknown;
    inFlight: InFlightRequest;
    /** What answers the caller. */
    endpoint: Pick<Endpoint, 'answer'>;
  };
}
