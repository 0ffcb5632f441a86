/**
 * What a person does between the request of a client and its answer: they read who asks and decide (`consent-page.ts`),
 * and sign in with the budgeting service. oidc-provider sends the browser here and continues afterwards.
 *
 * The decision comes first, and belongs to one browser by the cookie of oidc-provider. The sign-in belongs to the same
 * browser by a cookie of its own, which opens the record of the sign-in: a callback in another browser finds nothing.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { html } from 'hono/html';
import type { Interaction, Provider } from 'oidc-provider';
import { z } from 'zod';
import { BudgetError } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';
import { consentPage, redirectHostOf } from './consent-page.ts';
import { derivedKey, hashOf, keyedHash } from './derived-key.ts';
import type { Grants } from './grants.ts';
import { errorPage, failure, page } from './page.ts';
import { personIdOf } from './person-id.ts';
import { CODE_MS, INTERACTION_MS, type ProviderCookies } from './provider.ts';
import type { ProviderRecords } from './provider-records.ts';
import { CALLBACK_PATH } from './redirect-paths.ts';
import { requestedScopes, type Scope } from './scopes.ts';
import type { Upstream } from './upstream.ts';

const KEY_BYTES = 32;
const MAX_FORM_BYTES = 8_192;

const paramsSchema = z.object({
  client_id: z.string(),
  redirect_uri: z.string(),
  scope: z.string().optional(),
});

const formSchema = z.object({ csrf: z.string(), decision: z.enum(['allow', 'allow-reading', 'deny']) });

/** A sign-in with the budgeting service that was begun. */
const signInSchema = z.object({
  /** The interaction that it belongs to. */
  uid: z.string(),
  scopes: z.array(z.enum(['budget:read', 'budget:write'])),
  pending: z.object({ state: z.string(), redirectUri: z.string(), verifier: z.string() }),
});

export interface SignInOptions {
  readonly issuer: string;
  readonly serverKey: Uint8Array;
  readonly clock: Clock;
  readonly provider: Provider;
  readonly cookies: ProviderCookies;
  readonly records: ProviderRecords;
  readonly grants: Grants;
  readonly upstream: Upstream;
  readonly onBug: (error: Error) => void;
}

