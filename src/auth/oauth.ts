/**
 * The client's side of OAuth (specification, OAuth applications): what the browser is sent off with, what a callback
 * amounts to, and how a pair of tokens is renewed. The protocol is oauth4webapi's, the network is handed in. It must
 * not know how a callback arrives, where a sign-in is kept, or who is waiting for it.
 *
 * Nothing of what the library throws is passed on: it keeps whole bodies, and with them tokens and codes.
 */
import * as oauth from 'oauth4webapi';
import { z } from 'zod';
import { BudgetError } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';
import { bearerToken } from './bearer-token.ts';
import { authorizationError, rethrowUnsent, sessionEndedError, tokenRequestError } from './oauth-refusals.ts';
import { isLoopback } from './service-address.ts';
import type { RefreshableSignIn, TokenPair } from './stored-tokens.ts';
import type { SignIn } from './token-store.ts';

type ImplicitSignIn = SignIn & { kind: 'implicit' };

/** A registered application, the grant that it uses and the scope that it asks for. */
export type Application =
  | Pick<RefreshableSignIn, 'kind' | 'appUrl' | 'clientId' | 'scope' | 'clientSecret'>
  | Pick<ImplicitSignIn, 'kind' | 'appUrl' | 'clientId' | 'scope'>;

/** A sign-in but for the address that its token is for. */
export type Granted = Omit<RefreshableSignIn, 'id' | 'baseUrl'> | Omit<ImplicitSignIn, 'id' | 'baseUrl'>;

/** One exchange; rejects with a `BudgetError` where there is no answer. Redirects must not be followed. */
export type Send = (
  request: { method: 'POST'; url: string; headers: Record<string, string>; body: string },
  signal?: AbortSignal,
) => Promise<{ readonly status: number; readonly headers: object; readonly body: string }>;

export interface Authorization {
  /** Where the person's browser goes. */
  readonly url: string;
  /** What the callback must bring back unchanged. */
  readonly state: string;
  /**
   * What the callback's parameters amount to, of the query or of the fragment.
   * Throws `sign_in_declined`, `sign_in_failed`, or what became of the token request.
   */
  granted(callback: URLSearchParams, signal?: AbortSignal): Promise<Granted>;
}

export interface OAuthOptions {
  readonly send: Send;
  readonly clock: Clock;
}

/** Seconds. Whatever is longer is no date that can be stored. */
const MAX_LIFE = 1e12;

const tokens = z.object({
  access_token: bearerToken,
  /** Seconds. The service's tokens live for two hours (specification, OAuth applications). */
  expires_in: z.coerce.number().positive().max(MAX_LIFE).default(7_200),
});

const withRefresh = tokens.extend({ refresh_token: bearerToken });

export class OAuth {
  readonly #send: Send;
  readonly #clock: Clock;

  constructor({ send, clock }: OAuthOptions) {
    this.#send = send;
    this.#clock = clock;
  }

  /** What to ask the person's browser for (specification, Authorization request), with PKCE where there is a code. */
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
        granted: async (callback) => this.#implicit(application, callback, state),
      };

    const verifier = oauth.generateRandomCodeVerifier();
    url.searchParams.set('code_challenge', await oauth.calculatePKCECodeChallenge(verifier));
    url.searchParams.set('code_challenge_method', 'S256');
    return {
      url: url.href,
      state,
      granted: async (callback, signal) => ({
        ...application,
        ...(await this.#exchange(application, { callback, state, redirectUri, verifier }, signal)),
      }),
    };
  }

  /**
   * A new pair. The service revokes the old refresh token when the new access token is first used, so the pair has to
   * be kept before (specification, Authorization code grant).
   * Throws `sign_in_ended` where the service does not renew it any more.
   */
  async refresh(signIn: RefreshableSignIn, signal?: AbortSignal): Promise<TokenPair> {
    const askedAt = this.#clock.now();
    const { server, client, secret, options } = this.#parties(signIn, signal);
    const request = oauth.refreshTokenGrantRequest(server, client, secret, signIn.refreshToken, options);
    const response = await request.catch(rethrowUnsent);
    try {
      const body = await oauth.processRefreshTokenResponse(server, client, response);
      // One that is not replaced stays valid (RFC 6749, section 6).
      return pair({ refresh_token: signIn.refreshToken, ...body }, askedAt);
    } catch (error) {
      throw sessionEndedError(error) ?? tokenRequestError(error, response.status);
    }
  }

  async #exchange(
    application: Extract<Application, { kind: 'authorization_code' }>,
    asked: { callback: URLSearchParams; state: string; redirectUri: string; verifier: string },
    signal?: AbortSignal,
  ): Promise<TokenPair> {
    const { server, client, secret, options } = this.#parties(application, signal);
    const callback = validated(server, client, asked.callback, asked.state);
    if (!callback.has('code')) throw new BudgetError('sign_in_failed', 'The service sent no code back.');
    const askedAt = this.#clock.now();
    const { redirectUri, verifier } = asked;
    const response = await oauth
      .authorizationCodeGrantRequest(server, client, secret, callback, redirectUri, verifier, options)
      .catch(rethrowUnsent);
    try {
      return pair(await oauth.processAuthorizationCodeResponse(server, client, response), askedAt);
    } catch (error) {
      throw tokenRequestError(error, response.status);
    }
  }

  #implicit(
    application: Extract<Application, { kind: 'implicit' }>,
    callback: URLSearchParams,
    state: string,
  ): Granted {
    const server = { issuer: application.appUrl };
    const client = { client_id: application.clientId };
    const parsed = tokens.safeParse(Object.fromEntries(validated(server, client, callback, state)));
    if (!parsed.success)
      throw new BudgetError('sign_in_failed', 'The service sent no token back that can be used.');
    return { ...application, ...accessOf(parsed.data, this.#clock.now()) };
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
    const answer = await this.#send({ method: 'POST', url, headers, body: body.toString() }, signal);
    // Only what the protocol reads: a challenge beside an error would hide the error from the library.
    const type = z.object({ 'content-type': z.string() }).safeParse(answer.headers).data;
    try {
      return new Response(answer.body || null, { status: answer.status, ...(type && { headers: type }) });
    } catch {
      // A status that is none, or one that has no body.
      throw tokenRequestError(undefined, answer.status);
    }
  };
}

const accessOf = ({ access_token, expires_in }: z.output<typeof tokens>, grantedAt: number) => ({
  accessToken: access_token,
  grantedAt,
  expiresAt: grantedAt + expires_in * 1_000,
});

function pair(body: unknown, askedAt: number): TokenPair {
  const parsed = withRefresh.safeParse(body);
  if (!parsed.success)
    throw new BudgetError('unexpected_response', "The service's answer has not the tokens that it should.");
  return { ...accessOf(parsed.data, askedAt), refreshToken: parsed.data.refresh_token };
}

/** No name in it comes twice (RFC 6749, section 3.1), so that nobody can mean another value than the one we take. */
function validated(
  server: oauth.AuthorizationServer,
  client: oauth.Client,
  callback: URLSearchParams,
  state: string,
): URLSearchParams {
  if (new Set(callback.keys()).size < callback.size)
    throw new BudgetError('sign_in_failed', 'The callback has a parameter more than once.');
  try {
    return oauth.validateAuthResponse(server, client, callback, state);
  } catch (error) {
    if (error instanceof oauth.AuthorizationResponseError) {
      if (error.error === 'access_denied')
        throw new BudgetError('sign_in_declined', 'Access was declined in the browser.');
      throw authorizationError(error.error);
    }
    throw new BudgetError('sign_in_failed', 'The callback is not the answer to what was asked.');
  }
}
