/** What is found out about a request on its way, and handed on to those who come after. */
import type { HttpBindings } from '@hono/node-server';

export interface InFlightRequest {
  /** Aborted once there is nobody to answer any more: the answer has gone, the host has, or the time is over. */
  readonly signal: AbortSignal;
  /** Aborted when it has taken too long. */
  readonly timedOut: AbortSignal;
  /** Resolves when the answer has gone, or the host. */
  readonly disconnected: Promise<void>;
  /** Resolves when its work is done besides. */
  readonly settled: Promise<void>;
  /** It is not done before `work` is, even if its host is gone. */
  readonly keepAliveUntil: (work: Promise<void>) => void;
  /** Its answer is a stream of events. */
  readonly becomesStream: () => void;
}

export interface RequestContext {
  Bindings: HttpBindings;
  Variables: {
    /** Who sends it; behind the doors of `guards`. */
    caller: string;
    /** For whom it counts: all pages that show one token together. */
    holder: string;
    /** The same, fit for a log. */
    label: string;
    /** Its body; undefined where the method has none. */
    message: unknown;
    exchange: InFlightRequest;
  };
}
