/**
 * The configuration of oidc-provider: OAuth 2.1 for public clients, with the authorization code grant, PKCE and rotated
 * refresh tokens. There is one resource, and no sign-in with OpenID Connect.
 */
import { generateKeyPairSync } from 'node:crypto';
import { html } from 'hono/html';
import {
  type KoaContextWithOIDC as Context,
  type ErrorOut,
  errors,
  interactionPolicy,
  Provider,
} from 'oidc-provider';
import { z } from 'zod';
import { type Html, layoutHeaders, pageHtml } from '../auth/page-layout.ts';
import { isJsonObject } from '../base/json.ts';
import { visible } from '../base/quote.ts';
import { TOO_SLOW } from '../transports/http/error-response.ts';
import { applyClientRules, RESPONSE_MODES } from './client-rules.ts';
import { redirectHostOf } from './consent-page.ts';
import { failure } from './page.ts';
import type { ProviderRecords } from './provider-records.ts';
import type { FetchDocument } from './public-fetch.ts';
import { requestedScopes, SCOPES } from './scopes.ts';
import { isLate, isUnavailable, UNAVAILABLE, UNAVAILABLE_STATUS } from './unavailable.ts';

const BAD_REQUEST = 400;
const SERVER_ERROR = 500;

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long a person may take to decide and to sign in. */
const INTERACTION_SECONDS = 15 * MINUTE;
export const INTERACTION_MS = INTERACTION_SECONDS * 1_000;
const CODE_SECONDS = MINUTE;
export const CODE_MS = CODE_SECONDS * 1_000;
const ACCESS_TOKEN_SECONDS = HOUR;
/** From the last refresh. */
const REFRESH_TOKEN_SECONDS = 60 * DAY;

export const paths = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  jwks: '/oauth/jwks',
  registration: '/oauth/register',
  revocation: '/oauth/revoke',
} as const;

/**
 * Where clients renew a sign-in if they could not read the metadata, because no server was ready for example. The MCP
 * specification of 2025-03-26 gives this path, and SDKs still use it.
 */
export const TOKEN_PATH_WITHOUT_METADATA = '/token';

export const metadataPaths = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'];

/**
 * The cookies of the page that asks for consent and of the address where oidc-provider continues. Both are bound to one path, so
 * that several authorizations can go on at once, and cannot have the prefix `__Host-`.
 */
export function cookiesOf(issuer: string) {
  const prefix = issuer.startsWith('https:') ? '__Secure-budget-mcp' : 'budget-mcp';
  return { interaction: `${prefix}-request`, resume: `${prefix}-resume`, session: `${prefix}-session` };
}

export interface ProviderOptions {
  /** The public URL of this server, without a path. */
  readonly issuer: string;
  /** The URL of the MCP endpoint: the only audience of the tokens. */
  readonly resource: string;
  readonly records: ProviderRecords;
  readonly dynamicRegistration: boolean;
  readonly isAllowed: (personId: string) => boolean;
  /** Loads the metadata document of a client. */
  readonly fetchDocument: FetchDocument;
  readonly onBug: (error: Error) => void;
}

