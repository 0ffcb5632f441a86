/**
 * `budget-mcp login`: signs a person in and stores the sign-in. The new sign-in is checked with one request before it
 * replaces the old one. This file knows nothing about argument parsing, process exit or the kind of store.
 */
import { randomUUID } from 'node:crypto';
import {
  describeBudgets,
  type StoredSignIn,
  type StoringDeps,
  storeChecked,
} from '../../auth/checked-sign-in.ts';
import { listenForRedirect, redirectUri } from '../../auth/loopback-redirect.ts';
import { type Application, type Granted, OAuth, type Send } from '../../auth/oauth.ts';
import { baseAddress, knownServices, refuseUncheckedCertificate } from '../../auth/service-address.ts';
import type { Scope } from '../../auth/token-provider.ts';
import type { SignIn } from '../../auth/token-store.ts';
import { BudgetError, invalidConfig } from '../../base/errors.ts';
import { type Config, type Flags, loadConfig } from '../config/load-config.ts';
import { profileOption } from '../config/setting.ts';
import { chooseBudget, nameDefault } from './choose-budget.ts';
import { promptSecret, promptText, promptYes, type Terminal } from './prompts.ts';
import { type ProcessContext, type SignInContext, withSignInContext } from './sign-in-context.ts';
import { describeTime, developerSettings } from './status.ts';

export interface LoginDeps
  extends Omit<StoringDeps, 'profile'>,
    Pick<SignInContext, 'clock' | 'providedToken' | 'io'> {
  readonly send: Send;
  /** Rejects if no browser can be opened. */
  readonly openBrowser?: (url: string) => Promise<unknown>;
}

/**
 * Writes results to `io.stdout`, prompts and the address to open to `io.stderr`. The sign-in is stored before the browser
 * shows success.
 * Throws a `BudgetError` whose message and advice are for the person who typed the command.
 */
export async function runLogin(options: LoginOptions, config: LoginConfig, deps: LoginDeps): Promise<void> {
  const { store, clock, providedToken, io, signal } = deps;
  const terminal = { ...io, signal };
  // If the store cannot be read, this fails before the person types anything.
  const before = await store.read(config.profile);
  const isServiceKnown = (config.baseUrl ?? before?.baseUrl) !== undefined;
  const service = !isServiceKnown && io.stdin.isTTY ? await promptService(terminal) : {};
  const plan = planSignIn(options, { ...config, ...service }, before);
  const provided = await providedToken();

  let stored: StoredSignIn | undefined;
  const storing = { ...deps, profile: plan.profile };
  const save = async (signIn: SignIn): Promise<string> => {
    stored = await storeChecked(signIn, storing);
    const access = describeAccess(signIn, stored.list, clock.now());
    const lines = [
      `You are signed in. ${access}`,
      `The sign-in is stored in ${store.place} as profile "${plan.profile}". The token is sent to ${signIn.baseUrl} only.`,
      ...(before && before.accessToken !== signIn.accessToken ? [REPLACED] : []),
      ...(provided ? [`While a token is provided by ${provided.place}, that token is used instead.`] : []),
    ];
    io.stdout.write(lines.map((line) => `${line}\n`).join(''));
    return access;
  };

  if (plan.kind === 'personal') {
    const { kind, baseUrl, appUrl, earlier } = plan;
    if (io.stdin.isTTY) io.stderr.write(`You make a token in ${developerSettings(appUrl)}.\n`);
    const what = `Personal access token${earlier ? ', empty to keep the present one' : ''}`;
    const accessToken = await promptSecret(what, terminal, earlier?.accessToken);
    const id = earlier?.accessToken === accessToken ? earlier.id : randomUUID();
    await save({ kind, id, baseUrl, accessToken, ...(appUrl !== undefined && { appUrl }) });
  } else {
    await signInThroughBrowser(plan, deps, terminal, (granted) =>
      save({ id: randomUUID(), baseUrl: plan.baseUrl, ...granted }),
    );
  }
  if (stored) await chooseBudget(stored, config.budget, storing);
}

/** A known service by its name, or another one by its address. */
async function promptService(terminal: Terminal): Promise<Pick<LoginConfig, 'baseUrl' | 'appUrl'>> {
  const names = [...knownServices.keys()].join(', ');
  const typed = await promptText(
    `Your budgeting service: ${names}, or the address of another one with this interface`,
    '--service',
    terminal,
  );
  const known = knownServices.get(typed.toLowerCase());
  if (known) return known;
  const { data: baseUrl, error } = baseAddress.safeParse(typed);
  if (baseUrl !== undefined) return { baseUrl };
  throw invalidConfig(`The service must be ${names}, or an address, which ${error?.issues[0]?.message}.`);
}

