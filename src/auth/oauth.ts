/**
 * The client's side of OAuth (docs/interface.md, OAuth applications): the authorization URL, the tokens for a callback, and
 * the refresh of tokens. oauth4webapi implements the protocol; the caller provides the network. This file does not know
 * how a callback arrives or where a sign-in is stored.
 *
 * Errors of the library are never passed on: they contain whole bodies, and with them tokens and codes.
 */
import * as oauth from 'oauth4webapi';
import { z } from 'zod';
import type { Clock } from '../base/clock.ts';
import { BudgetError, invalidConfig, unexpectedResponse } from '../base/errors.ts';
import { bearerToken, isLoopback } from './service-address.ts';
import type { RefreshableSignIn, TokenPair } from './stored-tokens.ts';
import type { SignIn } from './token-store.ts';

type ImplicitSignIn = SignIn & { kind: 'implicit' };

/** A registered application, the grant that it uses and the scope that it requests. */
export type Application =
  | Pick<RefreshableSignIn, 'kind' | 'appUrl' | 'clientId' | 'scope' | 'clientSecret'>
  | Pick<ImplicitSignIn, 'kind' | 'appUrl' | 'clientId' | 'scope'>;

/** A sign-in without its id and without the address that its token is for. */
export type Granted = Omit<RefreshableSignIn, 'id' | 'baseUrl'> | Omit<ImplicitSignIn, 'id' | 'baseUrl'>;

/** Sends one request. Rejects with a `BudgetError` if there is no response. Must not follow redirects. */
export type Send = (
  request: { method: 'POST'; url: string; headers: Record<string, string>; body: string },
  signal?: AbortSignal,
) => Promise<{ readonly status: number; readonly headers: object; readonly body: string }>;

export interface Authorization {
  readonly url: string;
  /** The callback must contain the same value. */
  readonly state: string;
  /** The input of `exchange`, for a callback that another process may receive. Absent if the grant uses no code. */
  readonly pending?: PendingAuthorization;
  /**
   * The tokens for the callback's parameters, which come in the query or in the fragment.
   * Throws `sign_in_declined`, `sign_in_failed`, or the error of the token request.
   */
  granted(callback: URLSearchParams, signal?: AbortSignal): Promise<Granted>;
}

/** The data of an authorization request until its callback comes. The verifier, of PKCE (RFC 7636), must stay secret. */
export const pendingAuthorization = z.object({
  state: z.string(),
  redirectUri: z.string(),
  verifier: z.string(),
});

export type PendingAuthorization = z.output<typeof pendingAuthorization>;

/** Seconds. The end of a longer life is not a valid date. */
const MAX_LIFE = 1e12;

const tokens = z.object({
  access_token: bearerToken,
  /** Seconds. The service's tokens live for two hours (docs/interface.md, OAuth applications). */
  expires_in: z.coerce.number().positive().max(MAX_LIFE).default(7_200),
});

const withRefresh = tokens.extend({ refresh_token: bearerToken });

export class OAuth {
  readonly #send: Send;
  readonly #clock: Clock;

  constructor({ send, clock }: { send: Send; clock: Clock }) {
    this.#send = send;
    this.#clock = clock;
  }

