/**
 * The composition of a server that people sign in to from the web: one authorization server for all, and for each grant the
 * parts that `compose-server.ts` connects, with the person's own tokens and state. Loaded only with `--hosted`.
 */
import { z } from 'zod';
import packageJson from '../../../package.json' with { type: 'json' };
import { OAuth } from '../../auth/oauth.ts';
import type { Logger } from '../../base/log.ts';
import type { Metrics } from '../../base/metrics.ts';
import { catalogue } from '../../features/catalogue.ts';
import { accountRoutes } from '../../hosting/account.ts';
import { createAuthorization } from '../../hosting/authorization.ts';
import { discoveryRoutes } from '../../hosting/discovery.ts';
import { grantTokens } from '../../hosting/grant-tokens.ts';
import { createHostedEntry } from '../../hosting/hosted-entry.ts';
import { type OpenedGrant, OpenGrants } from '../../hosting/open-grants.ts';
import { People } from '../../hosting/people.ts';
import { createReadiness } from '../../hosting/readiness.ts';
import { problemLog } from '../../hosting/unavailable.ts';
import { createUpstream, type UpstreamApplication } from '../../hosting/upstream.ts';
import { WatchedGrants } from '../../hosting/watched-grants.ts';
import { createWebhooks } from '../../hosting/webhooks.ts';
import { identity, type ServerInfo } from '../../mcp/budget-server.ts';
import type { HttpSender } from '../../session/http/http-sender.ts';
import { removeState } from '../../store/shared-stores.ts';
import type { Access } from '../../transports/http/access.ts';
import { currentCaller } from '../../transports/http/callers.ts';
import { createEndpoint } from '../../transports/http/endpoint.ts';
import type { AcceptedRequest } from '../../transports/http/request-context.ts';
import { protocolVersions } from '../../transports/http/sessions.ts';
import { summaryOf } from '../../transports/messages.ts';
import type { Config } from '../config/load-config.ts';
import { composeServer } from './compose-server.ts';
import type { HostedStorage } from './hosted-storage.ts';
import { createHostedWatches, type OpenableGrant } from './hosted-watches.ts';

export interface HostedOptions extends Omit<HostedStorage, 'ended' | 'close'> {
  readonly config: Config;
  readonly info: ServerInfo;
  readonly log: Logger;
  readonly sender: HttpSender;
  /** The public address of the server, without a path. */
  readonly issuer: string;
  readonly access: Pick<Access, 'hosts' | 'origins'>;
  readonly application: UpstreamApplication;
  readonly metrics?: Metrics | undefined;
}

/** One person cannot use up the sessions of the older era. */
const MAX_SESSIONS_OF_GRANT = 32;
/** Of the memory for cached budgets, one person gets at most this share. */
const MAX_SHARE_OF_CACHE = 0.5;

const toolTitles = new Map<string, string>(catalogue.map(({ name, title }) => [name, title]));
const writingTools = new Set(catalogue.filter(({ kind }) => kind !== 'read').map(({ name }) => name));

