/**
 * The needs of a hosted server on this machine: its address, the server key, the application that is registered with the
 * budgeting service, and the store. Throws `invalid_configuration` for what is missing.
 */

import type { Warn } from '../../auth/secret-file.ts';
import { bearerToken } from '../../auth/service-address.ts';
import type { Clock } from '../../base/clock.ts';
import { invalidConfig } from '../../base/errors.ts';
import { personIdOf } from '../../hosting/derived-key.ts';
import { Grants } from '../../hosting/grants.ts';
import { People } from '../../hosting/people.ts';
import { REDIRECT_PATHS, type UpstreamApplication } from '../../hosting/upstream.ts';
import { HttpSender } from '../../session/http/http-sender.ts';
import { removeState } from '../../store/shared-stores.ts';
import { createAccess, formatHostForUrl, isLoopbackHost } from '../../transports/http/access.ts';
import type { HttpEntry } from '../../transports/http/app.ts';
import type { Config } from '../config/load-config.ts';
import { infoOf, type ServerEnvironment, startDemo } from './compose.ts';
import { openHostedStorage, secretLines } from './hosted-storage.ts';

/** A server by HTTP that answers its callers. */
export interface OpenedServer {
  readonly entry: HttpEntry;
  readonly notes: readonly string[];
  /** Aborted, with the reason, if the program has to be started again. */
  readonly ended?: AbortSignal;
  close(): Promise<void>;
}

export async function composeHostedServer(
  config: Config,
  environment: ServerEnvironment,
): Promise<OpenedServer> {
  const { clock, log, metrics } = environment;
  const { proxy, checksCertificates, host, allowedHosts, allowedOrigins } = config;
  const warn = (message: string) => log.warn({}, message);
  const issuer = issuerOf(config);
  const redirectUris = REDIRECT_PATHS.map((path) => issuer + path);
  const demo = config.demo ? await startDemo(environment, redirectUris) : undefined;
  const application = demo
    ? { baseUrl: demo.baseUrl, appUrl: demo.appUrl, ...demo.client }
    : await applicationOf(config, warn);
  const { baseUrl } = application;
  const storage = await openHostedStorage({ config, baseUrl, clock, warn });
  const sender = new HttpSender({ clock, proxy, checksCertificates });
  const { composeHosted } = await import('./compose-hosted.ts');
  const composition = await composeHosted({
    config,
    info: infoOf(config, environment),
    log,
    sender,
    issuer,
    access: createAccess({ host, publicUrl: issuer, allowedHosts, allowedOrigins, tokens: ownTokens }),
    application,
    metrics,
    // Its clock too: in Redis, the time of all machines.
    ...storage,
  });
  return {
    ...composition,
    ...(storage.ended && { ended: storage.ended }),
    notes: [
      `People sign in at ${application.appUrl}. The application there has to allow ${redirectUris.join(' and ')}.`,
      ...(demo
        ? [`To try it, sign in as ${demo.signIn.email} with the password ${demo.signIn.password}.`]
        : []),
    ],
    async close() {
      await composition.close();
      await storage.close();
      await sender.close();
      await demo?.close();
    },
  };
}

/** Every caller needs a token of the authorization server, so the server may be reached from other machines. */
const ownTokens = { current: async () => [] };

/** The address that hosts use, without a path: it is the name of the authorization server. */
function issuerOf({ publicUrl, host, port }: Config): string {
  if (publicUrl !== undefined) {
    const { origin, pathname } = new URL(publicUrl);
    if (pathname !== '/') throw invalidConfig('With --hosted, --public-url must not have a path.');
    return origin;
  }
  if (isLoopbackHost(formatHostForUrl(host)) && port > 0) return `http://${formatHostForUrl(host)}:${port}`;
  throw invalidConfig('--hosted needs --public-url: the address that people and their assistants use.');
}

async function applicationOf(config: Config, warn: Warn): Promise<UpstreamApplication> {
  const { baseUrl, appUrl, clientId, clientSecret: secret, clientSecretFile } = config;
  if (baseUrl === undefined || appUrl === undefined)
    throw invalidConfig('--hosted needs --service, or --base-url with --app-url.');
  if (clientId === undefined)
    throw invalidConfig(
      '--hosted needs --client-id: the id of the application that is registered with the service.',
    );
  if (secret !== undefined && clientSecretFile !== undefined)
    throw invalidConfig('Set either BUDGET_MCP_CLIENT_SECRET or --client-secret-file, not both.');
  const [line] = clientSecretFile === undefined ? [] : await secretLines(clientSecretFile, warn);
  const clientSecret = bearerToken.safeParse(secret ?? line).data;
  if (clientSecret === undefined)
    throw invalidConfig(
      "--hosted needs the application's secret, in BUDGET_MCP_CLIENT_SECRET or --client-secret-file.",
    );
  return { baseUrl, appUrl, clientId, clientSecret };
}

/**
 * Removes everything that is stored about a person, whose id at the budgeting service is `userId`. Returns how many clients had
 * access, and whether all files were removed: on Windows, what a running server has open goes later.
 */
export async function forgetPerson(config: Config, userId: string, clock: Clock) {
  const { baseUrl } = config;
  if (baseUrl === undefined) throw invalidConfig('Name the budgeting service: --service or --base-url.');
  const storage = await openHostedStorage({ config, baseUrl, clock, warn: () => {} });
  const { store, sharing, rootKey } = storage;
  try {
    const grants = new Grants(store, storage.clock);
    const people = new People(store, storage.clock);
    const ended = await people.forget(personIdOf(rootKey, { baseUrl, userId }), grants);
    let isRemoved = true;
    for (const signIn of ended) isRemoved = (await removeState(sharing, { signIn, baseUrl })) && isRemoved;
    return { grants: ended.length, isRemoved };
  } finally {
    await storage.close();
  }
}
