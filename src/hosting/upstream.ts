/**
 * Signing in with the budgeting service (docs/interface.md, Authorization code grant): the address for the person's
 * browser, and after its callback the person's id there and the tokens.
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { OAuth, PendingAuthorization } from '../auth/oauth.ts';
import type { RefreshableSignIn } from '../auth/stored-tokens.ts';
import { budgetsAnswer, defaultBudgetOf } from '../base/default-budget.ts';
import { BudgetError, undefinedIfExpected } from '../base/errors.ts';
import { parseJson } from '../base/json.ts';

/** Where the budgeting service sends browsers back to. They have to be registered there as redirect URIs. */
export const CALLBACK_PATH = '/oauth/callback';
export const ACCOUNT_CALLBACK_PATH = '/account/callback';
export const REDIRECT_PATHS = [CALLBACK_PATH, ACCOUNT_CALLBACK_PATH];

type UpstreamScope = RefreshableSignIn['scope'];

export type Upstream = ReturnType<typeof createUpstream>;

/** The application that is registered with the budgeting service, with the redirect URIs of this server. */
export interface UpstreamApplication {
  /** Where the service answers requests, with the version segment. */
  readonly baseUrl: string;
  /** Where people sign in. */
  readonly appUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface UpstreamOptions extends UpstreamApplication {
  readonly oauth: OAuth;
  /** Sends one request. Rejects with a `BudgetError` if there is no response. Must not follow redirects. */
  readonly send: (request: { method: 'GET'; url: string; headers: Record<string, string> }) => Promise<{
    readonly status: number;
    readonly body: string;
  }>;
}

const userAnswer = z.object({ data: z.object({ user: z.object({ id: z.string().min(1) }) }) });
export const budgetName = z.object({ id: z.string().min(1), name: z.string() });

export type BudgetName = z.output<typeof budgetName>;

export function createUpstream(options: UpstreamOptions) {
  const { oauth, send, baseUrl, appUrl, clientId, clientSecret } = options;
  const applicationFor = (scope: UpstreamScope) =>
    ({ kind: 'authorization_code', appUrl, clientId, clientSecret, scope }) as const;

  const read = async <Data>(path: string, accessToken: string, schema: z.ZodType<{ data: Data }>) => {
    const headers = { authorization: `Bearer ${accessToken}`, accept: 'application/json' };
    const { status, body } = await send({ method: 'GET', url: `${baseUrl}${path}`, headers });
    return { status, data: status === 200 ? schema.safeParse(parseJson(body)).data?.data : undefined };
  };

  return {
    baseUrl,
    appUrl,
    /** The address for the person's browser, and what is needed when it comes back. */
    async start(redirectUri: string, scope: UpstreamScope) {
      const { url, pending } = await oauth.authorization(applicationFor(scope), redirectUri);
      if (!pending) throw new Error('The code grant has a pending authorization.');
      return { url, pending };
    },
    /**
     * The id of the person at the service, and the sign-in. Throws `sign_in_declined`, `sign_in_failed`, or the error of a
     * request.
     */
    async finish(pending: PendingAuthorization, scope: UpstreamScope, callback: URLSearchParams) {
      const application = applicationFor(scope);
      const pair = await oauth.exchange(application, pending, callback);
      const { status, data } = await read('/user', pair.accessToken, userAnswer);
      if (!data)
        throw new BudgetError('sign_in_failed', `The service did not say who has signed in (${status}).`);
      return {
        userId: data.user.id,
        signIn: { ...application, ...pair, id: randomUUID(), baseUrl } satisfies RefreshableSignIn,
      };
    },
    /**
     * The names of the person's budgets, by one request. The first is the default one without a choice. Undefined if there is no such
     * answer.
     */
    async budgets(accessToken: string): Promise<readonly BudgetName[] | undefined> {
      const answer = await read('/budgets', accessToken, budgetsAnswer).catch(undefinedIfExpected);
      if (!answer?.data) return undefined;
      const found = defaultBudgetOf(answer.data);
      return found ? [found.budget, ...found.others].map(({ id, name }) => ({ id, name })) : [];
    },
  };
}
