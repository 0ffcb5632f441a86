/** Errors of the service's OAuth endpoints, in words for a person. */
import { ResponseBodyError } from 'oauth4webapi';
import { BudgetError, invalidConfig } from '../base/errors.ts';

/** By the codes of RFC 6749, sections 4.1.2.1 and 5.2. The service's own words may repeat secrets that were sent. */
const reasons: ReadonlyMap<string, string> = new Map([
  ['invalid_client', 'it does not know the client id, or the client secret is wrong'],
  ['invalid_grant', 'the code was already used, is too old, or is for another redirect URI'],
  ['invalid_scope', 'it does not know the scope'],
  ['invalid_request', 'the request is incomplete or wrong'],
  ['unauthorized_client', 'the application may not sign in this way'],
  ['unsupported_grant_type', 'it does not support this grant'],
  ['unsupported_response_type', 'it does not support this grant'],
]);

/** The error for a code that a callback or the token endpoint returned. */
export function authorizationError(code: string): BudgetError {
  if (code === 'temporarily_unavailable' || code === 'server_error')
    return new BudgetError('service_unavailable', `The service answered ${code}.`);
  const reason = reasons.get(code);
  return new BudgetError(
    'sign_in_failed',
    reason ? `The service refused the sign-in: ${reason} (${code}).` : 'The service refused the sign-in.',
  );
}

/** Error codes of a refresh after which only a new sign-in can help. */
const endReasons: ReadonlyMap<string, string> = new Map([
  ['invalid_grant', 'the refresh token was revoked or used'],
  ['invalid_client', 'the application was deleted or has another secret'],
  ['unauthorized_client', 'the application may not renew it'],
]);

/** Undefined if the sign-in may still be renewed. The cause is the code of the service. */
export function sessionEndedError(error: unknown): BudgetError | undefined {
  if (!(error instanceof ResponseBodyError)) return undefined;
  const reason = endReasons.get(error.error);
  return reason === undefined
    ? undefined
    : new BudgetError('sign_in_ended', `The sign-in has ended: ${reason} (${error.error}).`, {
        cause: error.error,
      });
}

/** For a token request that failed before there was a response. A `BudgetError` of the sender is passed on. */
export function rethrowUnsent(error: unknown): never {
  if (error instanceof BudgetError) throw error;
  throw invalidConfig(
    "The token request was not sent: the application's URL must be https:// unless it is on this machine.",
  );
}

/** The error of a token request, from the error that the library threw and the status of the response. */
export function tokenRequestError(error: unknown, status: number): unknown {
  if (error instanceof BudgetError) return error;
  if (error instanceof ResponseBodyError) return authorizationError(error.error);
  if (status === 429)
    return new BudgetError('too_many_requests', 'The service answered the token request with 429.');
  if (status >= 500)
    return new BudgetError('service_unavailable', `The service answered the token request with ${status}.`);
  return new BudgetError(
    'unexpected_response',
    `The service answered the token request with ${status}, which is not a valid OAuth response. The application's URL may be wrong.`,
  );
}
