/** What is found out about a request on its way, and handed on to those who come after. */
import type { HttpBindings } from '@hono/node-server';
import type { InFlightRequest } from './request-tracker.ts';

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
