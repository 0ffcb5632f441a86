/**
 * The composition root: creates and connects the parts of the program from a `Config`. Only this file chooses
 * implementations; `compose/places.ts` chooses where they keep something. It knows the parts that exist once: one client for
 * each credential, because the limits of the service are per token, and the state that all servers share. It does not know
 * the command line or the transports; the commands do.
 */
import packageJson from '../package.json' with { type: 'json' };
import { keyOfToken } from './auth/derived-from-token.ts';
import { findProvidedToken, type ProvidedToken } from './auth/provided-token.ts';
import type { Warn } from './auth/secret-file.ts';
import { SignInStore } from './auth/sign-in-store.ts';
import { StoredStateKey } from './auth/state-key.ts';
import { StoredTokens } from './auth/stored-tokens.ts';
import {
  type Credential,
  fixedTokenProvider,
  rejectTokens,
  staticTokenProvider,
  type TokenProvider,
} from './auth/token-provider.ts';
import type { SignIn } from './auth/token-store.ts';
import { BudgetClient } from './client/budget-client.ts';
import { FairRateBudget } from './client/fair-rate-budget.ts';
import { HttpSender } from './client/http-sender.ts';
import { RollingRateBudget } from './client/rate-budget.ts';
import {
  createLock,
  createSecretStores,
  type Environment,
  KEYCHAIN_MS,
  stateDirectory,
} from './compose/places.ts';
import type { Config } from './config/load-config.ts';
import { createServer, createSharedState } from './mcp/server.ts';
import type { Subscriptions } from './mcp/subscriptions.ts';
import { listBudgets } from './operations/budgets.ts';
import type { Logger } from './platform/log.ts';
import { SharedStores, type Sharing } from './state/shared-stores.ts';
import { findSqlite } from './state/sqlite.ts';
import { removeState } from './state/state-directory.ts';

const DEMO_NOTICE = 'This is demo data: an invented household, not the budget of the user.';

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
  const warn: Warn = (message) => log.warn({}, message);
  const sharing = sharingOf(config);
  const { tokens, readKey } = service
    ? ofProvidedToken(fixedTokenProvider({ baseUrl: service.baseUrl, token: service.accessToken }))
    : await createTokenSource(config, sender, environment, warn, 'sqlite' in sharing);
  const stores = new SharedStores({ sharing, clock, warn });
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
    store: (credential) => stores.open(credential, () => readKey(credential)),
    stateStatus: () => stores.status,
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
      await stores.close();
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
  const secretsOf = createSecretStores(config, environment, { timeoutMs: KEYCHAIN_MS.terminal, signal });
  const budgetNames = async (tokens: TokenProvider, signal: AbortSignal) => {
    const { data } = await new BudgetClient({ tokens, sender, clock }).call(listBudgets, {}, signal);
    return data.budgets.map(({ name }) => name);
  };
  return {
    clock,
    store: new SignInStore(secretsOf('sign-in')),
    /** Removes what the processes of the user shared while they used a sign-in, and its key. */
    async removeState(profile: string, signIn: SignIn | undefined) {
      try {
        if (signIn) await removeState(stateDirectory(config), { signIn: signIn.id, baseUrl: signIn.baseUrl });
      } finally {
        await secretsOf('state key').remove(profile);
      }
    },
    lock: createLock(environment),
    send: (request: Parameters<HttpSender['send']>[0], signal?: AbortSignal) => sender.send(request, signal),
    budgetsOf: (credential: Pick<Credential, 'baseUrl' | 'token'>, signal: AbortSignal) =>
      budgetNames(fixedTokenProvider(credential), signal),
    /** Uses the same token as the server. */
    budgets: async (signal: AbortSignal) =>
      budgetNames((await createTokenSource(config, sender, environment, warn)).tokens, signal),
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

/** Where tokens come from, and the keys of the states that belong to them. */
interface TokenSource {
  readonly tokens: TokenProvider;
  readonly readKey: (credential: Credential) => Promise<Uint8Array>;
}

const ofProvidedToken = (tokens: TokenProvider): TokenSource => ({
  tokens,
  readKey: async ({ token }) => keyOfToken(token),
});

/** A provided token is used instead of a stored sign-in. `needsKey` says whether the key will be read. */
async function createTokenSource(
  config: Config,
  sender: HttpSender,
  environment: Environment,
  warn: Warn,
  needsKey = false,
): Promise<TokenSource> {
  const { baseUrl, profile } = config;
  const provided: ProvidedToken | undefined = await findProvidedToken(config, warn);
  if (provided) return ofProvidedToken(staticTokenProvider({ baseUrl, ...provided }));
  const { clock } = environment;
  const secretsOf = createSecretStores(config, environment, { timeoutMs: KEYCHAIN_MS.call });
  const lock = createLock(environment);
  const tokens = new StoredTokens({
    store: new SignInStore(secretsOf('sign-in')),
    profile,
    clock,
    async refresh(signIn) {
      const { OAuth } = await import('./auth/oauth.ts');
      return new OAuth({ send: (request, signal) => sender.send(request, signal), clock }).refresh(signIn);
    },
    lock,
    baseUrl,
  });
  const key = new StoredStateKey({ secrets: secretsOf('state key'), profile, lock });
  return { tokens: needsKey ? key.readAlong(tokens) : tokens, readKey: () => key.get() };
}

/** Where the processes of the user share their state, or why they do not. */
function sharingOf(config: Config): Sharing {
  if (config.demo) return { reason: 'The demo keeps none.' };
  if (config.noState) return { reason: '--no-state is set.' };
  const sqlite = findSqlite();
  if (!sqlite) return { reason: 'Sharing it with other processes needs Node.js 22.13 or newer.' };
  return { sqlite, directory: stateDirectory(config) };
}