const REPLACED =
  'It replaces the earlier sign-in. The service accepts the earlier token until you revoke it there.';

function describeAccess(signIn: SignIn, list: StoredSignIn['list'], now: number): string {
  const scope = signIn.kind !== 'personal' && signIn.scope === 'read-only' ? ', for reading only' : '';
  const end =
    signIn.kind === 'implicit'
      ? ` It ends ${describeTime(signIn.expiresAt, now)}, and cannot be renewed: sign in again then.`
      : '';
  return `The token gives access to ${describeBudgets(list)}${scope}.${end}`;
}

type BrowserSignInPlan = Exclude<ReturnType<typeof planSignIn>, { kind: 'personal' }>;

/**
 * `save` checks and stores the tokens, and returns the text for the last page.
 * Throws `sign_in_declined`, `sign_in_failed`, `cancelled`, and whatever `save` throws.
 */
async function signInThroughBrowser(
  options: BrowserSignInPlan,
  deps: LoginDeps,
  terminal: Terminal,
  save: (granted: Granted) => Promise<string>,
): Promise<void> {
  const { clock, send, openBrowser = openDefaultBrowser } = deps;
  const application = await applicationOf(options, terminal);
  const inFragment = options.kind === 'implicit';
  const redirect = await listenForRedirect({ clock, uri: options.redirectUri, inFragment });
  try {
    const oauth = new OAuth({ send, clock });
    const { url, state, granted } = await oauth.authorization(application, redirect.uri);
    const print = (text: string) => terminal.stderr.write(text);
    // Other users can read the address that the browser is opened at, but not the terminal (see `loopback-redirect.ts`).
    print(
      `Sign in and decide in the browser of this computer; if none opens, open this address yourself:\n\n  ${redirect.start.url}\n\nThe page asks for this code:\n\n  ${redirect.start.code}\n\n`,
    );
    const opening = options.browser
      ? openBrowser(redirect.start.url).catch(() => print('No browser could be opened.\n'))
      : undefined;
    const finish = async (callback: URLSearchParams) => ({
      heading: 'You are signed in',
      text: `${await save(await granted(callback, terminal.signal))}\n\nYou can close this tab.`,
    });
    await Promise.all([redirect.receive({ url, state }, finish, terminal.signal), opening]);
  } finally {
    await redirect.close();
  }
}

async function applicationOf(options: BrowserSignInPlan, terminal: Terminal): Promise<Application> {
  const { kind, appUrl, scope } = options;
  const clientId = options.clientId ?? (await promptText('Client id', '--client-id', terminal));
  if (kind === 'implicit') return { kind, appUrl, scope, clientId };
  const clientSecret = options.clientSecret ?? (await promptSecret('Client secret', terminal));
  return { kind, appUrl, scope, clientId, clientSecret };
}

async function openDefaultBrowser(url: string): Promise<void> {
  const { default: open } = await import('open');
  await open(url);
}

export interface LoginOptions {
  readonly oauth?: boolean | undefined;
  readonly implicit?: boolean | undefined;
  /** An address on this machine that is registered with the service; see `redirectUri`. */
  readonly redirectUri?: string | undefined;
  /** False if the person wants to open the address without help. */
  readonly browser?: boolean | undefined;
}

export type LoginConfig = Pick<
  Config,
  | 'profile'
  | 'baseUrl'
  | 'appUrl'
  | 'readOnly'
  | 'clientId'
  | 'clientSecret'
  | 'checksCertificates'
  | 'budget'
>;

/**
 * Whatever is not given is taken from the sign-in `before`, so that `budget-mcp login` without options renews it.
 * Throws `invalid_configuration`, naming the option.
 */
