/**
 * The authorization server for MCP clients of both eras. oidc-provider implements OAuth (`provider.ts`), `sign-in.ts` asks
 * the person, and `provider-records.ts` and `grants.ts` store the outcome.
 */
import { IncomingMessage } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono } from 'hono';
import { cors } from 'hono/cors';
import { z } from 'zod';
import { repeat } from '../base/background.ts';
import type { SharedStore } from '../store/shared-store.ts';
import { personIdOf } from './derived-key.ts';
import { sweepExpired } from './expiries.ts';
import { type Grant, Grants, recordOf } from './grants.ts';
import { failure, page } from './page.ts';
import {
  createProvider,
  metadataPaths,
  type ProviderOptions,
  paths,
  TOKEN_PATH_WITHOUT_METADATA,
} from './provider.ts';
import { ProviderRecords } from './provider-records.ts';
import { createPublicFetch, type FetchDocument } from './public-fetch.ts';
import { SCOPES, type Scope } from './scopes.ts';
import { nameOf } from './sealed-record.ts';
import { type SignInOptions, signInRoutes } from './sign-in.ts';

export interface VerifiedToken extends Pick<Grant, 'personId' | 'clientId' | 'clientName'> {
  readonly grantId: string;
  readonly scopes: ReadonlySet<Scope>;
  /** Opens the tokens of the budgeting service (`Grants.tokenStore`). */
  readonly grantKey: Uint8Array;
}

export type Authorization = Awaited<ReturnType<typeof createAuthorization>>;

export interface AuthorizationOptions
  extends Pick<ProviderOptions, 'resource' | 'dynamicRegistration'>,
    Pick<SignInOptions, 'issuer' | 'serverKey' | 'clock' | 'upstream' | 'onBug'> {
  /** The ids of the people who may sign in, at the budgeting service (`--allow-people`). Undefined if everyone may. */
  readonly allowedUsers?: readonly string[] | undefined;
  /** What it contains should be sealed with a key that is derived from the server key. */
  readonly store: SharedStore;
  readonly fetchDocument?: FetchDocument;
}

const SWEEP_MS = 10 * 60_000;
const NOTICE_MS = 1_000;

/** An authorization request is stored until the person has decided. Those of real clients are much shorter. */
const MAX_QUERY_LENGTH = 4_000;

/** What a client says about itself is stored for a day, even if nobody signs in. That of real clients is much shorter. */
const MAX_REGISTRATION_BYTES = 4_000;

const TOKEN = /^[\w-]{20,100}$/;

/** Where the codes and tokens of an access stand in a form, and the kinds of their records. */
const FORM_FIELDS = [
  ['refresh_token', 'RefreshToken'],
  ['code', 'AuthorizationCode'],
  ['token', 'RefreshToken'],
  ['token', 'AccessToken'],
] as const;

const grantIdSchema = z.object({ grantId: z.string() });

const tokenSchema = z.object({
  grantId: z.string(),
  accountId: z.string(),
  clientId: z.string(),
  aud: z.string(),
  scope: z.string(),
});

