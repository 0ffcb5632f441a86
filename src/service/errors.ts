/**
 * The service's own table of errors (specification, Errors) and how one of them leaves the service. It knows nothing
 * of what the routes do, and must not know the client's table of errors: the two meet only over HTTP.
 *
 * `not_found` (404.1) is for a method and path that are no operation of the service, whatever stands in the path;
 * `resource_not_found` (404.2) is for an operation that exists, asked about a budget or entity that does not.
 */
import type { Context, ErrorHandler } from 'hono';

const table = {
  bad_request: { status: 400, id: '400' },
  not_authorized: { status: 401, id: '401' },
  subscription_lapsed: { status: 403, id: '403.1' },
  trial_expired: { status: 403, id: '403.2' },
  unauthorized_scope: { status: 403, id: '403.3' },
  data_limit_reached: { status: 403, id: '403.4' },
  not_found: { status: 404, id: '404.1' },
  resource_not_found: { status: 404, id: '404.2' },
  conflict: { status: 409, id: '409' },
  too_many_requests: { status: 429, id: '429' },
  internal_server_error: { status: 500, id: '500' },
  service_unavailable: { status: 503, id: '503' },
} as const;

export type ErrorName = keyof typeof table;

/** An error of the table, thrown anywhere below a route; `detail` is shown to the caller. */
export class ServiceError extends Error {
  override readonly name: ErrorName;

  constructor(name: ErrorName, detail: string) {
    super(detail);
    this.name = name;
  }

  get status() {
    return table[this.name].status;
  }

  /** The body of the response: `{error: {id, name, detail}}`, all strings. */
  get body() {
    return { error: { id: table[this.name].id, name: this.name, detail: this.message } };
  }
}

/** The resource, or 404.2 when there is none. `what` names it in the detail, as in `account`. */
export function orNotFound<T>(resource: T | undefined, what: string): T {
  if (resource === undefined) throw new ServiceError('resource_not_found', `The ${what} does not exist.`);
  return resource;
}

export function errorResponse(c: Context, error: ServiceError): Response {
  return c.json(error.body, error.status);
}

/**
 * Answers with the table's error. Anything else is a bug: it goes to `reportError`, and the caller gets a 500 that
 * says nothing of what went wrong inside.
 */
export function errorHandler(reportError: (error: unknown) => void): ErrorHandler {
  return (error, c) => {
    if (error instanceof ServiceError) return errorResponse(c, error);
    reportError(error);
    return errorResponse(c, unexpectedError());
  };
}

/** The 500 for a bug of the service. */
export function unexpectedError(): ServiceError {
  return new ServiceError('internal_server_error', 'An unexpected error occurred.');
}