export async function composeHosted(options: HostedOptions) {
  const { config, info, clock, log, sender, issuer, access, application, sharing, store, rootKey, metrics } =
    options;
  const onBug = problemLog(log, clock);
  const send: HttpSender['send'] = (request, signal) => sender.send(request, signal);
  const oauth = new OAuth({ send, clock });
  const upstream = createUpstream({ ...application, oauth, send });
  const resource = `${issuer}/mcp`;
  const authorization = await createAuthorization({
    issuer,
    resource,
    store,
    serverKey: rootKey,
    clock,
    upstream,
    dynamicRegistration: !config.noRegistration,
    allowedUsers: config.allowPeople,
    onBug,
  });
  const people = new People(store, clock);
  const maxBytes = config.cacheMb * 2 ** 20;
  const webhooksOf = createWebhooks({ clock, allowsAll: config.allowCallbacks });
  const watched = new WatchedGrants(store, clock, authorization.grants);

  const ownerOf = (grantId: string) => ({ signIn: grantId, baseUrl: application.baseUrl });

  /**
   * A grant for reading only never sends a write, whatever the budgeting service would allow. A token may allow less than its
   * grant, which is checked for each request.
   */
  const open = async (token: OpenableGrant): Promise<OpenedGrant | undefined> => {
    const { grantId, personId, clientName } = token;
    // First, so that nothing is stored about a person who was removed. The grant counts as open before this is answered, so that
    // its end is noticed.
    const grant = await authorization.grants.read(grantId);
    // Also without a request, whose token is checked before.
    if (!grant || !authorization.isAllowed(personId)) return undefined;
    const dataKey = await people.dataKey(personId);
    const settings = await people.settings(personId);
    const { budget: _, ...shared } = config;
    let hasEnded = false;
    const composition = composeServer({
      config: {
        ...shared,
        ...settings,
        readOnly: config.readOnly || !grant.scopes.includes('budget:write'),
        cacheMb: config.cacheMb * MAX_SHARE_OF_CACHE,
      },
      info,
      clock,
      log,
      access: {
        tokens: grantTokens({
          grantId,
          tokens: authorization.grants.tokenStore(grantId, token.grantKey),
          store,
          clock,
          oauth,
          application,
          onEnded() {
            hasEnded = true;
          },
        }),
        sender,
        readKey: async () => dataKey,
        sharing,
        close: async () => {},
      },
      // Tokens of this server never get to the budgeting service: those for it are stored with the grant.
      callers: { isToken: () => false, current: currentCaller },
      machines: { owner: ownerOf(grantId), key: dataKey },
      webhooks: webhooksOf(personId),
      principal: grantId,
      takeRoom: (wanted) => people.takeRoom(personId, grantId, wanted),
      countElsewhere: () => watched.countElsewhere(personId, grantId),
      onWatches(all) {
        const ends = all.map(({ expiresAt }) => expiresAt);
        return watched.note(grantId, ends, all.some(({ callback }) => callback) ? token.grantKey : undefined);
      },
      onWrite: ({ tool, outcome }) =>
        void people.recordWrite(personId, { client: clientName, grant: grantId, tool, outcome }).catch(onBug),
      metrics,
    });
    const endpoint = createEndpoint({
      createServer: composition.createServer,
      subscriptions: composition.subscriptions,
      onToolListChanged: composition.onToolListChanged,
      clock,
      onError: (error) => log.info({ error: summaryOf(error) }, 'transport error'),
      maxSessions: MAX_SESSIONS_OF_GRANT,
      metrics,
    });
    /** After the answer, so that it still arrives. The next one is 401, which makes the host begin a new sign-in. */
    const endAfter = async ({ inFlight }: AcceptedRequest) => {
      await inFlight.disconnected;
      if (hasEnded) await authorization.grants.end(grantId);
    };
    return {
      endpoint: {
        ...endpoint,
        answer(request) {
          endAfter(request).catch(onBug);
          return endpoint.answer(request);
        },
      },
      get cachedBytes() {
        return composition.cachedBytes;
      },
      freeMemory: () => composition.freeMemory(),
      async runWatches() {
        try {
          return await composition.runWatches();
        } finally {
          if (hasEnded) await authorization.grants.end(grantId);
        }
      },
      async close() {
        await endpoint.close();
        await composition.close();
      },
    };
  };
  const grants = new OpenGrants<OpenableGrant>({ open, clock, maxBytes, onBug });
  const watches = createHostedWatches({
    watched,
    grants,
    people,
    isAllowed: authorization.isAllowed,
    webhooksOf,
    sharing,
    ownerOf,
    clock,
    onBug,
  });
  metrics?.watch(() => ({ openGrants: grants.size }));

  // Opened again by its next request, on every machine.
  authorization.grants.onChanged((grantId) => void grants.close(grantId).catch(onBug));
  authorization.grants.onEnded((grantId) => {
    const remove = async () => {
      await grants.close(grantId);
      await removeState(sharing, ownerOf(grantId));
    };
    remove().catch(onBug);
  });
  await authorization.start();
  watches.start();

  const routes = authorization.routes;
  routes.route(
    '/',
    accountRoutes({
      issuer,
      rootKey,
      authorization,
      people,
      upstream,
      defaults: {
        timeZone: config.timeZone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone,
        confirm: config.confirm,
      },
      titleOf: (tool) => toolTitles.get(tool) ?? tool,
      watches,
      watched,
      onBug,
    }),
  );
  routes.route(
    '/',
    discoveryRoutes({
      issuer,
      appUrl: application.appUrl,
      resource,
      identity: { ...identity, version: info.version },
      description: packageJson.description,
      protocolVersions,
    }),
  );
  return {
    entry: createHostedEntry({
      access,
      authorization,
      clock,
      grants,
      isWrite,
      isReady: createReadiness({ store, clock, onBug }),
      onBug,
    }),
    async close() {
      await watches.close();
      await authorization.close();
    },
  };
}

const toolCall = z.object({ method: z.literal('tools/call'), params: z.object({ name: z.string() }) });

/** Whether the message calls a tool that writes, dry runs included. */
function isWrite(message: unknown): boolean {
  const call = toolCall.safeParse(message).data;
  return call !== undefined && writingTools.has(call.params.name);
}
