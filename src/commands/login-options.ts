/** What a person wants to sign in with, and where, from what they typed and what is configured. */
import { redirectUri } from '../auth/loopback-redirect.ts';
import type { Config } from '../config.ts';
import { BudgetError } from '../errors.ts';

export interface LoginOptions {
  /** The authorization code grant. */
  readonly oauth?: boolean;
  /** The implicit grant. */
  readonly implicit?: boolean;
  /** On this machine, where the service compares it exactly; see `redirectUri`. */
  readonly redirectUri?: string;
  /** False to leave it to the person to open the address. */
  readonly browser?: boolean;
}

export type LoginConfig = Pick<
  Config,
  'profile' | 'baseUrl' | 'appUrl' | 'readOnly' | 'clientId' | 'clientSecret'
>;

export type Wanted = { readonly profile: string; readonly baseUrl: string } & (
  | { readonly kind: 'personal' }
  | {
      readonly kind: 'authorization_code' | 'implicit';
      readonly appUrl: string;
      readonly scope: 'full' | 'read-only';
      readonly clientId?: string | undefined;
      readonly clientSecret?: string | undefined;
      readonly redirectUri?: string | undefined;
      readonly browser: boolean;
    }
);

/** @throws BudgetError `invalid_configuration`, naming the option */
export function wantedOf(options: LoginOptions, config: LoginConfig): Wanted {
  const { oauth = false, implicit = false, browser = true } = options;
  const { profile, baseUrl, appUrl, readOnly, clientId, clientSecret } = config;
  if (baseUrl === undefined)
    throw problem('--service or --base-url must say which service the sign-in is for.');
  if (!oauth && !implicit) {
    if (readOnly)
      throw problem(
        '--read-only goes with --oauth or --implicit: a personal access token may do everything. Give --read-only to the server instead.',
      );
    if (options.redirectUri !== undefined) throw problem('--redirect-uri goes with --oauth or --implicit.');
    return { kind: 'personal', profile, baseUrl };
  }
  if (appUrl === undefined) throw problem('--app-url must say where people sign in to the service.');
  const registered = redirectUri.optional().safeParse(options.redirectUri);
  if (!registered.success) throw problem(`--redirect-uri ${registered.error.issues[0]?.message}.`);
  return {
    kind: implicit ? 'implicit' : 'authorization_code',
    profile,
    baseUrl,
    appUrl,
    scope: readOnly ? 'read-only' : 'full',
    clientId,
    clientSecret,
    redirectUri: registered.data,
    browser,
  };
}

const problem = (message: string) => new BudgetError('invalid_configuration', message);
