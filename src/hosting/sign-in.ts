/**
 * What a person does between the request of a client and its answer: they read who asks and decide (`consent-page.ts`),
 * and sign in with the budgeting service. oidc-provider sends the browser here and continues afterwards.
 *
 * The decision comes first, and belongs to one browser by the cookie of oidc-provider. The sign-in belongs to the same
 * browser by a cookie of its own, which opens the record of the sign-in: a callback in another browser finds nothing.
 */
import { randomBytes } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { getCookie } from 'hono/cookie';
import { html } from 'hono/html';
import type { Interaction, InteractionResults, Provider } from 'oidc-provider';
import { z } from 'zod';
import { isSame } from '../auth/local-listener.ts';
import { pendingAuthorization } from '../auth/oauth.ts';
import type { Clock } from '../base/clock.ts';
import { BudgetError } from '../base/errors.ts';
import { type ClientRequest, consentPage, findRequest, redirectHostOf } from './consent-page.ts';
import { derivedKey, hashOf, keyedHash, personIdOf } from './derived-key.ts';
import type { Grants } from './grants.ts';
import {
  errorPage,
  expired,
  failure,
  formLimit,
  formOf,
  page,
  pageCookies,
  refusedPersonPage,
} from './page.ts';
import { CODE_MS, cookiesOf, INTERACTION_MS, type ProviderOptions } from './provider.ts';
import { KEY_BYTES } from './root-key.ts';
import { SCOPES, type Scope } from './scopes.ts';
import { CALLBACK_PATH, type Upstream } from './upstream.ts';

const formSchema = z.object({
  csrf: z.string(),
  decision: z.enum(['allow', 'allow-reading', 'deny']),
  away: z.string().optional(),
});

const signInSchema = z.object({
  uid: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  /** Whether the server may work while the client is not connected. */
  mayWatch: z.boolean(),
  pending: pendingAuthorization,
});

export interface SignInOptions extends Pick<ProviderOptions, 'issuer' | 'records' | 'isAllowed' | 'onBug'> {
  /** Kept outside the store. */
  readonly serverKey: Uint8Array;
  readonly clock: Clock;
  readonly provider: Provider;
  readonly grants: Grants;
  readonly upstream: Upstream;
}

export function signInRoutes(options: SignInOptions): Hono {
  const { issuer, serverKey, clock, provider, records, grants, isAllowed, upstream, onBug } = options;
  const cookies = cookiesOf(issuer);
  const csrfKey = derivedKey(serverKey, 'consent form');
  const redirectUri = `${issuer}${CALLBACK_PATH}`;
  const ownCookies = pageCookies(issuer);

  /** The request of a client that this address is for, if it belongs to this browser. */
  const openRequest = async (c: Context): Promise<ClientRequest | undefined> => {
    const uid = c.req.param('uid') ?? '';
    return getCookie(c, cookies.interaction) === uid ? findRequest(provider, uid) : undefined;
  };

  /** oidc-provider answers the client at the address that this returns. */
  const finish = async (interaction: Interaction, result: InteractionResults): Promise<string> => {
    interaction.result = result;
    await interaction.persist();
    return interaction.returnTo;
  };

  const denied = (description: string) => ({ error: 'access_denied', error_description: description });

  const cookieOf = (state: string) => `sign-in-${hashOf(state).slice(0, 16)}`;

  const routes = new Hono();

  routes.get('/interaction/:uid', async (c) => {
    const request = await openRequest(c);
    if (!request) return expired(c);
    const csrfToken = keyedHash(csrfKey, request.interaction.uid);
    return consentPage(c, { ...request, issuer, appUrl: upstream.appUrl, csrfToken });
  });

  routes.post('/interaction/:uid', formLimit, async (c) => {
    const request = await openRequest(c);
    const { data: form } = formSchema.safeParse(await formOf(c));
    if (!request || !form) return expired(c);
    const { interaction } = request;
    const site = c.req.header('Sec-Fetch-Site');
    const isOwnForm = isSame(form.csrf, keyedHash(csrfKey, interaction.uid));
    if (!isOwnForm || (site !== undefined && site !== 'same-origin')) return expired(c);
    if (form.decision === 'deny')
      return c.redirect(await finish(interaction, denied('The person did not allow it.')), 303);
    const scopes: Scope[] = form.decision === 'allow' ? request.scopes : ['budget:read'];
    const { url, pending } = await upstream.start(redirectUri, upstreamScopeOf(scopes));
    const secret = randomBytes(KEY_BYTES).toString('base64url');
    const begun = { uid: interaction.uid, scopes, mayWatch: form.away === 'on', pending };
    await records.write('SignIn', secret, begun, INTERACTION_MS);
    ownCookies.set(c, cookieOf(pending.state), secret, INTERACTION_MS);
    return c.redirect(url, 303);
  });

  routes.get(CALLBACK_PATH, async (c) => {
    const callback = new URL(c.req.url).searchParams;
    const cookie = cookieOf(callback.get('state') ?? '');
    const secret = ownCookies.get(c, cookie);
    const { data: begun } = signInSchema.safeParse(secret && (await records.take('SignIn', secret)));
    const request = begun && (await findRequest(provider, begun.uid));
    if (!request) return expired(c);
    ownCookies.remove(c, cookie);
    const { pending, scopes, mayWatch } = begun;
    const { interaction } = request;
    let finished: Awaited<ReturnType<Upstream['finish']>>;
    try {
      finished = await upstream.finish(pending, upstreamScopeOf(scopes), callback);
    } catch (error) {
      if (!(error instanceof BudgetError)) throw error;
      if (error.code === 'sign_in_declined')
        return goOn(
          c,
          await finish(interaction, denied('The person did not allow it at the budgeting service.')),
        );
      return page(c, { ...failure(error.explanation), status: 502 });
    }
    const personId = personIdOf(serverKey, { baseUrl: upstream.baseUrl, userId: finished.userId });
    if (!isAllowed(personId)) {
      const continuesAt = await finish(interaction, denied('This server does not let this person in.'));
      return refusedPersonPage(c, { userId: finished.userId, appUrl: upstream.appUrl, continuesAt });
    }
    const grantId = randomBytes(16).toString('base64url');
    const grantKey = randomBytes(KEY_BYTES);
    const now = clock.now();
    const grant = {
      id: grantId,
      personId,
      clientId: request.clientId,
      clientName: request.clientName,
      redirectHost: redirectHostOf(request.redirectUri),
      scopes,
      ...(mayWatch && { mayWatch }),
      createdAt: now,
      // Until the client has a code.
      expiresAt: now + CODE_MS,
    };
    await grants.create(grant, grantKey, finished.signIn);
    records.useGrantKey(grantKey);
    const login = { accountId: personId, remember: false };
    return goOn(c, await finish(interaction, { login, consent: { grantId } }));
  });

  routes.onError((error, c) => {
    onBug(error);
    return errorPage(c, error);
  });

  return routes;
}

/**
 * Not a redirect: the browser comes from a form of the budgeting service, whose policy may allow its redirects to lead to
 * this server, but not on to the client.
 */
const goOn = (c: Context, continuesAt: string) =>
  page(c, {
    title: 'You have decided',
    continuesAt,
    body: html`<p><a href="${continuesAt}">Go back to the application</a></p>`,
  });

/** What this server asks of the budgeting service is no more than what the person allows the client. */
const upstreamScopeOf = (scopes: readonly Scope[]) =>
  scopes.includes('budget:write') ? 'full' : 'read-only';
