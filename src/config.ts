/**
 * Flags and environment to one frozen, validated `Config`. The only reader of the environment; the access token is
 * taken out of it once read, so that no child process inherits it.
 */
import { z } from 'zod';
import type { ProxySettings } from './client/http-sender.ts';
import { BudgetError } from './errors.ts';
import { type LogLevel, logLevels } from './log.ts';
import { type ConfirmPolicy, confirmPolicies } from './operations/consent.ts';
import { isToolset, type Toolset, toolsets } from './operations/index.ts';

export interface Config {
  /** Use the embedded service, filled with invented data. */
  readonly demo: boolean;
  readonly baseUrl?: string;
  readonly token?: string;
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

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether requests to `url` stay on this machine. */
export const isLoopback = (url: string) => LOOPBACK.has(new URL(url).hostname);

const toolsetNames = Object.keys(toolsets).join(', ');

/** Normalised to no trailing slash. */
const baseUrl = z
  .url({ protocol: /^https?$/, error: 'must be a URL such as https://api.example.com/v1', abort: true })
  .refine((url) => new URL(url).protocol === 'https:' || isLoopback(url), {
    error: 'must be https:// unless it is on this machine: a token is never sent in the clear',
  })
  .refine((url) => !/[?#]|\/\/[^/]*@/.test(url), { error: 'must have neither credentials nor a query' })
  .transform((url) => url.replace(/\/+$/, ''));

// Visible ASCII, as RFC 6750 has it. The issue must not repeat the value.
const token = z.string().regex(/^[\x21-\x7e]+$/, 'must be a single word of visible characters');

const onOff = z.union([z.boolean(), z.stringbool()], { error: 'must be true or false' });

const wholeNumber = z
  .string()
  .refine((text) => /^\d{1,6}$/.test(text), 'must be a whole number')
  .transform(Number);

const schema = z
  .object({
    demo: onOff,
    baseUrl: baseUrl.optional(),
    token: token.optional(),
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
  .refine(({ demo, baseUrl, token }) => !demo || (baseUrl === undefined && token === undefined), {
    error: 'the demo brings its own service: leave out the base URL and the token, or leave out --demo',
    path: ['demo'],
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
  token: { flag: undefined, variable: 'BUDGET_MCP_TOKEN', help: 'the access token' },
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

/** Throws `invalid_configuration`, naming the setting, where a value cannot be used. A flag wins over a variable. */
export function loadConfig(flags: Flags, env: NodeJS.ProcessEnv = process.env): Config {
  const read = (name: keyof typeof settings) => flags[name] ?? (env[settings[name].variable] || undefined);
  const parsed = schema.safeParse({
    demo: read('demo') ?? false,
    baseUrl: read('baseUrl'),
    token: read('token'),
    budget: read('budget'),
    readOnly: read('readOnly') ?? false,
    toolsets: read('toolsets'),
    confirm: read('confirm') ?? 'deletes',
    cacheMb: read('cacheMb') ?? '256',
    reserve: read('reserve') ?? '20',
    logLevel: read('logLevel') ?? 'warn',
  });
  delete env[settings.token.variable];
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `${label(path[0])} ${message}`);
    throw new BudgetError('invalid_configuration', `${problems.join('; ')}.`);
  }
  const { baseUrl, token, budget, toolsets, ...rest } = parsed.data;
  return Object.freeze({
    ...rest,
    ...(baseUrl !== undefined && { baseUrl }),
    ...(token !== undefined && { token }),
    ...(budget !== undefined && { budget }),
    ...(toolsets !== undefined && { toolsets }),
    proxy: {
      httpProxy: proxyUrl(env, 'http_proxy'),
      httpsProxy: proxyUrl(env, 'https_proxy'),
      noProxy: env['no_proxy'] || env['NO_PROXY'] || '',
    },
  });
}

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