export function createProvider(options: ProviderOptions): Provider {
  const { issuer, resource, records, dynamicRegistration, isAllowed, fetchDocument, onBug } = options;
  const provider = new Provider(issuer, {
    adapter: (kind) => records.adapterOf(kind),
    scopes: [...SCOPES],
    claims: {},
    responseTypes: ['code'],
    clientAuthMethods: ['none'],
    clientDefaults: {
      grant_types: ['authorization_code', 'refresh_token'],
      id_token_signed_response_alg: 'EdDSA',
      token_endpoint_auth_method: 'none',
    },
    pkce: { required: () => true },
    // oidc-provider wants a key for ID tokens. None is issued, because there is no scope `openid`.
    jwks: { keys: [generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })] },
    routes: { ...paths, end_session: '/oauth/session/end' },
    cookies: {
      names: cookiesOf(issuer),
      long: { httpOnly: true, sameSite: 'lax' },
      short: { httpOnly: true, sameSite: 'lax' },
    },
    ttl: {
      AccessToken: ACCESS_TOKEN_SECONDS,
      AuthorizationCode: CODE_SECONDS,
      Grant: REFRESH_TOKEN_SECONDS,
      Interaction: INTERACTION_SECONDS,
      RefreshToken: REFRESH_TOKEN_SECONDS,
      Session: INTERACTION_SECONDS,
    },
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
      registration: { enabled: dynamicRegistration, issueRegistrationAccessToken: false },
      revocation: {
        enabled: true,
        allowedPolicy: (_, client, token) => token.clientId === client.clientId,
      },
      clientIdMetadataDocument: {
        enabled: true,
        ack: 'draft-02',
        // In seconds. The document is needed again when the person comes back.
        cacheDuration: { min: INTERACTION_SECONDS, max: DAY },
      },
      resourceIndicators: {
        enabled: true,
        // Clients of the older era name no resource.
        defaultResource: () => resource,
        useGrantedResource: () => true,
        getResourceServerInfo: (_, indicator) => {
          if (indicator !== resource) throw new errors.InvalidTarget();
          return { scope: SCOPES.join(' '), audience: resource, accessTokenFormat: 'opaque' };
        },
      },
    },
    // `software_id` is only the name of a field that makes oidc-provider call the validator.
    extraClientMetadata: {
      properties: ['software_id'],
      validator: (_context, _key, _value, metadata) => applyClientRules(metadata),
    },
    interactions: {
      policy: alwaysAsk(),
      url: (_, { uid }) => `/interaction/${uid}`,
    },
    // Without an account, a code or a refresh token is an invalid grant.
    findAccount: (_, sub) => (isAllowed(sub) ? { accountId: sub, claims: () => ({ sub }) } : undefined),
    // Never an earlier grant: it may have been for another redirect URI, scope or person.
    loadExistingGrant: ({ oidc }) => {
      const { data } = consentSchema.safeParse(oidc.result);
      return data && oidc.provider.Grant.find(data.consent.grantId);
    },
    issueRefreshToken: async (_, client) => client.grantTypeAllowed('refresh_token'),
    expiresWithSession: () => false,
    rotateRefreshToken: true,
    revokeGrantPolicy: () => true,
    clientBasedCORS: (_, origin, { redirectUris = [] }) =>
      redirectUris.some((uri) => new URL(uri).origin === origin && origin !== 'null'),
    fetch: (url) =>
      fetchDocument(String(url)).catch((cause: unknown) => {
        throw new DocumentUnavailable('The document cannot be loaded.', { cause });
      }),
    renderError: renderRefusal,
  });
  for (const kind of [
    'AccessToken',
    'AuthorizationCode',
    'Client',
    'Grant',
    'Interaction',
    'RefreshToken',
  ] as const)
    if (provider[kind].name !== kind) throw new Error(`The class ${kind} has lost its name in the bundle.`);
  const answerUnavailable = (
    context: Pick<Context, 'status' | 'set' | 'type' | 'body'>,
    { message, retryAfter }: typeof UNAVAILABLE,
  ) => {
    context.status = UNAVAILABLE_STATUS;
    context.set('retry-after', retryAfter);
    if (context.type === 'application/json')
      context.body = { error: 'temporarily_unavailable', error_description: message };
  };
  // The address comes from the issuer, by headers that this server sets itself (`authorization.ts`).
  provider.proxy = true;
  provider.use(async (context, next) => {
    const { scope } = context.query;
    if (context.path === paths.authorization && (scope === undefined || typeof scope === 'string'))
      context.query = { ...context.query, scope: requestedScopes(scope).join(' ') };
    await next();
    if (context.path === paths.token && isLate()) answerUnavailable(context, TOO_SLOW);
    // oidc-provider adds `openid`, and modes that no client may use.
    if (metadataPaths.includes(context.path) && isJsonObject(context.body))
      context.body = { ...context.body, response_modes_supported: RESPONSE_MODES, scopes_supported: SCOPES };
  });
  // No redirect without the consent of the person (RFC 9700, section 4.11.2).
  provider.on('authorization.error', ({ oidc }, error) => {
    if (oidc.entities.Interaction?.result === undefined) error.allow_redirect = false;
  });
  // There are no sessions, so there is no cookie for one.
  provider.on('authorization.success', ({ oidc }) => {
    Object.assign(oidc.session ?? {}, { destroyed: true });
  });
  provider.on('server_error', (context, error) => {
    onBug(error);
    if (isUnavailable(error) && context.status === SERVER_ERROR) answerUnavailable(context, UNAVAILABLE);
  });
  // oidc-provider says `invalid_client`, after which clients give their tokens up.
  provider.on('grant.error', (context, { cause }) => {
    if (cause instanceof DocumentUnavailable) answerUnavailable(context, NO_DOCUMENT);
  });
  // Otherwise koa writes errors to the console.
  provider.onerror = onBug;
  return provider;
}

class DocumentUnavailable extends Error {}

const NO_DOCUMENT = {
  ...UNAVAILABLE,
  message: 'The metadata document of this client cannot be loaded now. Try again in a minute.',
};

/** Each request is decided on by the person, and none is answered without a page. */
function alwaysAsk() {
  const { base, Prompt, Check } = interactionPolicy;
  const policy = base();
  policy.clear();
  for (const name of ['login', 'consent']) {
    const isOpen = ({ oidc }: Context) => oidc.result?.[name] === undefined;
    const check = new Check(`${name}_open`, 'the person has to decide', isOpen);
    policy.add(new Prompt({ name, requestable: true }, check));
  }
  return policy;
}

const consentSchema = z.object({ consent: z.object({ grantId: z.string() }) });

/**
 * The answer to an authorization request that is refused. Anyone can register a client, and could use a mistake on purpose, such
 * as `prompt=none`, to send people from this server to any page (RFC 9700, section 4.11.2). So the browser stays on a page here
 * until the person has decided about the client, and the answer is a link.
 */
function renderRefusal(context: Context, answer: ErrorOut, cause: Error): void {
  const description = isUnavailable(cause) ? UNAVAILABLE.message : answer.error_description;
  const { title, body } = failure(
    `${description ?? 'The request of the application is not valid.'} (${answer.error})`,
  );
  for (const [name, value] of Object.entries(layoutHeaders("'none'"))) context.set(name, value);
  // It may be that of a redirect.
  context.status = Math.max(context.status, BAD_REQUEST);
  context.type = 'html';
  context.body = String(pageHtml({ title, body: html`${body}${linkToClient(context, answer)}` }));
}

/** With the answer, as a redirect would have it. Empty if the address is not one of the client. */
function linkToClient({ oidc }: Context, answer: ErrorOut): Html | string {
  const uri = oidc.params?.['redirect_uri'];
  if (typeof uri !== 'string' || !oidc.client?.redirectUriAllowed(uri)) return '';
  const address = new URL(uri);
  for (const [name, value] of Object.entries(answer)) address.searchParams.set(name, value);
  return html`
<p>If you have just begun to connect this application yourself, you can <a href="${address.href}">go back to it</a>:
${visible(redirectHostOf(uri))}.</p>
<p class="soft">${visible(uri)}</p>`;
}
