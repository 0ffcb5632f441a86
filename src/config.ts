/**
 * Flags and environment to one frozen, validated `Config`. The only reader of the environment; secrets are taken out of
 * it once read, so that no child process inherits them.
 */
import { z } from 'zod';
import { bearerToken } from './auth/bearer-token.ts';
import { knownServices } from './auth/known-services.ts';
import { DEFAULT_PROFILE, profileName } from './auth/profile.ts';
import { serviceAddress } from './auth/service-address.ts';
import type { ProxySettings } from './client/http-sender.ts';
import { BudgetError } from './errors.ts';
import { type LogLevel, logLevels } from './log.ts';
import { type ConfirmPolicy, confirmPolicies } from './operations/consent.ts';
import { isToolset, type Toolset } from './operations/index.ts';
import { type SettingName, serviceNames, settingNames, settings, toolsetNames } from './settings.ts';

export interface Config {
  /** Use the embedded service, filled with invented data. */
  readonly demo: boolean;
  readonly baseUrl?: string;
  /** Where people sign in. */
  readonly appUrl?: string;
  readonly token?: string;
  readonly tokenFile?: string;
  /** Of systemd. */
  readonly credentialsDirectory?: string;
  /** Whose sign-in is meant. */
  readonly profile: string;
  /** Keep the sign-in in a file in the clear. */
  readonly insecureStorage: boolean;
  /** Of the application that signs in by OAuth. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** The id or name of the budget to use where a call names none. */
  readonly budget?: string;
  /** Neither offer nor send any write. */
  readonly readOnly: boolean;
  /** The groups of tools to offer. */
  readonly toolsets?: readonly Toolset[];
  readonly confirm: ConfirmPolicy;
  /** How much memory the budgets that are held may take; 0 holds none. */
  readonly cacheMb: number;
  /** How many requests of an hour are held back for writes. */
  readonly reserve: number;
  /** Serve hosts by HTTP, at this address, instead of one on standard input and output. */
  readonly http: boolean;
  readonly host: string;
  /** 0 takes any free one. */
  readonly port: number;
  /** What those who call by HTTP show; */
  readonly httpToken?: string;
  /** several of them stand in a file. */
  readonly httpTokenFile?: string;
  /** How hosts know the server that stands behind a proxy. */
  readonly publicUrl?: string;
  readonly allowedHosts?: readonly string[];
  readonly allowedOrigins?: readonly string[];
  readonly logLevel: LogLevel;
  readonly proxy: Required<ProxySettings>;
}

/** So many characters that nobody can try them all, of the kind that a header may carry (RFC 6750). */
export const httpToken = z
  .string()
  .regex(/^[A-Za-z0-9._~+/-]{32,}=*$/, 'must be at least 32 letters, digits or characters of -._~+/');

const onOff = z.union([z.boolean(), z.stringbool()], { error: 'must be true or false' });

const wholeNumber = z
  .string()
  .refine((text) => /^\d{1,6}$/.test(text), 'must be a whole number')
  .transform(Number);

/** `what` completes "must be". */
const listOf = (pattern: RegExp, what: string) =>
  z
    .string()
    .transform((text) => text.split(',').map((each) => each.trim().toLowerCase()))
    .pipe(z.array(z.string().regex(pattern, `must be ${what}`)));

const schema = z
  .object({
    demo: onOff,
    service: z
      .string()
      .transform((name) => knownServices.get(name.toLowerCase()))
      .refine((service) => service !== undefined, { error: `must be one of ${serviceNames}` })
      .optional(),
    baseUrl: serviceAddress.optional(),
    appUrl: serviceAddress.optional(),
    token: z.string().trim().pipe(bearerToken).optional(),
    tokenFile: z.string().optional(),
    credentialsDirectory: z.string().optional(),
    profile: profileName,
    insecureStorage: onOff,
    clientId: bearerToken.optional(),
    clientSecret: bearerToken.optional(),
    budget: z.string().trim().min(1).optional(),
    readOnly: onOff,
    toolsets: z
      .string()
      .transform((text) => text.split(',').map((name) => name.trim()))
      .pipe(z.array(z.string().refine(isToolset, { error: `must be some of ${toolsetNames}` })))
      .transform((names) => names.filter(isToolset))
      .optional(),
    confirm: z.enum(confirmPolicies, { error: `must be one of ${confirmPolicies.join(', ')}` }),
    cacheMb: wholeNumber,
    reserve: wholeNumber,
    http: onOff,
    host: z.string().min(1),
    port: wholeNumber.refine((port) => port <= 65_535, 'must be at most 65535'),
    httpToken: httpToken.optional(),
    httpTokenFile: z.string().optional(),
    publicUrl: serviceAddress.optional(),
    allowedHosts: listOf(/^([\w.-]+|\[[\da-f:.]+\])$/, 'host names without a port').optional(),
    allowedOrigins: listOf(/^https?:\/\/[^/?#@\s]+$/, 'origins such as https://app.example.com').optional(),
    logLevel: z.enum(logLevels),
  })
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
  });

