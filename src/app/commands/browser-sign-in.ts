/** Signs a person in through the browser, and shows the result on the last page. */
import { listenForRedirect } from '../../auth/loopback-redirect.ts';
import { type Application, type Granted, OAuth, type Send } from '../../auth/oauth.ts';
import type { Clock } from '../../base/clock.ts';
import type { SignInPlan } from './login-options.ts';
import { promptSecret, promptText, type Terminal } from './prompts.ts';

export interface BrowserSignInDeps {
  readonly clock: Clock;
  readonly send: Send;
  readonly terminal: Terminal;
  /** Rejects if no browser can be opened. */
  readonly openBrowser?: ((url: string) => Promise<unknown>) | undefined;
}

export type BrowserSignInOptions = Exclude<SignInPlan, { kind: 'personal' }>;

/**
 * `save` checks and stores the tokens, and returns the text for the last page.
 * Throws `sign_in_declined`, `sign_in_failed`, `cancelled`, and whatever `save` throws.
 */
export async function signInThroughBrowser(
  options: BrowserSignInOptions,
  deps: BrowserSignInDeps,
  save: (granted: Granted) => Promise<string>,
): Promise<void> {
  const { clock, send, terminal, openBrowser = openDefaultBrowser } = deps;
  const application = await applicationOf(options, terminal);
  const inFragment = options.kind === 'implicit';
  const redirect = await listenForRedirect({ clock, uri: options.redirectUri, inFragment });
  try {
    const oauth = new OAuth({ send, clock });
    const { url, state, granted } = await oauth.authorization(application, redirect.uri);
    const print = (text: string) => terminal.stderr.write(text);
    // Other users can read the address that the browser is opened at, but not the terminal (see `start-page.ts`).
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

async function applicationOf(options: BrowserSignInOptions, terminal: Terminal): Promise<Application> {
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
