/**
 * The service's table of errors (docs/interface.md, Errors) and the conversion of an error to a response. It is
 * separate from the client's table of errors, so that a mistake in one of them shows in the tests.
 *
 * `not_found` (404.1) is for a method and path that are no operation of the service. `resource_not_found` (404.2) is
 * for an operation that exists, with a budget or entity that does not.
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

/** An error of the table. A route may throw it anywhere. The caller sees `detail`. */
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

/** Returns the resource, or throws 404.2 when it is undefined. The detail names it by `what`, as in `account`. */
export function orNotFound<T>(resource: T | undefined, what: string): T {
  if (resource === undefined) throw new ServiceError('resource_not_found', `The ${what} does not exist.`);
  return resource;
}

/** The 404.1 for a method and path that are no operation. */
export function invalidUri(): ServiceError {
  return new ServiceError('not_found', 'Invalid URI');
}

export function errorResponse(c: Context, error: ServiceError): Response {
  return c.json(error.body, error.status);
}

/**
 * Converts a `ServiceError` to its response. Any other error is a bug: it is passed to `reportError`, and the caller
 * gets a 500 without its message.
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