export type Flags = { readonly [Name in SettingName]?: string | boolean };

/** What is taken out of the environment. */
const secrets = ['token', 'clientSecret', 'httpToken'] as const;

const defaults: Flags = {
  demo: false,
  profile: DEFAULT_PROFILE,
  insecureStorage: false,
  readOnly: false,
  confirm: 'deletes',
  cacheMb: '256',
  reserve: '20',
  http: false,
  host: '127.0.0.1',
  port: '3000',
  logLevel: 'warn',
};

/**
 * Throws `invalid_configuration`, naming the setting, where a value cannot be used. A flag wins over a variable; of
 * those, only the ones named in `names` are looked at.
 */
export function loadConfig(
  flags: Flags,
  env: NodeJS.ProcessEnv = process.env,
  names: readonly SettingName[] = settingNames,
): Config {
  const given = Object.entries({ ...defaults, ...variables(env, names), ...flags });
  const parsed = schema.safeParse(Object.fromEntries(given));
  for (const name of secrets) delete env[settings[name].variable];
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `${label(path[0])} ${message}`);
    throw new BudgetError('invalid_configuration', `${problems.join('; ')}.`);
  }
  const { service, ...values } = parsed.data;
  return Object.freeze({
    ...defined(values),
    ...(service && { baseUrl: service.baseUrl, appUrl: service.appUrl }),
    proxy: {
      httpProxy: proxyUrl(env, 'http_proxy'),
      httpsProxy: proxyUrl(env, 'https_proxy'),
      noProxy: direct(env['no_proxy'] || env['NO_PROXY']),
    },
  });
}

/** What is not set: nothing, or a placeholder that a host has put in for what its user left empty. */
const UNSET = /^(\$\{user_config\.\w+\})?$/;

/** Those that are set to something. */
function variables(env: NodeJS.ProcessEnv, names: readonly SettingName[]): Flags {
  const set = names.flatMap((name) => {
    const value = env[settings[name].variable] ?? '';
    return UNSET.test(value) ? [] : [[name, value]];
  });
  return Object.fromEntries(set);
}

type Defined<T> = { [Name in keyof T as undefined extends T[Name] ? never : Name]: T[Name] } & {
  [Name in keyof T as undefined extends T[Name] ? Name : never]?: Exclude<T[Name], undefined>;
};

/** Without the properties that are undefined. */
function defined<T extends object>(values: T): Defined<T>;
function defined(values: object): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** No proxy is asked for what is on this machine. */
const direct = (noProxy = '') =>
  noProxy === '*' ? noProxy : [noProxy, 'localhost', '127.0.0.1', '[::1]'].filter(Boolean).join(',');

/** As other programs do, a proxy without a scheme is one that is spoken to in plain HTTP. */
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

function label(key: PropertyKey | undefined): string {
  const name = settingNames.find((each) => each === key);
  if (!name) return String(key);
  const setting = settings[name];
  return setting.flag ? `${setting.flag.split(' ')[0]} (${setting.variable})` : setting.variable;
}

/** Colour where it can be seen and nobody asked for none (no-color.org). */
export function wantsColour(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv = process.env): boolean {
  return stream.isTTY === true && !env['NO_COLOR'];
}

/** Where the session of the user is found, for who needs to know more than a setting. */
export const sessionEnvironment = (env: NodeJS.ProcessEnv = process.env): Readonly<NodeJS.ProcessEnv> => env;
