/**
 * Turns flags and environment variables into one frozen, validated `Config`. This is the only reader of the environment.
 * Secrets are deleted from `process.env` after they are read, so that child processes do not inherit them. The operating
 * system still shows the original variables of this process to the same user (`/proc/PID/environ`).
 */
import { z } from 'zod';
import { invalidConfig } from '../../base/errors.ts';
import type { ProxySettings } from '../../session/http/http-sender.ts';
import { infoOf, isSettingName, type SettingName, settingNames, shape } from './settings.ts';

const schema = z
  .object(shape)
  .superRefine((config, context) => {
    const { demo, noState, service, baseUrl, appUrl, token, tokenFile } = config;
    const { http, hosted, httpToken, httpTokenFile, redisUrl, redisUrlFile } = config;
    const refuse = (name: SettingName, message: string) =>
      context.addIssue({ code: 'custom', path: [name], message });
    if (demo && (service || baseUrl || token || tokenFile))
      refuse(
        'demo',
        'the demo has its own service: leave out the base URL and the token, or leave out --demo',
      );
    if (service && (baseUrl || appUrl))
      refuse('service', 'names the addresses: leave out --base-url and --app-url, or --service');
    if (hosted && (token || tokenFile || httpToken || httpTokenFile))
      refuse('hosted', 'people sign in by themselves: leave out the tokens, or leave out --hosted');
    if (hosted && config.statements !== undefined)
      refuse('statements', 'is a folder of one person: leave it out, or leave out --hosted');
    if (hosted && !http) refuse('hosted', 'needs --http');
    if (config.allowPeople && !hosted) refuse('allowPeople', 'needs --hosted, which lets people sign in');
    if ((demo || noState) && (redisUrl || redisUrlFile))
      refuse('redisUrl', 'stores what --demo and --no-state would keep in memory: leave out one of them');
    if (redisUrl && redisUrlFile)
      refuse('redisUrlFile', 'is set already: leave out --redis-url-file, or --redis-url');
    if (config.workers > 1 && (!hosted || demo || noState))
      refuse(
        'workers',
        'needs --hosted, and a state that the processes share: leave out --demo and --no-state',
      );
    if (config.metricsPort !== undefined && !http) refuse('metricsPort', 'needs --http');
  })
  .transform(({ service, ...values }) => ({
    ...values,
    // Those of 200 people with 6,300 transactions each.
    cacheMb: values.cacheMb ?? (values.hosted ? 640 : 256),
    ...(service && { baseUrl: service.baseUrl, appUrl: service.appUrl }),
  }));

/** The parsed settings. A known service is replaced by its two addresses. */
export type Config = Readonly<z.output<typeof schema>> & {
  /** From the usual environment variables. Empty if not set. */
  readonly proxy: Required<ProxySettings>;
  /** Whether Node.js checks the certificates of HTTPS servers. */
  readonly checksCertificates: boolean;
};

export type Flags = { readonly [Name in SettingName]?: string | boolean };

/**
 * Throws `invalid_configuration` with the name of the setting if a value is invalid. A flag wins over a variable. Only the
 * variables of the settings in `names` are read.
 */
export function loadConfig(
  flags: Flags,
  env: NodeJS.ProcessEnv = process.env,
  names: readonly SettingName[] = settingNames,
): Config {
  const { redisUrl } = flags;
  if (typeof redisUrl === 'string' && redisUrl.includes('@'))
    throw invalidConfig(
      '--redis-url must not have a password, which others on this machine could read: set BUDGET_MCP_REDIS_URL or --redis-url-file.',
    );
  const parsed = schema.safeParse({ ...variables(env, names), ...flags });
  for (const name of settingNames) {
    const { isSecret, variable } = infoOf(name);
    if (isSecret) delete env[variable];
  }
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `${label(path[0])} ${message}`);
    throw invalidConfig(`${problems.join('; ')}.`);
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

/** The secrets in the settings of a hosted server, for its further processes. */
export const hostedSecrets = z.object({ clientSecret: shape.clientSecret, redisUrl: shape.redisUrl });

/** A value that counts as not set: empty, or the placeholder that a host writes for an empty field of its form. */
const UNSET = /^(\$\{user_config\.\w+\})?$/;

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

/** As in other programs, a proxy without a scheme is an HTTP proxy. */
function proxyUrl(env: NodeJS.ProcessEnv, name: 'http_proxy' | 'https_proxy'): string {
  const value = env[name] || env[name.toUpperCase()];
  if (!value) return '';
  const url = /^\w+:\/\//.test(value) ? value : `http://${value}`;
  if (/^https?:\/\//.test(url) && URL.canParse(url)) return url;
  throw invalidConfig(`${name.toUpperCase()} must be the address of an HTTP proxy.`);
}

function label(key: PropertyKey = ''): string {
  if (!isSettingName(key)) return String(key);
  const { flag, variable } = infoOf(key);
  return flag ? `${flag.split(' ')[0]} (${variable})` : variable;
}

/** The environment for child processes that need the user's session, such as the keychain. */
export const sessionEnvironment = (env: NodeJS.ProcessEnv = process.env): Readonly<NodeJS.ProcessEnv> => env;
