/**
 * The composition root: a `Config` to parts that are wired together. Nothing else chooses an implementation. It knows
 * where things of this machine are (the keychain, the user's directories, the built program) and what there is once:
 * one client for one credential, since the service's limits are per token, and what its servers share. It must not know
 * what a person typed, nor how hosts reach the server; that is for the commands.
 */
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

/** How long the keychain may take: for a call of an assistant, and where a person is there to unlock it. */
const KEYCHAIN_MS = { call: 5_000, terminal: 120_000 };

export interface Environment {
  readonly clock: Clock;
  /** The directory of the built program. */
  readonly program: URL;
}

export interface ServerEnvironment extends Environment {
  readonly log: Logger;
}

export interface App {
  /** `holder` is whom it is for, where there are several callers. */
  createServer(holder?: string): ReturnType<typeof createServer>;
  /** Of all servers that are created. */
  readonly subscriptions: Subscriptions;
  /** `tell` is called whenever the tools and prompts have become others, for as long as there is the app. */
  onToolListChanged(tell: () => void): void;
  close(): Promise<void>;
}

/** Those who call by HTTP. */
export interface Callers {
  /** Whether the token opens this server. */
  isToken(token: string): boolean;
  /** Whose call is under way; undefined where it is nobody's. */
  current(): { readonly id: string; readonly label: string } | undefined;
}

export async function compose(
  config: Config,
  surroundings: ServerEnvironment,
  callers?: Callers,
): Promise<App> {
  const { clock, log } = surroundings;
  const { proxy, checksCertificates } = config;
  const service = config.demo ? await startDemo(surroundings) : undefined;
  const sender = new HttpSender({ clock, proxy, checksCertificates });
  const tokens = service
    ? fixedTokenProvider({ baseUrl: service.baseUrl, token: service.accessToken })
    : await createTokenProvider(config, sender, surroundings, (message) => log.warn({}, message));
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
    toolsets: config.toolsets,
    ...(config.demo && { notice: DEMO_NOTICE }),
  };
  const shared = createSharedState(parts);
  return {
    subscriptions: shared.subscriptions,
    createServer: (holder) => createServer(parts, shared, holder),
    onToolListChanged: (tell) => client.onReadOnlyChanged(tell),
    async close() {
      // A write that is under way is seen through, so that nobody has to wonder about it.
      await client.writesSettled();
      await sender.close();
      await service?.close();
      await log.written();
    },
  };
}

/** What the commands about signing in work with. */
export function composeSignIn(
  config: Config,
  surroundings: Environment,
  { signal, warn }: { signal: AbortSignal; warn: Warn },
) {
  const { clock } = surroundings;
  const { proxy, checksCertificates } = config;
  const sender = new HttpSender({ clock, proxy, checksCertificates });
  const budgetNames = async (tokens: TokenProvider, signal: AbortSignal) => {
    const { data } = await new BudgetClient({ tokens, sender, clock }).call(listBudgets, {}, signal);
    return data.budgets.map(({ name }) => name);
  };
  return {
    clock,
    store: createTokenStore(config, surroundings, { timeoutMs: KEYCHAIN_MS.terminal, signal }),
    lock: createLock(surroundings),
    send: (request: Parameters<HttpSender['send']>[0], signal?: AbortSignal) => sender.send(request, signal),
    budgetsOf: (credential: Pick<Credential, 'baseUrl' | 'token'>, signal: AbortSignal) =>
      budgetNames(fixedTokenProvider(credential), signal),
    /** Of whom the server would answer. */
    budgets: async (signal: AbortSignal) =>
      budgetNames(await createTokenProvider(config, sender, surroundings, warn), signal),
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

/** A token that is handed in comes before the one that somebody has signed in with. */
async function createTokenProvider(
  config: Config,
  sender: HttpSender,
  surroundings: Environment,
  warn: Warn,
): Promise<TokenProvider> {
  const { baseUrl, profile } = config;
  const handed: ProvidedToken | undefined = await findProvidedToken(config, warn);
  if (handed) return staticTokenProvider({ baseUrl, ...handed });
  const { clock } = surroundings;
  return new StoredTokens({
    store: createTokenStore(config, surroundings, { timeoutMs: KEYCHAIN_MS.call }),
    profile,
    clock,
    async refresh(signIn) {
      const { OAuth } = await import('./auth/oauth.ts');
      return new OAuth({ send: (request, signal) => sender.send(request, signal), clock }).refresh(signIn);
    },
    lock: createLock(surroundings),
    baseUrl,
  });
}

/** Where this user's data are; throws `invalid_configuration` where nobody can say. */
function dataDirectory(): string {
  const { data } = envPaths('budget-mcp', { suffix: '' });
  // Below the folder of the moment it would be found by chance, and perhaps by others.
  if (isAbsolute(data)) return data;
  throw new BudgetError('invalid_configuration', 'HOME and XDG_DATA_HOME have to be absolute paths.');
}

function createTokenStore(
  { insecureStorage }: Config,
  { clock, program }: Environment,
  patience: { timeoutMs: number; signal?: AbortSignal },
): TokenStore {
  if (insecureStorage) return new FileTokenStore(join(dataDirectory(), 'sign-ins'));
  const childPath = fileURLToPath(new URL('auth/keychain-child.js', program));
  return new KeychainTokenStore({ childPath, env: sessionEnvironment(), clock, ...patience });
}

/** Where its files are is asked when it is taken: a token that was handed in is never refreshed. */
const createLock =
  ({ clock }: Pick<Environment, 'clock'>): WithRefreshLock =>
  (...taken) =>
    createRefreshLock({ directory: join(dataDirectory(), 'locks'), clock })(...taken);
