/**
 * The composition root: creates and connects the parts of the program from a `Config`. Only this file chooses
 * implementations; `app/compose/places.ts` chooses where they keep something. It knows the parts that exist once: one client for
 * each credential, because the limits of the service are per token, and the state that all servers share. It does not know
 * the command line or the transports; the commands do.
 */
import { readFile } from 'node:fs/promises';
import packageJson from '../../../package.json' with { type: 'json' };
import { keyOfToken } from '../../auth/derived-from-token.ts';
import { serviceAt } from '../../auth/known-services.ts';
import { findProvidedToken, type ProvidedToken } from '../../auth/provided-token.ts';
import type { Warn } from '../../auth/secret-file.ts';
import { SignInPages } from '../../auth/sign-in-pages.ts';
import { SignInStore } from '../../auth/sign-in-store.ts';
import { StoredStateKey } from '../../auth/state-key.ts';
import { StoredTokens } from '../../auth/stored-tokens.ts';
import {
  type Credential,
  fixedTokenProvider,
  staticTokenProvider,
  type TokenProvider,
} from '../../auth/token-provider.ts';
import type { SignIn } from '../../auth/token-store.ts';
import { errorOfImport } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import type { Metrics } from '../../base/metrics.ts';
import type { BudgetServer, ServerInfo } from '../../mcp/budget-server.ts';
import { createFirstServer, firstMethods } from '../../mcp/first-server.ts';
import { HttpSender } from '../../session/http/http-sender.ts';
import { removeState } from '../../store/state-directory.ts';
import type { Config } from '../config/load-config.ts';
import type { CallerAccess, Composition, ServiceAccess } from './compose-server.ts';
import { loginCommand } from './login-command.ts';
import {
  createCurrentSecretStores,
  createLock,
  createSecretStores,
  type Environment,
  KEYCHAIN_MS,
  sharingOf,
  stateDirectory,
} from './places.ts';

const DEMO_NOTICE = 'This is demo data: an invented household, not the budget of the user.';

export interface ServerEnvironment extends Environment {
  readonly log: Logger;
  readonly metrics?: Metrics | undefined;
}

/** A program that can answer the first requests of a host. */
export interface StartedComposition {
  /** Answers the requests in `firstMethods` until everything is loaded, and all requests from then on. */
  createServer(): ReturnType<Composition['createServer']>;
  readonly firstMethods: ReadonlySet<string>;
  /** Loads what all other requests need: tools, schemas and client. Rejects with `program_replaced` if it cannot. */
  load(): Promise<Composition>;
  close(): Promise<void>;
}

/** Composes the whole program at once. `callers` are given if there are several. */
export async function compose(
  config: Config,
  environment: ServerEnvironment,
  callers?: CallerAccess,
): Promise<Composition> {
  return load(config, environment, await openService(config, environment), callers);
}

/** For a host that starts this program: most hosts ask for the tools then, and need the rest later or never. */
export async function composeStart(
  config: Config,
  environment: ServerEnvironment,
): Promise<StartedComposition> {
  const access = await openService(config, environment);
  const firstServers: BudgetServer[] = [];
  let composition: Composition | undefined;
  let loading: Promise<Composition> | undefined;
  const loadOnce = () => {
    loading ??= load(config, environment, access).then(
      (loaded) => {
        for (const server of firstServers) loaded.completeServer(server);
        composition = loaded;
        return loaded;
      },
      (error: unknown) => {
        // The next request tries again.
        loading = undefined;
        throw errorOfImport(error);
      },
    );
    return loading;
  };
  // If it fails, the next request that needs it reports the error.
  const loadInBackground = () => void loadOnce().catch(() => {});
  return {
    firstMethods: firstMethods(config),
    createServer() {
      if (composition) return composition.createServer();
      const server = createFirstServer({
        ...config,
        ...infoOf(config, environment),
        onListed: loadInBackground,
      });
      firstServers.push(server);
      return server;
    },
    load: loadOnce,
    async close() {
      const loaded = await loading?.catch(() => undefined);
      await (loaded ?? access).close();
    },
  };
}

async function load(
  config: Config,
  environment: ServerEnvironment,
  access: ServiceAccess,
  callers?: CallerAccess,
): Promise<Composition> {
  const { composeServer } = await import('./compose-server.ts');
  const { clock, log, metrics } = environment;
  return composeServer({ config, info: infoOf(config, environment), clock, log, access, callers, metrics });
}

