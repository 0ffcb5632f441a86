/**
 * Flags and environment to one frozen, validated `Config`. The only reader of the environment; secrets are taken out of
 * it once read, so that no child process inherits them.
 */
import { z } from 'zod';
import { knownServices } from './auth/known-services.ts';
import { DEFAULT_PROFILE, profileName } from './auth/profile.ts';
import { serviceAddress } from './auth/service-address.ts';
import type { ProxySettings } from './client/http-sender.ts';
import { BudgetError } from './errors.ts';
import { type LogLevel, logLevels } from './log.ts';
import { type ConfirmPolicy, confirmPolicies } from './operations/consent.ts';
import { isToolset, type Toolset, toolsets } from './operations/index.ts';

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
  readonly logLevel: LogLevel;
  readonly proxy: Required<ProxySettings>;
}

const toolsetNames = Object.keys(toolsets).join(', ');

const serviceNames = [...knownServices.keys()].join(', ');

// Visible ASCII, as RFC 6750 has it. The issue must not repeat the value.
const secret = z.string().regex(/^[\x21-\x7e]+$/, 'must be a single word of visible characters');

const onOff = z.union([z.boolean(), z.stringbool()], { error: 'must be true or false' });

const wholeNumber = z
  .string()
  .refine((text) => /^\d{1,6}$/.test(text), 'must be a whole number')
  .transform(Number);

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
    token: secret.optional(),
    tokenFile: z.string().optional(),
    credentialsDirectory: z.string().optional(),
    profile: profileName,
    insecureStorage: onOff,
    clientId: secret.optional(),
    clientSecret: secret.optional(),
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

/** How a person knows each setting. */
export const settings = {
  demo: {
    flag: '--demo',
    variable: 'BUDGET_MCP_DEMO',
    help: 'answer from an embedded service with invented data',
  },
  baseUrl: {
    flag: '--base-url <url>',
    variable: 'BUDGET_MCP_BASE_URL',
    help: "the service's address, /v1 included",
  },
  appUrl: {
    flag: '--app-url <url>',
    variable: 'BUDGET_MCP_APP_URL',
    help: 'where people sign in to the service, for --oauth',
  },
  service: {
    flag: '--service <name>',
    variable: 'BUDGET_MCP_SERVICE',
    help: `a public service whose addresses are known: ${serviceNames}`,
  },
  profile: {
    flag: '--profile <name>',
    variable: 'BUDGET_MCP_PROFILE',
    help: 'which sign-in, where there are several',
  },
  token: { flag: undefined, variable: 'BUDGET_MCP_TOKEN', help: 'the access token' },
  tokenFile: {
    flag: '--token-file <path>',
    variable: 'BUDGET_MCP_TOKEN_FILE',
    help: 'a file with the access token, such as a mounted secret',
  },
  credentialsDirectory: {
    flag: undefined,
    variable: 'CREDENTIALS_DIRECTORY',
    help: "systemd's credentials; the token is the one named budget-mcp-token",
  },
  insecureStorage: {
    flag: '--insecure-storage',
    variable: 'BUDGET_MCP_INSECURE_STORAGE',
    help: 'keep the sign-in in a file, in the clear, where there is no keychain',
  },
  clientId: {
    flag: '--client-id <id>',
    variable: 'BUDGET_MCP_CLIENT_ID',
    help: 'of the application, for --oauth',
  },
  clientSecret: {
    flag: undefined,
    variable: 'BUDGET_MCP_CLIENT_SECRET',
    help: 'of the application, for --oauth',
  },
  budget: {
    flag: '--budget <budget>',
    variable: 'BUDGET_MCP_BUDGET',
    help: 'id or name of the default budget',
  },
  readOnly: {
    flag: '--read-only',
    variable: 'BUDGET_MCP_READ_ONLY',
    help: 'neither offer nor send anything that changes the budget',
  },
  toolsets: {
    flag: '--toolsets <list>',
    variable: 'BUDGET_MCP_TOOLSETS',
    help: `which groups of tools to offer, of ${toolsetNames}`,
  },
  confirm: {
    flag: '--confirm <what>',
    variable: 'BUDGET_MCP_CONFIRM',
    help: `what the user is asked about first: ${confirmPolicies.join(', ')} (deletes by default)`,
  },
  cacheMb: {
    flag: '--cache-mb <number>',
    variable: 'BUDGET_MCP_CACHE_MB',
    help: 'memory for the budgets that are held, 256 by default; 0 asks the service each time',
  },
  reserve: {
    flag: '--reserve <number>',
    variable: 'BUDGET_MCP_RESERVE',
    help: 'requests of each hour that are held back for writes, 20 by default',
  },
  logLevel: {
    flag: '--log-level <level>',
    variable: 'BUDGET_MCP_LOG_LEVEL',
    help: `one of ${logLevels.join(', ')}`,
  },
} as const;

export type Flags = { readonly [Name in keyof typeof settings]?: string | boolean };

/** What is taken out of the environment. */
const secrets = ['token', 'clientSecret'] as const;

const defaults: Flags = {
  demo: false,
  profile: DEFAULT_PROFILE,
  insecureStorage: false,
  readOnly: false,
  confirm: 'deletes',
  cacheMb: '256',
  reserve: '20',
  logLevel: 'warn',
};

/** Throws `invalid_configuration`, naming the setting, where a value cannot be used. A flag wins over a variable. */
export function loadConfig(flags: Flags, env: NodeJS.ProcessEnv = process.env): Config {
  const given = Object.entries({ ...defaults, ...variables(env), ...flags });
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
function variables(env: NodeJS.ProcessEnv): Flags {
  const set = Object.entries(settings).flatMap(([name, { variable }]) => {
    const value = env[variable] ?? '';
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

function label(name: PropertyKey | undefined): string {
  const setting = Object.entries(settings).find(([key]) => key === name)?.[1];
  if (!setting) return String(name);
  return setting.flag ? `${setting.flag.split(' ')[0]} (${setting.variable})` : setting.variable;
}

/** Colour where it can be seen and nobody asked for none (no-color.org). */
export function wantsColour(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv = process.env): boolean {
  return stream.isTTY === true && !env['NO_COLOR'];
}

/** Where the session of the user is found, for who needs to know more than a setting. */
export const sessionEnvironment = (env: NodeJS.ProcessEnv = process.env): Readonly<NodeJS.ProcessEnv> => env;