export async function createAuthorization(options: AuthorizationOptions) {
  const { issuer, resource, store, serverKey, clock, upstream, allowedUsers, onBug } = options;
  const { baseUrl } = upstream;
  const allowedIds =
    allowedUsers && new Set(allowedUsers.map((userId) => personIdOf(serverKey, { baseUrl, userId })));
  const isAllowed = (personId: string) => allowedIds?.has(personId) ?? true;
  const grants = new Grants(store, clock);
  const records = new ProviderRecords(store, clock, grants, resource);
  const fetchDocument = options.fetchDocument ?? createPublicFetch({ clock });
  const provider = createProvider({ ...options, records, isAllowed, fetchDocument });
  const handle = provider.callback();
  const { protocol, host } = new URL(issuer);

  const routes = new Hono<{ Bindings: HttpBindings }>();
  const metadata = {
    resource,
    authorization_servers: [issuer],
    scopes_supported: SCOPES,
    bearer_methods_supported: ['header'],
    resource_name: 'Budget MCP',
  };
  // RFC 9728, section 3.1.
  const metadataPath = `/.well-known/oauth-protected-resource${new URL(resource).pathname}`;
  for (const path of ['/.well-known/oauth-protected-resource', metadataPath]) {
    routes.use(path, cors());
    routes.get(path, (c) => c.json(metadata));
  }

  for (const path of ['/oauth/*', '/interaction/*', '/.well-known/*', TOKEN_PATH_WITHOUT_METADATA])
    routes.use(path, async (_, next) => records.inRequest(next));
  routes.route('/', signInRoutes({ ...options, provider, records, grants, isAllowed }));
  // A page of a client in the browser may register.
  routes.options(paths.registration, cors());
  routes.post(paths.registration, async (c, next) => {
    c.env.outgoing.setHeader('Access-Control-Allow-Origin', '*');
    // Without a length, it is not known before the whole is read.
    if (!(Number(c.req.header('content-length')) <= MAX_REGISTRATION_BYTES))
      return c.json(
        {
          error: 'invalid_client_metadata',
          error_description: `At most ${MAX_REGISTRATION_BYTES} bytes, with a Content-Length.`,
        },
        413,
      );
    return next();
  });
  const handed = [
    ...Object.values(paths),
    TOKEN_PATH_WITHOUT_METADATA,
    `${paths.authorization}/:uid`,
    ...metadataPaths,
  ];
  for (const path of handed)
    routes.all(path, async (c) => {
      const { incoming, outgoing } = c.env;
      // oidc-provider makes addresses from these headers and from an address in the first line, which a client could set.
      const { pathname, search } = new URL(c.req.url);
      if (search.length > MAX_QUERY_LENGTH)
        return page(c, { ...failure('The request of the application is too long.'), status: 414 });
      incoming.url = (pathname === TOKEN_PATH_WITHOUT_METADATA ? paths.token : pathname) + search;
      Object.assign(incoming.headers, {
        host,
        'x-forwarded-host': host,
        'x-forwarded-proto': protocol.slice(0, -1),
      });
      await handle(c.req.method === 'POST' ? withBody(incoming, await c.req.text()) : incoming, outgoing);
      // The constant itself would be sent too, where it was loaded after a server had replaced the class of responses.
      return RESPONSE_ALREADY_SENT.clone();
    });

  const closing = new AbortController();
  const sweep = async () => {
    await sweepExpired(store, clock, async (name) => {
      await records.expire(name);
      await grants.expire(name);
    });
    await grants.trimNews();
  };
  let version: number | undefined;
  const notice = async () => {
    const seen = store.version;
    if (seen === version) return;
    await grants.noticeNews();
    // Only now: if the store has failed, it is read again.
    version = seen;
  };
  let background: Promise<void>[] = [];

  return {
    /** To be mounted at the root of a server of `@hono/node-server`. */
    routes,
    /** Where a client without a token learns how to get one. */
    metadataUrl: issuer + metadataPath,
    grants,
    records,
    /** Whether this person may use the server. The grants of others are not ended, but refused. */
    isAllowed,
    /**
     * Undefined if the token is not valid now for this server: unknown, ended, revoked, or for another audience. With the grant
     * that an earlier check has found, the store is asked once.
     */
    async verify(token: string, knownId?: string): Promise<VerifiedToken | undefined> {
      if (!TOKEN.test(token)) return undefined;
      const name = nameOf('AccessToken', token);
      const ofGrant = knownId === undefined ? [] : [recordOf(knownId)];
      const seen = (await store.look({ records: [name, ...ofGrant] })).records;
      const found = records.open('AccessToken', token, seen.get(name));
      const { data } = tokenSchema.safeParse(found?.payload);
      if (!found?.grantKey || !data || data.aud !== resource) return undefined;
      const { grantId } = data;
      const grant =
        grantId === knownId ? grants.parse(grantId, seen.get(recordOf(grantId))) : await grants.read(grantId);
      if (!grant) return undefined;
      const { personId, clientId, clientName } = grant;
      const ofToken = data.scope.split(' ');
      const scopes = new Set(grant.scopes.filter((scope) => ofToken.includes(scope)));
      return { grantId, personId, clientId, clientName, scopes, grantKey: found.grantKey };
    },
    /** The grant of the code or token in a form of a client, also if that has been used. Undefined if it is unknown. */
    async grantOf(form: URLSearchParams): Promise<Pick<VerifiedToken, 'grantId'> | undefined> {
      for (const [field, kind] of FORM_FIELDS) {
        const id = form.get(field) ?? '';
        const found = TOKEN.test(id) ? await records.find(kind, id) : undefined;
        if (found) return grantIdSchema.safeParse(found.payload).data;
      }
      return undefined;
    },
    /**
     * Begins the work in the background, which removes what has ended. The listeners have to be there before: they hear of
     * grants that ended while no process was running.
     */
    async start() {
      await sweep();
      const common = { clock, signal: closing.signal, onBug };
      background = [
        repeat({ work: sweep, everyMs: SWEEP_MS, ...common }),
        repeat({ work: notice, everyMs: NOTICE_MS, ...common }),
      ];
    },
    async close() {
      closing.abort();
      await Promise.all(background);
    },
  };
}

/** oidc-provider reads the body from a request of Node.js, and the body of this one was read before. */
function withBody(incoming: IncomingMessage, body: string): IncomingMessage {
  const { method, url, headers, httpVersion, httpVersionMajor, httpVersionMinor } = incoming;
  const request = Object.assign(new IncomingMessage(incoming.socket), {
    ...{ method, url, headers, httpVersion, httpVersionMajor, httpVersionMinor },
    complete: true,
  });
  request.push(body);
  request.push(null);
  return request;
}
