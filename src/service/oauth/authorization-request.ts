/**
 * Parses the authorization request from the query of the page (docs/interface.md, Authorization request; RFC 6749,
 * section 4). First the redirect target is checked, because a redirect must go to a registered address only. Then
 * the request itself is checked, and its errors are returned to the application.
 */
import type { Application, Applications } from './applications.ts';
import { OAuthError } from './oauth-error.ts';
import { isRegistered, withParameters } from './redirect-uri.ts';

/** The address that the response is sent to. */
export interface RedirectTarget {
  readonly application: Application;
  readonly redirectUri: string;
  /** The implicit grant returns its response, and errors too, in the fragment. */
  readonly responsePart: 'query' | 'fragment';
  readonly state?: string | undefined;
}

export interface AuthorizationRequest {
  readonly responseType: 'code' | 'token';
  readonly scope?: 'read-only';
  /** Method S256 (RFC 7636). */
  readonly codeChallenge?: string | undefined;
}

/** The values of each parameter of the query. */
export type Query = Readonly<Record<string, readonly string[]>>;

/**
 * The request has no valid application or redirect URI. The error is shown to the user, because there is no safe
 * address to redirect to.
 */
export class UnredirectableRequest extends Error {
  override readonly name = 'UnredirectableRequest';
}

/** Throws `UnredirectableRequest`. */
export function parseRedirectTarget(query: Query, applications: Applications): RedirectTarget {
  const application = applications.find(singleValue(query, 'client_id'));
  if (!application)
    throw new UnredirectableRequest('It names no application that is registered here (client_id).');
  const redirectUri = singleValue(query, 'redirect_uri');
  if (redirectUri === undefined || !isRegistered(redirectUri, application.redirectUris)) {
    throw new UnredirectableRequest(
      `It would send you back to an address that ${application.name} has not registered (redirect_uri).`,
    );
  }
  const responsePart = singleValue(query, 'response_type') === 'token' ? 'fragment' : 'query';
  return { application, redirectUri, responsePart, state: singleValue(query, 'state') };
}

/** The URL that the browser is redirected to, with the response and the unchanged `state` of the request. */
export function redirectUrl(
  { redirectUri, responsePart, state }: RedirectTarget,
  parameters: Readonly<Record<string, string>>,
): string {
  return withParameters(redirectUri, responsePart, { ...parameters, ...(state !== undefined && { state }) });
}

const CHALLENGE = /^[\w-]{43}$/;

/** Throws an `OAuthError`, which is returned to the application. */
export function parseAuthorizationRequest(query: Query): AuthorizationRequest {
  const names = ['response_type', 'scope', 'state', 'code_challenge', 'code_challenge_method'];
  if (names.some((name) => valuesOf(query, name).length > 1)) {
    throw new OAuthError('invalid_request', 'A parameter is given more than once.');
  }
  const responseType = singleValue(query, 'response_type');
  if (responseType === undefined) throw new OAuthError('invalid_request', 'The response_type is missing.');
  if (responseType !== 'code' && responseType !== 'token') {
    throw new OAuthError('unsupported_response_type', 'The response_type must be code or token.');
  }
  const scope = singleValue(query, 'scope');
  if (scope !== undefined && scope !== 'read-only') {
    throw new OAuthError('invalid_scope', 'The only scope is read-only.');
  }
  const codeChallenge = responseType === 'code' ? singleValue(query, 'code_challenge') : undefined;
  if (codeChallenge !== undefined) {
    if (singleValue(query, 'code_challenge_method') !== 'S256' || !CHALLENGE.test(codeChallenge)) {
      throw new OAuthError('invalid_request', 'The code_challenge_method must be S256, with its challenge.');
    }
  }
  return { responseType, codeChallenge, ...(scope && { scope }) };
}

/** A parameter without a value counts as absent (RFC 6749, section 3.1). */
const valuesOf = (query: Query, name: string) => (query[name] ?? []).filter((value) => value !== '');

/** The value of a parameter. Undefined if it is absent or repeated. */
function singleValue(query: Query, name: string): string | undefined {
  const [value, ...others] = valuesOf(query, name);
  return others.length === 0 ? value : undefined;
}