export const infoOf = ({ demo }: Config, { program }: Environment): ServerInfo => ({
  version: packageJson.version,
  readView: (view) => readFile(new URL(`views/${view}.html`, program), 'utf8'),
  ...(demo && { notice: DEMO_NOTICE }),
});

/** Throws for settings that cannot be used, such as a token file that cannot be read. */
async function openService(config: Config, environment: ServerEnvironment): Promise<ServiceAccess> {
  const { clock, log } = environment;
  const { proxy, checksCertificates } = config;
  const service = config.demo ? await startDemo(environment) : undefined;
  const sender = new HttpSender({ clock, proxy, checksCertificates });
  const warn: Warn = (message) => log.warn({}, message);
  const sharing = sharingOf(config);
  const source = service
    ? ofProvidedToken(fixedTokenProvider({ baseUrl: service.baseUrl, token: service.accessToken }))
    : await createTokenSource(config, sender, environment, warn, 'sqlite' in sharing);
  return {
    ...source,
    sender,
    sharing,
    async close() {
      await source.signInPages?.close();
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
  const secretsOf = createSecretStores(config, environment, { timeoutMs: KEYCHAIN_MS.terminal, signal });
  const budgetNames = async (tokens: TokenProvider, signal: AbortSignal) => {
    const [{ BudgetClient }, { listBudgets }] = await Promise.all([
      import('../../session/budget-client.ts'),
      import('../../operations/budgets.ts'),
    ]);
    const { data } = await new BudgetClient({ tokens, sender, clock }).call(listBudgets, {}, signal);
    return data.budgets.map(({ name }) => name);
  };
  return {
    clock,
    store: new SignInStore(secretsOf('sign-in')),
    loginCommand: loginCommand(config, environment.program),
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
  const { startService } = await import('../../service/server.ts');
  return startService({
    clock,
    reportError: (err) => log.error({ err }, 'internal error of the embedded service'),
  });
}

/** Where tokens come from, and the keys of the states that belong to them. */
interface TokenSource extends Pick<ServiceAccess, 'tokens' | 'readKey'> {
  /** Missing if the token is provided. */
  readonly signInPages?: SignInPages;
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
  const secretsOf = createCurrentSecretStores(config, environment, { timeoutMs: KEYCHAIN_MS.call });
  const lock = createLock(environment);
  const tokens = new StoredTokens({
    store: new SignInStore(secretsOf('sign-in')),
    profile,
    clock,
    async refresh(signIn) {
      const { OAuth } = await import('../../auth/oauth.ts');
      return new OAuth({ send: (request, signal) => sender.send(request, signal), clock }).refresh(signIn);
    },
    lock,
    baseUrl,
    loginCommand: loginCommand(config, environment.program),
  });
  const key = new StoredStateKey({ secrets: secretsOf('state key'), profile, lock });
  return {
    tokens: needsKey ? key.readAlong(tokens) : tokens,
    readKey: () => key.get(),
    signInPages: signInPages(config, environment, warn, () => tokens.reread()),
  };
}

/** Pages for signing in without a terminal. */
function signInPages(
  config: Config,
  environment: Environment,
  warn: Warn,
  onSignedIn: () => Promise<void>,
): SignInPages {
  const { baseUrl, profile, readOnly, checksCertificates } = config;
  const service = serviceAt(baseUrl)?.[1] ?? (baseUrl === undefined ? undefined : { baseUrl });
  const fileConfig = { ...config, insecureStorage: true };
  return new SignInPages(async () => {
    const { openSignInPage } = await import('../../auth/sign-in-page.ts');
    const stop = new AbortController();
    const context = composeSignIn(config, environment, { signal: stop.signal, warn });
    const inFile = createSecretStores(fileConfig, environment, { timeoutMs: KEYCHAIN_MS.terminal });
    const files = new SignInStore(inFile('sign-in'));
    const settings = { profile, readOnly, checksCertificates, service };
    const page = await openSignInPage({ ...context, ...settings, files, onSignedIn });
    void page.ended.then(() => {
      stop.abort();
      return context.close();
    });
    return page;
  });
}
