/**
 * Signing in through the browser: off to the service, back to this machine, and what became of it on the page that
 * the person ends on.
 */
import { listenForRedirect } from '../auth/loopback-redirect.ts';
import { type Application, type Granted, OAuth, type Send } from '../auth/oauth.ts';
import type { Clock } from '../platform/clock.ts';
import type { SignInPlan } from './login-options.ts';
import { promptSecret, promptText, type Terminal } from './secret-prompt.ts';

export interface BrowserSignInDeps {
  readonly clock: Clock;
  readonly send: Send;
  readonly terminal: Terminal;
  /** Rejects where there is no browser to be opened. */
  readonly openBrowser?: ((url: string) => Promise<unknown>) | undefined;
}

export type BrowserSignInOptions = Exclude<SignInPlan, { kind: 'personal' }>;

/**
 * `keep` checks and keeps what was granted, and gives what the person's last page says.
 * Throws `sign_in_declined`, `sign_in_failed`, `cancelled`, or as `keep` does.
 */
export async function signInThroughBrowser(
  wanted: BrowserSignInOptions,
  parts: BrowserSignInDeps,
  keep: (granted: Granted) => Promise<string>,
): Promise<void> {
  const { clock, send, terminal, openBrowser = openDefaultBrowser } = parts;
  const application = await applicationOf(wanted, terminal);
  const inFragment = wanted.kind === 'implicit';
  const redirect = await listenForRedirect({ clock, uri: wanted.redirectUri, inFragment });
  try {
    const oauth = new OAuth({ send, clock });
    const { url, state, granted } = await oauth.authorization(application, redirect.uri);
    const tell = (text: string) => terminal.stderr.write(text);
    // Others can read the address that the browser is opened at, but not the terminal (see `start-page.ts`).
    tell(
      `Sign in and decide in the browser of this computer; if none opens, open this address yourself:\n\n  ${redirect.start.url}\n\nThe page asks for this code:\n\n  ${redirect.start.code}\n\n`,
    );
    const opening = wanted.browser
      ? openBrowser(redirect.start.url).catch(() => tell('No browser could be opened.\n'))
      : undefined;
    const finish = async (callback: URLSearchParams) => ({
      heading: 'You are signed in',
      text: `${await keep(await granted(callback, terminal.signal))}\n\nYou can close this tab.`,
    });
    await Promise.all([redirect.receive({ url, state }, finish, terminal.signal), opening]);
  } finally {
    await redirect.close();
  }
}

async function applicationOf(wanted: BrowserSignInOptions, terminal: Terminal): Promise<Application> {
  const { kind, appUrl, scope } = wanted;
  const clientId = wanted.clientId ?? (await promptText('Client id', '--client-id', terminal));
  if (kind === 'implicit') return { kind, appUrl, scope, clientId };
  const clientSecret = wanted.clientSecret ?? (await promptSecret('Client secret', terminal));
  return { kind, appUrl, scope, clientId, clientSecret };
}

async function openDefaultBrowser(url: string): Promise<void> {
  const { default: open } = await import('open');
  await open(url);
}
