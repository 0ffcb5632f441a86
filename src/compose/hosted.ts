/**
 * What a hosted server needs from this machine: its address, the server key, the application that is registered with the
 * budgeting service, and the store. Throws `invalid_configuration` for what is missing.
 */
import { randomBytes } from 'node:crypto';
import { bearerToken } from '../auth/bearer-token.ts';
import { readSecretLines, unusableFileError, type Warn } from '../auth/secret-file.ts';
import { HttpSender } from '../client/http-sender.ts';
import { infoOf, type ServerEnvironment } from '../compose.ts';
import type { HostedComposition, UpstreamApplication } from '../compose-hosted.ts';
import type { Config } from '../config/load-config.ts';
import { BudgetError } from '../errors.ts';
import { Expiries } from '../hosting/expiries.ts';
import { forget } from '../hosting/forget.ts';
import { Grants } from '../hosting/grants.ts';
import { People } from '../hosting/people.ts';
import { personIdOf } from '../hosting/person-id.ts';
import { REDIRECT_PATHS } from '../hosting/redirect-paths.ts';
import { KEY_BYTES, openRootKey, rootKeyFile } from '../hosting/root-key.ts';
import type { Clock } from '../platform/clock.ts';
import { MemoryStore } from '../state/memory-store.ts';
import type { SharedStore } from '../state/shared-store.ts';
import type { Sharing } from '../state/shared-stores.ts';
import { SqliteStore } from '../state/sqlite-store.ts';
import { databaseOf, prepareDirectory, removeState, UnusableDirectory } from '../state/state-directory.ts';
import { createAccess, formatHostForUrl, isLoopbackHost } from '../transports/http/access.ts';
import { sharingOf } from './places.ts';

/** Like mounted secrets, the files may be readable by others, but not writable. */
const SECRET_RULES = { forbidden: 0o022, own: false, limit: 8_192 };

/** The owner of the state that all people have in common. */
const COMMON_STATE = 'hosted';

const missing = (message: string) => new BudgetError('invalid_configuration', message);

export interface OpenedHosted extends HostedComposition {
  /** For the person who starts the server. */
  readonly notes: readonly string[];
}

