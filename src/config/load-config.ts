/**
 * Flags and environment to one frozen, validated `Config`. The only reader of the environment. Secrets are deleted from
 * `process.env` once read, so that child processes do not inherit them; the operating system still shows the variables
 * that this process was started with to the same user (`/proc/PID/environ`).
 */
import { z } from 'zod';
import { BudgetError } from '../errors.ts';
import { infoOf, isSettingName, type SettingName, settingNames, shape } from './settings.ts';

const schema = z
  .object(shape)
  .refine(
    ({ demo, service, baseUrl, token, tokenFile }) => !demo || !(service || baseUrl || token || tokenFile),
    {
      error: 'the demo brings its own service: leave out the base URL and the token, or leave out --demo',
      path: ['demo'],
    },
  )
  .refine(({ service, baseUrl, appUrl }) => !service || !(baseUrl || appUrl), {
    error: 'names the addresses: leave out --base-url and --app-url, or --service',
    path: ['service'],
  })
  .transform(({ service, ...values }) => ({
    ...values,
    ...(service && { baseUrl: service.baseUrl, appUrl: service.appUrl }),
  }));

/** The proxies that the usual variables name; empty where there is none. */
export interface ProxyConfig {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  readonly noProxy: string;
}

/** The settings as their schemas parsed them, a known service as its two addresses. */
export type Config = Readonly<z.output<typeof schema>> & {
  readonly proxy: ProxyConfig;
  /** Whether Node.js checks the certificates of HTTPS servers, as it does unless it is told not to. */
  readonly checksCertificates: boolean;
};

export type Flags = { readonly [Name in SettingName]?: string | boolean };

/**
 * Throws `invalid_configuration`, naming the setting, where a value cannot be used. A flag wins over a variable; of
 * those, only the ones named in `names` are looked at.
 */
export function loadConfig(
  flags: Flags,
  env: NodeJS.ProcessEnv = process.env,
  names: readonly SettingName[] = settingNames,
): Config {
  const parsed = schema.safeParse({ ...variables(env, names), ...flags });
  for (const name of settingNames) {
    const { isSecret, variable } = infoOf(name);
    if (isSecret) delete env[variable];
  }
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `${label(path[0])} ${message}`);
    throw new BudgetError('invalid_configuration', `${problems.join('; ')}.`);
  }
  return Object.freeze({
    ...parsed.data,
    proxy: {
      httpProxy: proxyUrl(env, 'http_proxy'),
      httpsProxy: proxyUrl(env, 'https_proxy'),
      noProxy: withThisMachine(env['no_proxy'] || env['NO_PROXY']),
    },
    checksCertificates: env['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0',
  });
}

/** Not set: empty, or a placeholder that a host puts in for what its user left empty. */
const UNSET = /^(\$\{user_config\.\w+\})?$/;

/** The variables that are set to something. */
function variables(env: NodeJS.ProcessEnv, names: readonly SettingName[]): Flags {
  const set = names.flatMap((name) => {
    const value = env[infoOf(name).variable] ?? '';
    return UNSET.test(value) ? [] : [[name, value]];
  });
  return Object.fromEntries(set);
}

/** Requests to this machine never go through a proxy. */
const withThisMachine = (noProxy = '') =>
  noProxy === '*' ? noProxy : [noProxy, 'localhost', '127.0.0.1', '[::1]'].filter(Boolean).join(',');

/** As in other programs, a proxy without a scheme is spoken to in plain HTTP. */
function proxyUrl(env: NodeJS.ProcessEnv, name: 'http_proxy' | 'https_proxy'): string {
  const value = env[name] || env[name.toUpperCase()];
  if (!value) return '';
  const url = /^\w+:\/\//.test(value) ? value : `http://${value}`;
  if (/^https?:\/\//.test(url) && URL.canParse(url)) return url;
  throw new BudgetError(
    'invalid_configuration',
    `${name.toUpperCase()} must be the address of an HTTP proxy.`,
  );
}

function label(key: PropertyKey = ''): string {
  if (!isSettingName(key)) return String(key);
  const { flag, variable } = infoOf(key);
  return flag ? `${flag.split(' ')[0]} (${variable})` : variable;
}

/** Colour on a terminal, unless the user asks for none (no-color.org). */
export function wantsColour(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv = process.env): boolean {
  return stream.isTTY === true && !env['NO_COLOR'];
}

/** For programs that need the user's session, such as the keychain. */
export const sessionEnvironment = (env: NodeJS.ProcessEnv = process.env): Readonly<NodeJS.ProcessEnv> => env;
