/** Decides how and where to sign in, from the options, the configuration and the earlier sign-in. */
import { redirectUri } from '../../auth/loopback-redirect.ts';
import { profileOption } from '../../auth/profile.ts';
import { refuseUncheckedCertificate } from '../../auth/service-address.ts';
import type { SignIn } from '../../auth/token-store.ts';
import { invalidConfig } from '../../base/errors.ts';
import type { Config } from '../config/load-config.ts';

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
  'profile' | 'baseUrl' | 'appUrl' | 'readOnly' | 'clientId' | 'clientSecret' | 'checksCertificates'
>;

export type SignInPlan = { readonly profile: string; readonly baseUrl: string } & (
  | { readonly kind: 'personal'; readonly appUrl?: string | undefined }
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

/**
 * Whatever is not given is taken from the sign-in `before`, so that `budget-mcp login` without options renews it.
 * Throws `invalid_configuration`, naming the option.
 */
export function planSignIn(options: LoginOptions, config: LoginConfig, before?: SignIn): SignInPlan {
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
    return { kind, profile, baseUrl, appUrl };
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
  const { clientId = granted?.clientId } = config;
  // The secret is only for the application at that address. Anywhere else it would be disclosed.
  const isSameClient =
    granted?.kind === 'authorization_code' && granted.clientId === clientId && granted.appUrl === appUrl;
  return {
    kind,
    profile,
    baseUrl,
    appUrl,
    scope: isReadOnly ? 'read-only' : 'full',
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
): SignInPlan['kind'] {
  if (oauth && implicit)
    throw invalidConfig('--oauth and --implicit are two ways to sign in: give one of them.');
  if (oauth) return 'authorization_code';
  return implicit ? 'implicit' : (before?.kind ?? 'personal');
}
