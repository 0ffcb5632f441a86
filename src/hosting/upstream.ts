/**
 * Signing in with the budgeting service (docs/interface.md, Authorization code grant): the address for the person's
 * browser, and after its callback the person's id there and the tokens.
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { OAuth, PendingAuthorization } from '../auth/oauth.ts';
import type { RefreshableSignIn } from '../auth/stored-tokens.ts';
import { BudgetError } from '../base/errors.ts';
import { parseJson } from '../base/json.ts';

/** Where the budgeting service sends browsers back to. They have to be registered there as redirect URIs. */
export const CALLBACK_PATH = '/oauth/callback';
export const ACCOUNT_CALLBACK_PATH = '/account/callback';
export const REDIRECT_PATHS = [CALLBACK_PATH, ACCOUNT_CALLBACK_PATH];

/** Sends one request. Rejects with a `BudgetError` if there is no response. Must not follow redirects. */
export type SendRequest = (
  request: { method: 'GET'; url: string; headers: Record<string, string> },
  signal?: AbortSignal,
) => Promise<{ readonly status: number; readonly body: string }>;

export type UpstreamScope = 'full' | 'read-only';

export interface StartedSignIn {
  /** Where the person's browser goes. */
  readonly url: string;
  readonly pending: PendingAuthorization;
}

export interface FinishedSignIn {
  /** The person's id at the budgeting service. */
  readonly userId: string;
  readonly signIn: RefreshableSignIn;
}

export interface BudgetName {
  readonly id: string;
  readonly name: string;
}

export interface Upstream {
  /** Where the service answers requests, with the version segment. */
  readonly baseUrl: string;
  /** Where people sign in. */
  readonly appUrl: string;
  start(redirectUri: string, scope: UpstreamScope): Promise<StartedSignIn>;
  /** Throws `sign_in_declined`, `sign_in_failed`, or the error of a request. */
  finish(
    pending: PendingAuthorization,
    scope: UpstreamScope,
    callback: URLSearchParams,
  ): Promise<FinishedSignIn>;
  /** The names of the person's budgets, by one request. Undefined if there is no such answer. */
  budgets(accessToken: string): Promise<BudgetName[] | undefined>;
}

/** The application that is registered with the budgeting service, with the redirect URIs of this server. */
export interface UpstreamApplication extends Pick<Upstream, 'baseUrl' | 'appUrl'> {
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface UpstreamOptions extends UpstreamApplication {
  readonly oauth: OAuth;
  readonly send: SendRequest;
}

const userAnswer = z.object({ data: z.object({ user: z.object({ id: z.string().min(1) }) }) });
const budgetsAnswer = z.object({
  data: z.object({ budgets: z.array(z.object({ id: z.string().min(1), name: z.string() })) }),
});

export function createUpstream(options: UpstreamOptions): Upstream {
  const { oauth, send, baseUrl, appUrl, clientId, clientSecret } = options;
  const applicationFor = (scope: UpstreamScope) =>
    ({ kind: 'authorization_code', appUrl, clientId, clientSecret, scope }) as const;

  const read = async <Data>(path: string, accessToken: string, schema: z.ZodType<{ data: Data }>) => {
    const headers = { authorization: `Bearer ${accessToken}`, accept: 'application/json' };
    const { status, body } = await send({ method: 'GET', url: `${baseUrl}${path}`, headers });
    return { status, data: status === 200 ? schema.safeParse(parseJson(body)).data?.data : undefined };
  };

  const userIdOf = async (accessToken: string): Promise<string> => {
    const { status, data } = await read('/user', accessToken, userAnswer);
    if (data) return data.user.id;
    throw new BudgetError('sign_in_failed', `The service did not say who has signed in (${status}).`);
  };

  return {
    baseUrl,
    appUrl,
    async start(redirectUri, scope) {
      const { url, pending } = await oauth.authorization(applicationFor(scope), redirectUri);
      if (!pending) throw new Error('The code grant has a pending authorization.');
      return { url, pending };
    },
    async finish(pending, scope, callback) {
      const application = applicationFor(scope);
      const pair = await oauth.exchange(application, pending, callback);
      return {
        userId: await userIdOf(pair.accessToken),
        signIn: { ...application, ...pair, id: randomUUID(), baseUrl },
      };
    },
    async budgets(accessToken) {
      try {
        return (await read('/budgets', accessToken, budgetsAnswer)).data?.budgets;
      } catch (error) {
        if (error instanceof BudgetError) return undefined;
        throw error;
      }
    },
  };
}
