/**
 * Flags and environment to one frozen, validated `Config`. The only reader of the environment; the access token is
 * taken out of it once read, so that no child process inherits it.
 */
import { z } from 'zod';
import type { ProxySettings } from './client/http-sender.ts';
import { BudgetError } from './errors.ts';
import { type LogLevel, logLevels } from './log.ts';

export interface Config {
  /** Use the embedded service, filled with invented data. */
  readonly demo: boolean;
  readonly baseUrl?: string;
  readonly token?: string;
  /** The id or name of the budget to use where a call names none. */
  readonly budget?: string;
  readonly logLevel: LogLevel;
  readonly proxy: Required<ProxySettings>;
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether requests to `url` stay on this machine. */
export const isLoopback = (url: string) => LOOPBACK.has(new URL(url).hostname);

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

const schema = z
  .object({
    demo: z.union([z.boolean(), z.stringbool({ error: 'must be true or false' })]),
    baseUrl: baseUrl.optional(),
    token: token.optional(),
    budget: z.string().trim().min(1).optional(),
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
    logLevel: read('logLevel') ?? 'warn',
  });
  delete env[settings.token.variable];
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `${label(path[0])} ${message}`);
    throw new BudgetError('invalid_configuration', `${problems.join('; ')}.`);
  }
  const { baseUrl, token, budget, ...rest } = parsed.data;
  return Object.freeze({
    ...rest,
    ...(baseUrl !== undefined && { baseUrl }),
    ...(token !== undefined && { token }),
    ...(budget !== undefined && { budget }),
    proxy: {
      httpProxy: env['http_proxy'] || env['HTTP_PROXY'] || '',
      httpsProxy: env['https_proxy'] || env['HTTPS_PROXY'] || '',
      noProxy: env['no_proxy'] || env['NO_PROXY'] || '',
    },
  });
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