export async function composeHostedServer(
  config: Config,
  environment: ServerEnvironment,
): Promise<OpenedHosted> {
  const { clock, log, metrics } = environment;
  const { proxy, checksCertificates, host, allowedHosts, allowedOrigins } = config;
  const warn: Warn = (message) => log.warn({}, message);
  const issuer = issuerOf(config);
  const redirectUris = REDIRECT_PATHS.map((path) => issuer + path);
  const demo = config.demo ? await startDemo(redirectUris, { clock, log }) : undefined;
  const application = demo?.application ?? (await applicationOf(config, warn));
  const storage = await openStorage(config, application, clock, warn);
  const sender = new HttpSender({ clock, proxy, checksCertificates });
  const { composeHosted } = await import('../compose-hosted.ts');
  const composition = await composeHosted({
    config,
    info: infoOf(config, environment),
    clock,
    log,
    sender,
    issuer,
    access: createAccess({ host, publicUrl: issuer, allowedHosts, allowedOrigins, tokens: ownTokens }),
    application,
    metrics,
    ...storage,
  });
  return {
    ...composition,
    notes: [
      `People sign in at ${application.appUrl}. The application there has to allow ${redirectUris.join(' and ')}.`,
      ...(demo ? [`To try it, sign in as ${demo.email} with the password ${demo.password}.`] : []),
    ],
    async close() {
      await composition.close();
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
    if (pathname !== '/') throw missing('With --hosted, --public-url must not have a path.');
    return origin;
  }
  if (isLoopbackHost(formatHostForUrl(host)) && port > 0) return `http://${formatHostForUrl(host)}:${port}`;
  throw missing('--hosted needs --public-url: the address that people and their assistants use.');
}

async function applicationOf(config: Config, warn: Warn): Promise<UpstreamApplication> {
  const { baseUrl, appUrl, clientId, clientSecret: secret, clientSecretFile } = config;
  if (baseUrl === undefined || appUrl === undefined)
    throw missing('--hosted needs --service, or --base-url with --app-url.');
  if (clientId === undefined)
    throw missing(
      '--hosted needs --client-id: the id of the application that is registered with the service.',
    );
  if (secret !== undefined && clientSecretFile !== undefined)
    throw missing('Set either BUDGET_MCP_CLIENT_SECRET or --client-secret-file, not both.');
  const [line] = clientSecretFile === undefined ? [] : await secretLines(clientSecretFile, warn);
  const clientSecret = bearerToken.safeParse(secret ?? line).data;
  if (clientSecret === undefined)
    throw missing(
      "--hosted needs the application's secret, in BUDGET_MCP_CLIENT_SECRET or --client-secret-file.",
    );
  return { baseUrl, appUrl, clientId, clientSecret };
}

/**
 * Removes everything that is stored about a person, whose id at the budgeting service is `userId`. Returns how many clients had
 * access.
 */
export async function forgetPerson(config: Config, userId: string, clock: Clock): Promise<number> {
  const { baseUrl } = config;
  if (baseUrl === undefined) throw missing('Name the budgeting service: --service or --base-url.');
  const { store, sharing, rootKey } = await openStorage(config, { baseUrl }, clock, () => {});
  try {
    const grants = new Grants({ store, clock, expiries: new Expiries(store, clock) });
    const people = new People(store, clock);
    const ended = await forget(personIdOf(rootKey, { baseUrl, userId }), { grants, people });
    for (const signIn of ended)
      if ('directory' in sharing) await removeState(sharing.directory, { signIn, baseUrl });
    return ended.length;
  } finally {
    await store.close();
  }
}

interface Storage {
  readonly store: SharedStore;
  readonly sharing: Sharing;
  readonly rootKey: Uint8Array;
}

/** Sign-ins have to outlive the program, so the store must not continue in memory if it fails. */
async function openStorage(
  config: Config,
  { baseUrl }: Pick<UpstreamApplication, 'baseUrl'>,
  clock: Clock,
  warn: Warn,
): Promise<Storage> {
  const sharing = sharingOf(config);
  if (config.demo || config.noState) {
    warn('Everything is kept in memory: sign-ins end with this program.');
    return { store: new MemoryStore(clock), sharing, rootKey: randomBytes(KEY_BYTES) };
  }
  if ('reason' in sharing)
    throw missing(`--hosted stores sign-ins. ${sharing.reason} To try it in memory, set --no-state.`);
  const { sqlite, directory } = sharing;
  await prepareDirectory(directory).catch((error: unknown) => {
    throw error instanceof UnusableDirectory ? missing(error.message) : error;
  });
  const rootKey = await openRootKey(await serverKeysOf(config, warn), rootKeyFile(directory));
  const path = databaseOf(directory, { signIn: COMMON_STATE, baseUrl });
  return { store: await SqliteStore.open({ sqlite, clock, path, key: rootKey }), sharing, rootKey };
}

/** The first one is used from now on; the others are earlier ones. */
async function serverKeysOf({ serverKeyFile }: Config, warn: Warn): Promise<Uint8Array[]> {
  if (serverKeyFile === undefined)
    throw missing('--hosted needs --server-key-file. `openssl rand -base64 32` makes a key.');
  return (await secretLines(serverKeyFile, warn)).map((line) => {
    const key = Buffer.from(line, 'base64');
    if (key.length === KEY_BYTES && key.toString('base64') === line) return key;
    throw unusableFileError(serverKeyFile, 'contains a line that is not a key of 32 bytes in base64');
  });
}

async function secretLines(path: string, warn: Warn): Promise<readonly string[]> {
  const lines = await readSecretLines(path, { ...SECRET_RULES, warn });
  if (lines.length === 0) throw unusableFileError(path, 'is empty');
  return lines;
}

async function startDemo(
  redirectUris: readonly string[],
  { clock, log }: Pick<ServerEnvironment, 'clock' | 'log'>,
) {
  const { startService } = await import('../service/server.ts');
  const service = await startService({
    clock,
    redirectUris,
    reportError: (err) => log.error({ err }, 'internal error of the embedded service'),
  });
  const { baseUrl, appUrl, client, signIn } = service;
  return { application: { baseUrl, appUrl, ...client }, ...signIn, close: () => service.close() };
}
