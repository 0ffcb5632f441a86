/**
 * The sign-in of a person on this machine: what the commands that show and change it need, and where a server gets its tokens.
 */
import type { Warn } from '../../auth/secret-file.ts';
import { serviceAt } from '../../auth/service-address.ts';
import type { SignInPage } from '../../auth/sign-in-page.ts';
import { storedStateKey } from '../../auth/state-key.ts';
import { StoredTokens } from '../../auth/stored-tokens.ts';
import {
  type Credential,
  findProvidedToken,
  fixedTokenProvider,
  keyOfToken,
  staticTokenProvider,
  type TokenProvider,
} from '../../auth/token-provider.ts';
import { type SignIn, signInStore } from '../../auth/token-store.ts';
import type { BudgetList } from '../../base/default-budget.ts';
import { HttpSender } from '../../session/http/http-sender.ts';
import { findSqlite } from '../../store/sqlite.ts';
import { removeState } from '../../store/state-directory.ts';
import type { Config } from '../config/load-config.ts';
import type { ServiceAccess } from './compose-server.ts';
import {
  createCurrentSecretStores,
  createLock,
  createSecretStores,
  type Environment,
  keychainLimits,
  loginCommand,
  stateDirectory,
} from './places.ts';

export interface SignInOptions {
  readonly signal: AbortSignal;
  readonly warn: Warn;
  readonly timeoutMs?: number;
}

export function composeSignIn(
  config: Config,
  environment: Environment,
  { signal, warn, ...limits }: SignInOptions,
) {
  const { clock } = environment;
  const { proxy, checksCertificates } = config;
  const sender = new HttpSender({ clock, proxy, checksCertificates, ...limits });
  const secretsOf = createSecretStores(config, environment, { timeoutMs: keychainLimits().terminal, signal });
  const listOf = async (tokens: TokenProvider, signal: AbortSignal): Promise<BudgetList> => {
    const [{ BudgetClient }, { listBudgets }] = await Promise.all([
      import('../../session/budget-client.ts'),
      import('../../operations/budgets.ts'),
    ]);
    const { data } = await new BudgetClient({ tokens, sender, clock })
      .begin({ signal })
      .read(listBudgets, {});
    return data;
  };
  return {
    clock,
    store: signInStore(secretsOf('sign-in')),
    loginCommand: loginCommand(config, environment.program),
    /**
     * Removes what the processes of the user shared while they used a sign-in, and its key. Returns whether all of it was
     * removed: on Windows, what a running program has open goes later.
     */
    async removeState(profile: string, signIn: SignIn | undefined): Promise<boolean> {
      try {
        const owner = signIn && { signIn: signIn.id, baseUrl: signIn.baseUrl };
        return !owner || (await removeState(stateDirectory(config), owner, { sqlite: findSqlite() }));
      } finally {
        await secretsOf('state key').remove(profile);
      }
    },
    lock: createLock(environment),
    send: (request: Parameters<HttpSender['send']>[0], signal?: AbortSignal) => sender.send(request, signal),
    budgetsOf: (credential: Pick<Credential, 'baseUrl' | 'token'>, signal: AbortSignal) =>
      listOf(fixedTokenProvider(credential), signal),
    /** Uses the same token as the server. */
    budgets: async (signal: AbortSignal) =>
      listOf((await createTokenSource(config, sender, environment, warn)).tokens, signal),
    /** The token that is used instead of the stored sign-in, if one is provided. */
    providedToken: () => findProvidedToken(config, warn),
    close: () => sender.close(),
  };
}

/** Where tokens come from, and the keys of the states that belong to them. */
export interface TokenSource extends Pick<ServiceAccess, 'tokens' | 'readKey'> {
  /** Missing if the token is provided. */
  readonly signInPages?: ReturnType<typeof createSignInPages>;
}

export const ofProvidedToken = (tokens: TokenProvider): TokenSource => ({
  tokens,
  readKey: async ({ token }) => keyOfToken(token),
});

/** A provided token is used instead of a stored sign-in. `needsKey` says whether the key will be read. */
export async function createTokenSource(
  config: Config,
  sender: HttpSender,
  environment: Environment,
  warn: Warn,
  needsKey = false,
): Promise<TokenSource> {
  const { baseUrl, profile } = config;
  const provided = await findProvidedToken(config, warn);
  if (provided) return ofProvidedToken(staticTokenProvider({ baseUrl, ...provided }));
  const { clock } = environment;
  const secretsOf = createCurrentSecretStores(config, environment, { timeoutMs: keychainLimits().call });
  const lock = createLock(environment);
  const tokens = new StoredTokens({
    store: signInStore(secretsOf('sign-in')),
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
  const key = storedStateKey({ secrets: secretsOf('state key'), profile, lock });
  return {
    tokens: needsKey ? key.readAlong(tokens) : tokens,
    readKey: () => key.get(),
    signInPages: signInPages(config, environment, warn, () => tokens.reread()),
  };
}

/** Pages for signing in without a terminal. */
function signInPages(config: Config, environment: Environment, warn: Warn, onSignedIn: () => Promise<void>) {
  const { baseUrl, profile, readOnly, checksCertificates } = config;
  const service = serviceAt(baseUrl)?.[1] ?? (baseUrl === undefined ? undefined : { baseUrl });
  const fileConfig = { ...config, insecureStorage: true };
  return createSignInPages(async () => {
    const { openSignInPage } = await import('../../auth/sign-in-page.ts');
    const stop = new AbortController();
    const context = composeSignIn(config, environment, { signal: stop.signal, warn });
    const inFile = createSecretStores(fileConfig, environment, { timeoutMs: keychainLimits().terminal });
    const files = signInStore(inFile('sign-in'));
    const settings = { profile, readOnly, checksCertificates, service };
    const page = await openSignInPage({ ...context, ...settings, files, onSignedIn });
    void page.ended.then(() => {
      stop.abort();
      return context.close();
    });
    return page;
  });
}

/** One page at a time: all calls that lack a sign-in offer the same. */
export function createSignInPages(openPage: () => Promise<SignInPage>) {
  let opened: Promise<SignInPage> | undefined;
  const current = async () => opened?.catch(() => undefined);
  const next = async (before: Promise<SignInPage | undefined>) => {
    const page = await before;
    return page?.isOpen ? page : openPage();
  };
  return {
    /** Returns the address of the page. */
    async open(): Promise<string> {
      opened = next(current());
      return (await opened).url;
    },
    /** Resolves when no page is open. */
    ended: async () => (await current())?.ended,
    close: async () => (await current())?.close(),
  };
}
