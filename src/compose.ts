/**
 * The composition root: creates and connects the parts of the program from a `Config`. Only this file chooses
 * implementations. It knows the places on this machine (the keychain, the user's directories, the built program) and the
 * parts that exist once: one client for each credential, because the limits of the service are per token, and the state
 * that all servers share. It does not know the command line or the transports; the commands do.
 */
import { readFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import envPaths from 'env-paths';
import packageJson from '../package.json' with { type: 'json' };
import { FileTokenStore } from './auth/file-token-store.ts';
import { KeychainTokenStore } from './auth/keychain-token-store.ts';
import { findProvidedToken, type ProvidedToken } from './auth/provided-token.ts';
import { createRefreshLock, type WithRefreshLock } from './auth/refresh-lock.ts';
import type { Warn } from './auth/secret-file.ts';
import { StoredTokens } from './auth/stored-tokens.ts';
import {
  type Credential,
  fixedTokenProvider,
  rejectTokens,
  staticTokenProvider,
  type TokenProvider,
} from './auth/token-provider.ts';
import type { TokenStore } from './auth/token-store.ts';
import { BudgetClient } from './client/budget-client.ts';
import { FairRateBudget } from './client/fair-rate-budget.ts';
import { HttpSender } from './client/http-sender.ts';
import { RollingRateBudget } from './client/rate-budget.ts';
import { type Config, sessionEnvironment } from './config/load-config.ts';
import { BudgetError } from './errors.ts';
import { createServer, createSharedState } from './mcp/server.ts';
import type { Subscriptions } from './mcp/subscriptions.ts';
import { listBudgets } from './operations/budgets.ts';
import type { Clock } from './platform/clock.ts';
import type { Logger } from './platform/log.ts';

const DEMO_NOTICE = 'This is demo data: an invented household, not the budget of the user.';

/** How long the keychain may take: for a call of an assistant, and when a person at a terminal can unlock it. */
const KEYCHAIN_MS = { call: 5_000, terminal: 120_000 };

export interface Environment {
  readonly clock: Clock;
  /** The directory of the built program. */
  readonly program: URL;
}

export interface ServerEnvironment extends Environment {
  readonly log: Logger;
}

/** A composed program. */
export interface Composition {
  /** `caller` is the one that the server is for, if there are several callers. */
  createServer(caller?: string): ReturnType<typeof createServer>;
  /** Shared by all servers. */
  readonly subscriptions: Subscriptions;
  /** Calls `listener` whenever the list of tools and prompts has changed, until the app is closed. */
  onToolListChanged(listener: () => void): void;
  close(): Promise<void>;
}

/** The callers of the HTTP server. */
export interface CallerAccess {
  /** Whether the token is valid for this server. */
  isToken(token: string): boolean;
  /** The caller of the current request. Undefined outside of a request. */
  current(): { readonly id: string; readonly label: string } | undefined;
}

export async function compose(
  config: Config,
  environment: ServerEnvironment,
  callers?: CallerAccess,
): Promise<Composition> {
  const { clock, log } = environment;
  const { proxy, checksCertificates } = config;
  const service = config.demo ? await startDemo(environment) : undefined;
  const sender = new HttpSender({ clock, proxy, checksCertificates });
  const tokens = service
    ? fixedTokenProvider({ baseUrl: service.baseUrl, token: service.accessToken })
    : await createTokenProvider(config, sender, environment, (message) => log.warn({}, message));
  const client = new BudgetClient({
    tokens: callers ? rejectTokens(tokens, callers.isToken) : tokens,
    sender,
    clock,
    ...(config.budget !== undefined && { budget: config.budget }),
    readOnly: config.readOnly,
    rateBudget: () => {
      const shared = new RollingRateBudget({ clock, reserve: config.reserve });
      return callers ? new FairRateBudget({ shared, clock, caller: () => callers.current()?.id }) : shared;
    },
    cacheBytes: config.cacheMb * 2 ** 20,
    onRequest: (exchange) => log.debug(exchange, 'request to the service'),
    onWrite: (write) => log.info({ caller: callers?.current()?.label, ...write }, 'write'),
  });
  const parts = {
    client,
    clock,
    log,
    version: packageJson.version,
    confirm: config.confirm,
    structured: config.structured,
    timeZone: config.timeZone,
    toolsets: config.toolsets,
    readView: (view: string) => readFile(new URL(`views/${view}.html`, environment.program), 'utf8'),
    ...(config.demo && { notice: DEMO_NOTICE }),
  };
  const shared = createSharedState(parts);
  return {
    subscriptions: shared.subscriptions,
    createServer: (caller) => createServer(parts, shared, caller),
    onToolListChanged: (listener) => client.onAvailabilityChanged(listener),
    async close() {
      // A write in progress is completed, so that its outcome is known.
      await client.writesSettled();
      await sender.close();
      await service?.close();
      await log.written();
    },
  };
}

/** The parts that the commands `login`, `logout` and `status` need. */
export function composeSignIn(
  config: Config,
  environment: Environment,
  { signal, warn }: { signal: AbortSignal; warn: Warn },
) {
  const { clock } = environment;
  const { proxy, checksCertificates } = config;
  const sender = new HttpSender({ clock, proxy, checksCertificates });
  const budgetNames = async (tokens: TokenProvider, signal: AbortSignal) => {
    const { data } = await new BudgetClient({ tokens, sender, clock }).call(listBudgets, {}, signal);
    return data.budgets.map(({ name }) => name);
  };
  return {
    clock,
    store: createTokenStore(config, environment, { timeoutMs: KEYCHAIN_MS.terminal, signal }),
    lock: createLock(environment),
    send: (request: Parameters<HttpSender['send']>[0], signal?: AbortSignal) => sender.send(request, signal),
    budgetsOf: (credential: Pick<Credential, 'baseUrl' | 'token'>, signal: AbortSignal) =>
      budgetNames(fixedTokenProvider(credential), signal),
    /** Uses the same token as the server. */
    budgets: async (signal: AbortSignal) =>
      budgetNames(await createTokenProvider(config, sender, environment, warn), signal),
    describeProvidedToken: async () => (await findProvidedToken(config))?.place,
    close: () => sender.close(),
  };
}

async function startDemo({ clock, log }: ServerEnvironment) {
  const { startService } = await import('./service/server.ts');
  return startService({
    clock,
    reportError: (err) => log.error({ err }, 'internal error of the embedded service'),
  });
}

/** A provided token is used instead of a stored sign-in. */
async function createTokenProvider(
  config: Config,
  sender: HttpSender,
  environment: Environment,
  warn: Warn,
): Promise<TokenProvider> {
  const { baseUrl, profile } = config;
  const provided: ProvidedToken | undefined = await findProvidedToken(config, warn);
  if (provided) return staticTokenProvider({ baseUrl, ...provided });
  const { clock } = environment;
  return new StoredTokens({
    store: createTokenStore(config, environment, { timeoutMs: KEYCHAIN_MS.call }),
    profile,
    clock,
    async refresh(signIn) {
      const { OAuth } = await import('./auth/oauth.ts');
      return new OAuth({ send: (request, signal) => sender.send(request, signal), clock }).refresh(signIn);
    },
    lock: createLock(environment),
    baseUrl,
  });
}

/** The directory for data of this user. Throws `invalid_configuration` if it is unknown. */
function dataDirectory(): string {
  const { data } = envPaths('budget-mcp', { suffix: '' });
  // A relative path would depend on the current directory, which other users may be able to read.
  if (isAbsolute(data)) return data;
  throw new BudgetError('invalid_configuration', 'HOME and XDG_DATA_HOME have to be absolute paths.');
}

function createTokenStore(
  { insecureStorage }: Config,
  { clock, program }: Environment,
  limits: { timeoutMs: number; signal?: AbortSignal },
): TokenStore {
  if (insecureStorage) return new FileTokenStore(join(dataDirectory(), 'sign-ins'));
  const childPath = fileURLToPath(new URL('auth/keychain-child.js', program));
  return new KeychainTokenStore({ childPath, env: sessionEnvironment(), clock, ...limits });
}

/** The directory is looked up when the lock is taken, because a provided token never needs the lock. */
const createLock =
  ({ clock }: Pick<Environment, 'clock'>): WithRefreshLock =>
  (...args) =>
    createRefreshLock({ directory: join(dataDirectory(), 'locks'), clock })(...args);