export function signInRoutes(options: SignInOptions): Hono {
  const { issuer, serverKey, clock, provider, cookies, records, grants, upstream, onBug } = options;
  const csrfKey = derivedKey(serverKey, 'consent form');
  const redirectUri = `${issuer}${CALLBACK_PATH}`;
  const isSecure = issuer.startsWith('https:');

  /** The request that the person decides on, if it belongs to this browser. */
  const openRequest = async (c: Context): Promise<OpenRequest | undefined> => {
    const uid = c.req.param('uid') ?? '';
    if (getCookie(c, cookies.interaction) !== uid) return undefined;
    const interaction = await provider.Interaction.find(uid);
    return interaction && describe(interaction);
  };

  const describe = async (interaction: Interaction): Promise<OpenRequest | undefined> => {
    const { data: params } = paramsSchema.safeParse(interaction.params);
    const client = params && (await provider.Client.find(params.client_id));
    if (!client) return undefined;
    const verifiedHost = client.clientIdMetadataDocument && new URL(client.clientId).host;
    return {
      interaction,
      clientId: client.clientId,
      clientName: client.clientName ?? verifiedHost ?? 'An application without a name',
      verifiedHost,
      redirectUri: params.redirect_uri,
      scopes: requestedScopes(params.scope),
    };
  };

  /** Ends the interaction. oidc-provider answers the client. */
  const finish = async (c: Context, interaction: Interaction, result: object) => {
    interaction.result = result;
    await interaction.persist();
    return goOn(c, interaction.returnTo);
  };

  const deny = (c: Context, interaction: Interaction, description: string) =>
    finish(c, interaction, { error: 'access_denied', error_description: description });

  const startSignIn = async (c: Context, { interaction }: OpenRequest, scopes: Scope[]) => {
    const { url, pending } = await upstream.start(
      redirectUri,
      scopes.includes('budget:write') ? 'full' : 'read-only',
    );
    const secret = randomBytes(KEY_BYTES).toString('base64url');
    await records.write('SignIn', secret, { uid: interaction.uid, scopes, pending }, INTERACTION_MS);
    setCookie(c, cookieOf(pending.state), secret, {
      httpOnly: true,
      sameSite: 'Lax',
      path: '/',
      secure: isSecure,
      maxAge: INTERACTION_MS / 1_000,
    });
    return c.redirect(url, 303);
  };

  const cookieOf = (state: string) =>
    `${isSecure ? '__Host-' : ''}budget-mcp-sign-in-${hashOf(state).slice(0, 16)}`;

  const routes = new Hono();

  routes.get('/interaction/:uid', async (c) => {
    const request = await openRequest(c);
    if (!request) return expired(c);
    const csrfToken = keyedHash(csrfKey, request.interaction.uid);
    return consentPage(c, { ...request, appUrl: upstream.appUrl, csrfToken });
  });

  routes.post('/interaction/:uid', bodyLimit({ maxSize: MAX_FORM_BYTES }), async (c) => {
    const request = await openRequest(c);
    const { data: form } = formSchema.safeParse(await c.req.parseBody());
    if (!request || !form) return expired(c);
    const { interaction } = request;
    const site = c.req.header('Sec-Fetch-Site');
    const isOwnForm = isSame(form.csrf, keyedHash(csrfKey, interaction.uid));
    if (!isOwnForm || (site !== undefined && site !== 'same-origin')) return expired(c);
    if (form.decision === 'deny') return deny(c, interaction, 'The person did not allow it.');
    const scopes: Scope[] = form.decision === 'allow' ? request.scopes : ['budget:read'];
    return startSignIn(c, request, scopes);
  });

  routes.get(CALLBACK_PATH, async (c) => {
    const callback = new URL(c.req.url).searchParams;
    const cookie = cookieOf(callback.get('state') ?? '');
    const secret = getCookie(c, cookie);
    const { data: begun } = signInSchema.safeParse(secret && (await records.take('SignIn', secret)));
    const interaction = begun && (await provider.Interaction.find(begun.uid));
    const request = interaction && (await describe(interaction));
    if (!begun || !request) return expired(c);
    deleteCookie(c, cookie, { path: '/', secure: isSecure });
    const { pending, scopes } = begun;
    const scope = scopes.includes('budget:write') ? 'full' : 'read-only';
    let finished: Awaited<ReturnType<Upstream['finish']>>;
    try {
      finished = await upstream.finish(pending, scope, callback);
    } catch (error) {
      if (!(error instanceof BudgetError)) throw error;
      if (error.code === 'sign_in_declined')
        return deny(c, interaction, 'The person did not allow it at the budgeting service.');
      return page(c, { ...failure(error.explanation), status: 502 });
    }
    const personId = personIdOf(serverKey, { baseUrl: upstream.baseUrl, userId: finished.userId });
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
      createdAt: now,
      // Until the client has a code.
      expiresAt: now + CODE_MS,
    };
    await grants.create(grant, grantKey, finished.signIn);
    records.useGrantKey(grantKey);
    return finish(c, interaction, {
      login: { accountId: personId, remember: false },
      consent: { grantId },
    });
  });

  routes.onError((error, c) => {
    onBug(error);
    return errorPage(c, error);
  });

  return routes;
}

interface OpenRequest {
  readonly interaction: Interaction;
  readonly clientId: string;
  readonly clientName: string;
  readonly verifiedHost: string | undefined;
  readonly redirectUri: string;
  readonly scopes: Scope[];
}

/**
 * A page that leads to the next one. A redirect would still belong to the form that was sent at the budgeting service, whose
 * page may not allow its forms to lead to the client (Content Security Policy, form-action).
 */
const goOn = (c: Context, address: string) =>
  page(c, {
    title: 'One moment',
    refreshTo: address,
    body: html`<p><a href="${address}">Go on to the application</a></p>`,
  });

const expired = (c: Context) =>
  page(c, { ...failure('This page has expired, or was opened in another browser.'), status: 400 });

/** Compares in constant time. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
