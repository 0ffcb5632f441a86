/**
 * `budget-mcp login`: signs a person in and stores the sign-in. The new sign-in is checked with one request before it
 * replaces the old one. This file knows nothing about argument parsing, process exit or the kind of store.
 */
import { randomUUID } from 'node:crypto';
import { describeBudgets, type StoringDeps, storeChecked } from '../../auth/checked-sign-in.ts';
import { listenForRedirect } from '../../auth/loopback-redirect.ts';
import { type Application, type Granted, OAuth, type Send } from '../../auth/oauth.ts';
import type { ProvidedToken } from '../../auth/provided-token.ts';
import { baseAddress, knownServices } from '../../auth/service-address.ts';
import type { SignIn } from '../../auth/token-store.ts';
import type { Clock } from '../../base/clock.ts';
import { invalidConfig } from '../../base/errors.ts';
import { type LoginConfig, type LoginOptions, planSignIn, type SignInPlan } from './login-options.ts';
import { promptSecret, promptText, type Terminal } from './prompts.ts';
import { describeTime, developerSettings } from './sign-in-descriptions.ts';

export interface LoginDeps extends Omit<StoringDeps, 'profile'> {
  readonly clock: Clock;
  readonly send: Send;
  /** Rejects if no browser can be opened. */
  readonly openBrowser?: ((url: string) => Promise<unknown>) | undefined;
  /** It is used instead of the stored sign-in. */
  readonly providedToken: () => Promise<ProvidedToken | undefined>;
  readonly io: Pick<Terminal, 'stdin' | 'stderr'> & { readonly stdout: NodeJS.WritableStream };
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

  const save = async (signIn: SignIn): Promise<string> => {
    const budgets = await storeChecked(signIn, { ...deps, profile: plan.profile });
    const access = describeAccess(signIn, budgets, clock.now());
    const lines = [
      `You are signed in. ${access}`,
      `The sign-in is stored in ${store.place} as profile "${plan.profile}". The token is sent to ${signIn.baseUrl} only.`,
      ...(before ? [REPLACED] : []),
      ...(provided ? [`While a token is provided by ${provided.place}, that token is used instead.`] : []),
    ];
    io.stdout.write(lines.map((line) => `${line}\n`).join(''));
    return access;
  };

  if (plan.kind === 'personal') {
    const { kind, baseUrl, appUrl } = plan;
    if (io.stdin.isTTY) io.stderr.write(`You make a token in ${developerSettings(appUrl)}.\n`);
    const accessToken = await promptSecret('Personal access token', terminal);
    await save({ kind, id: randomUUID(), baseUrl, accessToken, ...(appUrl !== undefined && { appUrl }) });
  } else {
    await signInThroughBrowser(plan, deps, terminal, (granted) =>
      save({ id: randomUUID(), baseUrl: plan.baseUrl, ...granted }),
    );
  }
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

function describeAccess(signIn: SignIn, budgets: readonly string[], now: number): string {
  const scope = signIn.kind !== 'personal' && signIn.scope === 'read-only' ? ', for reading only' : '';
  const end =
    signIn.kind === 'implicit'
      ? ` It ends ${describeTime(signIn.expiresAt, now)}, and cannot be renewed: sign in again then.`
      : '';
  return `The token gives access to ${describeBudgets(budgets)}${scope}.${end}`;
}

type BrowserSignInPlan = Exclude<SignInPlan, { kind: 'personal' }>;

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