function planSignIn(options: LoginOptions, config: LoginConfig, before?: SignIn) {
  const { browser = true } = options;
  const kind = kindOf(options, before);
  const earlier = before?.baseUrl === (config.baseUrl ?? before?.baseUrl) ? before : undefined;
  const { baseUrl = earlier?.baseUrl, appUrl = earlier?.appUrl, profile } = config;
  if (baseUrl === undefined)
    throw invalidConfig(
      `The service that the sign-in is for is not known: name it, as in \`${['budget-mcp login --service ynab', ...profileOption(profile)].join(' ')}\`, or with --base-url.`,
    );
  // Checked before the person types anything.
  if (!config.checksCertificates) refuseUncheckedCertificate(baseUrl);
  if (kind === 'personal') {
    if (config.readOnly)
      throw invalidConfig(
        '--read-only goes with --oauth or --implicit: a personal access token may do everything. Give --read-only to the server instead.',
      );
    if (options.redirectUri !== undefined || !browser)
      throw invalidConfig('--redirect-uri and --no-browser go with --oauth or --implicit.');
    return { kind, profile, baseUrl, appUrl, earlier: earlier?.kind === kind ? earlier : undefined };
  }
  if (appUrl === undefined) throw invalidConfig('--app-url must say where people sign in to the service.');
  if (!config.checksCertificates) refuseUncheckedCertificate(appUrl);
  const registered = redirectUri.optional().safeParse(options.redirectUri);
  if (!registered.success) throw invalidConfig(`--redirect-uri ${registered.error.issues[0]?.message}.`);
  // Another user of this machine could listen on `localhost` too, and here the redirect carries the token itself.
  if (kind === 'implicit' && registered.data?.startsWith('http://localhost'))
    throw invalidConfig('--redirect-uri must be on 127.0.0.1 with --implicit.');
  const granted = earlier?.kind === 'personal' ? undefined : earlier;
  const isReadOnly = config.readOnly || (isRenewal(options) && granted?.scope === 'read-only');
  const scope: Scope = isReadOnly ? 'read-only' : 'full';
  const { clientId = granted?.clientId } = config;
  // The secret is only for the application at that address. Anywhere else it would be disclosed.
  const isSameClient =
    granted?.kind === 'authorization_code' && granted.clientId === clientId && granted.appUrl === appUrl;
  return {
    kind,
    profile,
    baseUrl,
    appUrl,
    scope,
    clientId,
    clientSecret: config.clientSecret ?? (isSameClient ? granted.clientSecret : undefined),
    redirectUri: registered.data,
    browser,
  };
}

const isRenewal = ({ oauth, implicit }: LoginOptions) => !oauth && !implicit;

function kindOf(
  { oauth = false, implicit = false }: LoginOptions,
  before: SignIn | undefined,
): SignIn['kind'] {
  if (oauth && implicit)
    throw invalidConfig('--oauth and --implicit are two ways to sign in: give one of them.');
  if (oauth) return 'authorization_code';
  return implicit ? 'implicit' : (before?.kind ?? 'personal');
}

/**
 * The end of `budget-mcp install`: a server without a sign-in cannot answer, so the person is asked to sign in now. With one, the
 * default budget is named. `flags` are those of the server. Throws what `login` throws, if the person agrees to sign in.
 */
export async function offerSignIn(flags: Flags, process: ProcessContext): Promise<void> {
  // That is said of the server: a sign-in with a personal access token is never for reading only.
  const { readOnly: _, ...given } = flags;
  // The host starts the server without the variables of this terminal.
  const config = loadConfig(given, undefined, []);
  const missing = await withSignInContext(config, process, findMissing);
  if (missing === undefined) return withSignInContext(config, process, nameDefault);
  const { io, signal } = process;
  const { insecureStorage, loginCommand } = missing;
  io.stdout.write('The server cannot answer about your budget before you have signed in.\n');
  const question = `Sign in now${insecureStorage ? ', and store the sign-in unencrypted in a file' : ''}?`;
  if (io.stdin.isTTY && (await promptYes(question, { ...io, signal })))
    await withSignInContext({ ...config, insecureStorage }, process, (config, context) =>
      runLogin({}, config, context),
    );
  else io.stdout.write(`To sign in, run \`${loginCommand}\` in a terminal.\n`);
}

/** Undefined if no sign-in is needed, or if it cannot be known whether there is one. */
async function findMissing(
  { profile, insecureStorage }: Config,
  { providedToken, store, loginCommand, io }: SignInContext,
) {
  if (await providedToken()) return undefined;
  try {
    if (await store.read(profile)) return undefined;
    return { insecureStorage, loginCommand };
  } catch (error) {
    if (!(error instanceof BudgetError)) throw error;
    if (error.code === 'keychain_unavailable')
      return { insecureStorage: true, loginCommand: `${loginCommand} --insecure-storage` };
    io.stdout.write(`${error.explanation}\n`);
    return undefined;
  }
}
