/**
 * The authorization request as it arrives in the address of the page (specification, Authorization request; RFC 6749,
 * section 4). It is read in two steps: first to whom an answer may be sent, which no redirect may get wrong; then what
 * is asked for, where every error is an answer to the application.
 */
import type { Application, Applications } from './applications.ts';
import { OAuthError } from './oauth-error.ts';
import { isRegistered, withParameters } from './redirect-uri.ts';

/** Where an answer goes. */
export interface ReturnAddress {
  readonly application: Application;
  readonly redirectUri: string;
  /** The implicit grant answers in the fragment, errors included. */
  readonly part: 'query' | 'fragment';
  readonly state?: string | undefined;
}

export interface AuthorizationRequest {
  readonly responseType: 'code' | 'token';
  readonly scope?: 'read-only';
  /** By the method S256 (RFC 7636). */
  readonly codeChallenge?: string | undefined;
}

/** The values of each parameter of the query. */
export type Query = Readonly<Record<string, readonly string[]>>;

/** The request names no application, or no address of it: the user is told, and nobody is redirected. */
export class UnsafeRequest extends Error {
  override readonly name = 'UnsafeRequest';
}

/** Throws `UnsafeRequest`. */
export function returnAddress(query: Query, applications: Applications): ReturnAddress {
  const application = applications.find(only(query, 'client_id'));
  if (!application) throw new UnsafeRequest('It names no application that is registered here (client_id).');
  const redirectUri = only(query, 'redirect_uri');
  if (redirectUri === undefined || !isRegistered(redirectUri, application.redirectUris)) {
    throw new UnsafeRequest(
      `It would send you back to an address that ${application.name} has not registered (redirect_uri).`,
    );
  }
  const part = only(query, 'response_type') === 'token' ? 'fragment' : 'query';
  return { application, redirectUri, part, state: only(query, 'state') };
}

/** The address to redirect the browser to, with the answer and the `state` of the request unchanged. */
export function answer(
  { redirectUri, part, state }: ReturnAddress,
  parameters: Readonly<Record<string, string>>,
): string {
  return withParameters(redirectUri, part, { ...parameters, ...(state !== undefined && { state }) });
}

const CHALLENGE = /^[\w-]{43}$/;

/** Throws `OAuthError`, which is for the application. */
export function authorizationRequest(query: Query): AuthorizationRequest {
  const names = ['response_type', 'scope', 'state', 'code_challenge', 'code_challenge_method'];
  if (names.some((name) => given(query, name).length > 1)) {
    throw new OAuthError('invalid_request', 'A parameter is given more than once.');
  }
  const responseType = only(query, 'response_type');
  if (responseType === undefined) throw new OAuthError('invalid_request', 'The response_type is missing.');
  if (responseType !== 'code' && responseType !== 'token') {
    throw new OAuthError('unsupported_response_type', 'The response_type must be code or token.');
  }
  const scope = only(query, 'scope');
  if (scope !== undefined && scope !== 'read-only') {
    throw new OAuthError('invalid_scope', 'The only scope is read-only.');
  }
  const codeChallenge = responseType === 'code' ? only(query, 'code_challenge') : undefined;
  if (codeChallenge !== undefined) {
    if (only(query, 'code_challenge_method') !== 'S256' || !CHALLENGE.test(codeChallenge)) {
      throw new OAuthError('invalid_request', 'The code_challenge_method must be S256, with its challenge.');
    }
  }
  return { responseType, codeChallenge, ...(scope && { scope }) };
}

/** A parameter without a value counts as not given (RFC 6749, section 3.1). */
const given = (query: Query, name: string) => (query[name] ?? []).filter((value) => value !== '');

/** The value of a parameter that is given once. */
function only(query: Query, name: string): string | undefined {
  const [value, ...more] = given(query, name);
  return more.length === 0 ? value : undefined;
}