  /** The request for the person's browser (docs/interface.md, Authorization request), with PKCE if the grant uses a code. */
  async authorization(application: Application, redirectUri: string): Promise<Authorization> {
    const state = oauth.generateRandomState();
    const url = new URL(`${application.appUrl}/oauth/authorize`);
    url.search = new URLSearchParams({
      client_id: application.clientId,
      redirect_uri: redirectUri,
      response_type: application.kind === 'implicit' ? 'token' : 'code',
      ...(application.scope === 'read-only' && { scope: 'read-only' }),
      state,
    }).toString();
    if (application.kind === 'implicit')
      return {
        url: url.href,
        state,
        granted: async (callback) => {
          const { data } = tokens.safeParse(Object.fromEntries(validated(application, callback, state)));
          if (!data) throw new BudgetError('sign_in_failed', 'The service sent back no usable token.');
          return { ...application, ...accessOf(data, this.#clock.now()) };
        },
      };

    const verifier = oauth.generateRandomCodeVerifier();
    url.searchParams.set('code_challenge', await oauth.calculatePKCECodeChallenge(verifier));
    url.searchParams.set('code_challenge_method', 'S256');
    const pending = { state, redirectUri, verifier };
    return {
      url: url.href,
      state,
      pending,
      granted: async (callback, signal) => ({
        ...application,
        ...(await this.exchange(application, pending, callback, signal)),
      }),
    };
  }

  /**
   * Requests a new pair of tokens. The service revokes the old refresh token when the new access token is first used, so
   * the pair has to be stored before that (docs/interface.md, Authorization code grant).
   * Throws `sign_in_ended` if the service does not renew the sign-in any more.
   */
  async refresh(signIn: RefreshableSignIn, signal?: AbortSignal): Promise<TokenPair> {
    const requestedAt = this.#clock.now();
    const { server, client, secret, options } = this.#parties(signIn, signal);
    const request = oauth.refreshTokenGrantRequest(server, client, secret, signIn.refreshToken, options);
    const response = await request.catch(rethrowUnsent);
    try {
      const body = await oauth.processRefreshTokenResponse(server, client, response);
      // A refresh token that is not replaced stays valid (RFC 6749, section 6).
      return pair({ refresh_token: signIn.refreshToken, ...body }, requestedAt);
    } catch (error) {
      throw sessionEndedError(error) ?? tokenRequestError(error, response.status);
    }
  }

  /** The tokens for the callback's parameters. Throws like `Authorization.granted`. */
  async exchange(
    application: Extract<Application, { kind: 'authorization_code' }>,
    { state, redirectUri, verifier }: PendingAuthorization,
    parameters: URLSearchParams,
    signal?: AbortSignal,
  ): Promise<TokenPair> {
    const { server, client, secret, options } = this.#parties(application, signal);
    const callback = validated(application, parameters, state);
    if (!callback.has('code')) throw new BudgetError('sign_in_failed', 'The service sent back no code.');
    const requestedAt = this.#clock.now();
    const response = await oauth
      .authorizationCodeGrantRequest(server, client, secret, callback, redirectUri, verifier, options)
      .catch(rethrowUnsent);
    try {
      return pair(await oauth.processAuthorizationCodeResponse(server, client, response), requestedAt);
    } catch (error) {
      throw tokenRequestError(error, response.status);
    }
  }

  #parties(
    { appUrl, clientId, clientSecret }: Pick<RefreshableSignIn, 'appUrl' | 'clientId' | 'clientSecret'>,
    signal?: AbortSignal,
  ) {
    return {
      server: { issuer: appUrl, token_endpoint: `${appUrl}/oauth/token` },
      client: { client_id: clientId },
      secret: oauth.ClientSecretPost(clientSecret),
      options: {
        [oauth.customFetch]: this.#fetch,
        [oauth.allowInsecureRequests]: isLoopback(appUrl),
        ...(signal && { signal }),
      },
    };
  }

  readonly #fetch = async (
    url: string,
    { body, headers, signal }: oauth.CustomFetchOptions<'POST', URLSearchParams>,
  ): Promise<Response> => {
    const response = await this.#send({ method: 'POST', url, headers, body: body.toString() }, signal);
    // Only the header that the protocol reads. With a challenge header the library would not report the error in the body.
    const type = z.object({ 'content-type': z.string() }).safeParse(response.headers).data;
    try {
      return new Response(response.body || null, { status: response.status, ...(type && { headers: type }) });
    } catch {
      // The status is invalid, or does not allow a body.
      throw tokenRequestError(undefined, response.status);
    }
  };
}

const accessOf = ({ access_token, expires_in }: z.output<typeof tokens>, grantedAt: number) => ({
  accessToken: access_token,
  grantedAt,
  expiresAt: grantedAt + expires_in * 1_000,
});

function pair(body: unknown, requestedAt: number): TokenPair {
  const parsed = withRefresh.safeParse(body);
  if (!parsed.success)
    throw unexpectedResponse("The service's response does not contain the expected tokens.");
  return { ...accessOf(parsed.data, requestedAt), refreshToken: parsed.data.refresh_token };
}

/** No parameter may come twice (RFC 6749, section 3.1): two programs could read different values. */
function validated(
  { appUrl, clientId }: Pick<Application, 'appUrl' | 'clientId'>,
  callback: URLSearchParams,
  state: string,
): URLSearchParams {
  if (new Set(callback.keys()).size < callback.size)
    throw new BudgetError('sign_in_failed', 'The callback has a parameter more than once.');
  try {
    return oauth.validateAuthResponse({ issuer: appUrl }, { client_id: clientId }, callback, state);
  } catch (error) {
    if (error instanceof oauth.AuthorizationResponseError) {
      if (error.error === 'access_denied')
        throw new BudgetError('sign_in_declined', 'Access was declined in the browser.');
      throw authorizationError(error.error);
    }
    throw new BudgetError('sign_in_failed', 'The callback does not answer this sign-in.');
  }
}

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
function authorizationError(code: string): BudgetError {
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
function sessionEndedError(error: unknown): BudgetError | undefined {
  if (!(error instanceof oauth.ResponseBodyError)) return undefined;
  const { error: code } = error;
  const reason = endReasons.get(code);
  if (reason === undefined) return undefined;
  return new BudgetError('sign_in_ended', `The sign-in has ended: ${reason} (${code}).`, { cause: code });
}

/** For a token request that failed before there was a response. A `BudgetError` of the sender is passed on. */
function rethrowUnsent(error: unknown): never {
  if (error instanceof BudgetError) throw error;
  throw invalidConfig(
    "The token request was not sent: the application's URL must be https:// unless it is on this machine.",
  );
}

/** The error of a token request, from the error that the library threw and the status of the response. */
function tokenRequestError(error: unknown, status: number): unknown {
  if (error instanceof BudgetError) return error;
  if (error instanceof oauth.ResponseBodyError) return authorizationError(error.error);
  if (status === 429)
    return new BudgetError('too_many_requests', 'The service answered the token request with 429.');
  if (status >= 500)
    return new BudgetError('service_unavailable', `The service answered the token request with ${status}.`);
  return unexpectedResponse(
    `The service answered the token request with ${status}, which is not a valid OAuth response. The application's URL may be wrong.`,
  );
}
