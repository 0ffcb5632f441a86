/**
 * Defines every setting once: schema, default, flag, variable, help and commands. `Config`, the command line, the tables of
 * the documents and the form of the bundle are derived from this table.
 */
import { z } from 'zod';
import { bearerToken } from '../../auth/bearer-token.ts';
import { knownServices } from '../../auth/known-services.ts';
import { DEFAULT_PROFILE, profileName } from '../../auth/profile.ts';
import { baseAddress, serviceAddress } from '../../auth/service-address.ts';
import { isTimeZone } from '../../base/calendar.ts';
import { logLevels } from '../../base/log.ts';
import { confirmPolicies } from '../../operations/consent.ts';
import { isToolset, toolsetNames } from '../../operations/toolsets.ts';

export type CommandName = 'serve' | 'login' | 'logout' | 'status' | 'doctor' | 'forget';

export interface SettingInfo {
  /** The flag on the command line. A secret has none, because other users can read arguments. */
  readonly flag?: string;
  readonly variable: string;
  /** Without the default value, which comes from the schema. */
  readonly help: string;
  /** By default only `serve`. */
  readonly commands?: readonly CommandName[];
  /** The table of the documents that lists it, if any. */
  readonly table?: 'server' | 'http' | 'hosted';
  /** `serve` takes it only with `--hosted`. */
  readonly isHostedOnly?: true;
  /** Deleted from the environment after it is read, so that no child process inherits it. */
  readonly isSecret?: true;
  /** The field in the installation form of the bundle, if any. */
  readonly form?: { readonly title: string; readonly note?: string };
}

const infos = new Map<z.ZodType, SettingInfo>();

/** Registers a setting under a copy of `schema`, because two settings may have the same schema. */
function setting<Schema extends z.ZodType>(info: SettingInfo, schema: Schema): Schema {
  const copy = schema.clone();
  infos.set(copy, info);
  return copy;
}

const serviceNames = [...knownServices.keys()].join(', ');
const toolsetList = toolsetNames.join(', ');

const onOff = z.union([z.boolean(), z.stringbool()], { error: 'must be true or false' }).default(false);

const wholeNumber = (fallback: number) =>
  z
    .string()
    .refine((text) => /^\d{1,6}$/.test(text), 'must be a whole number')
    .transform(Number)
    .default(fallback);

const portNumber = z
  .string()
  .refine((text) => /^\d{1,6}$/.test(text), { error: 'must be a whole number', abort: true })
  .transform(Number)
  .refine((port) => port <= 65_535, 'must be at most 65535');

const split = (text: string) => text.split(',').map((each) => each.trim());

/** `what` completes "must be". */
const listOf = (pattern: RegExp, what: string) =>
  z
    .string()
    .transform((text) => split(text.toLowerCase()))
    .pipe(z.array(z.string().regex(pattern, `must be ${what}`)))
    .exactOptional();

/** Too long to be guessed, and of characters that a header allows (RFC 6750, section 2.1). */
export const httpToken = z
  .string()
  .regex(/^[A-Za-z0-9._~+/-]{32,}=*$/, 'must be at least 32 letters, digits or characters of -._~+/');

const SIGN_IN: readonly CommandName[] = ['serve', 'login', 'logout', 'status', 'doctor'];

/** In the order of the help and of the tables in docs/. */
export const shape = {
  service: setting(
    {
      flag: '--service <name>',
      variable: 'BUDGET_MCP_SERVICE',
      help: `a public service whose addresses are known: ${serviceNames}`,
      commands: ['serve', 'login', 'status', 'doctor', 'forget'],
      table: 'server',
      form: { title: 'Service', note: 'Leave it empty if you give a base URL.' },
    },
    z
      .string()
      .transform((name) => knownServices.get(name.toLowerCase()))
      .pipe(
        z.custom<{ readonly baseUrl: string; readonly appUrl: string }>((service) => service !== undefined, {
          error: `must be one of ${serviceNames}`,
        }),
      )
      .exactOptional(),
  ),
  baseUrl: setting(
    {
      flag: '--base-url <url>',
      variable: 'BUDGET_MCP_BASE_URL',
      help: "the service's address, `/v1` included: `https://`, or this machine",
      commands: ['serve', 'login', 'status', 'doctor', 'forget'],
      table: 'server',
      form: { title: 'Base URL', note: 'For any other service.' },
    },
    baseAddress.exactOptional(),
  ),
  appUrl: setting(
    {
      flag: '--app-url <url>',
      variable: 'BUDGET_MCP_APP_URL',
      help: 'where people sign in to the service, for `login --oauth` and `serve --hosted`',
      commands: ['login', 'serve'],
      table: 'server',
      isHostedOnly: true,
    },
    serviceAddress.exactOptional(),
  ),
  profile: setting(
    {
      flag: '--profile <name>',
      variable: 'BUDGET_MCP_PROFILE',
      help: 'which sign-in, if there are several',
      commands: SIGN_IN,
      table: 'server',
    },
    profileName.default(DEFAULT_PROFILE),
  ),
  insecureStorage: setting(
    {
      flag: '--insecure-storage',
      variable: 'BUDGET_MCP_INSECURE_STORAGE',
      help: 'store the sign-in unencrypted in a file, where there is no keychain',
      commands: SIGN_IN,
      table: 'server',
    },
    onOff,
  ),
  tokenFile: setting(
    {
      flag: '--token-file <path>',
      variable: 'BUDGET_MCP_TOKEN_FILE',
      help: 'a file with the access token, such as a mounted secret, used instead of a sign-in',
      commands: ['serve', 'status', 'doctor'],
      table: 'server',
    },
    z.string().exactOptional(),
  ),
  token: setting(
    {
      variable: 'BUDGET_MCP_TOKEN',
      help: 'the access token; child processes do not inherit it',
      commands: ['serve', 'login', 'status', 'doctor'],
      table: 'server',
      isSecret: true,
      form: {
        title: 'Access token',
        note: 'A personal access token, from the developer settings of your budgeting service.',
      },
    },
    z.string().trim().pipe(bearerToken).exactOptional(),
  ),
  credentialsDirectory: setting(
    {
      variable: 'CREDENTIALS_DIRECTORY',
      help: "systemd's credentials; the token is the one named budget-mcp-token",
      commands: ['serve', 'status', 'doctor'],
    },
    z.string().exactOptional(),
  ),
  clientId: setting(
    {
      flag: '--client-id <id>',
      variable: 'BUDGET_MCP_CLIENT_ID',
      help: "the application's id, for `login --oauth` and `serve --hosted`",
      commands: ['login', 'serve'],
      table: 'server',
      isHostedOnly: true,
    },
    bearerToken.exactOptional(),
  ),
  clientSecret: setting(
    {
      variable: 'BUDGET_MCP_CLIENT_SECRET',
      help: "the application's secret, for `login --oauth`, which asks for it if it is not set, and for `serve --hosted`",
      commands: ['login', 'serve'],
      table: 'server',
      isSecret: true,
      isHostedOnly: true,
    },
    bearerToken.exactOptional(),
  ),
  budget: setting(
    {
      flag: '--budget <budget>',
      variable: 'BUDGET_MCP_BUDGET',
      help: 'id or name of the default budget',
      table: 'server',
      form: { title: 'Default budget' },
    },
    z.string().trim().min(1).exactOptional(),
  ),
  readOnly: setting(
    {
      flag: '--read-only',
      variable: 'BUDGET_MCP_READ_ONLY',
      help: 'neither offer nor send anything that changes the budget',
      commands: ['serve', 'login'],
      table: 'server',
      form: { title: 'Read only' },
    },
    onOff,
  ),
  toolsets: setting(
    {
      flag: '--toolsets <list>',
      variable: 'BUDGET_MCP_TOOLSETS',
      help: `which groups of tools to offer, of ${toolsetList}`,
      table: 'server',
    },
    z
      .string()
      .transform(split)
      .pipe(z.array(z.string().refine(isToolset, { error: `must be some of ${toolsetList}` })))
      .transform((names) => names.filter(isToolset))
      .exactOptional(),
  ),
  confirm: setting(
    {
      flag: '--confirm <what>',
      variable: 'BUDGET_MCP_CONFIRM',
      help: `what the user is asked about first: ${confirmPolicies.join(', ')}; deletes covers writes of more than 20 rows`,
      table: 'server',
    },
    z.enum(confirmPolicies, { error: `must be one of ${confirmPolicies.join(', ')}` }).default('deletes'),
  ),
  cacheMb: setting(
    {
      flag: '--cache-mb <number>',
      variable: 'BUDGET_MCP_CACHE_MB',
      help: 'megabytes of memory for cached budgets; 0 asks the service each time',
      table: 'server',
    },
    wholeNumber(256),
  ),
  reserve: setting(
    {
      flag: '--reserve <number>',
      variable: 'BUDGET_MCP_RESERVE',
      help: 'requests of each hour that are reserved for writes',
      table: 'server',
    },
    wholeNumber(20),
  ),
  timeZone: setting(
    {
      flag: '--time-zone <name>',
      variable: 'BUDGET_MCP_TIME_ZONE',
      help: "the user's time zone, such as Europe/Berlin, for `today` and `yesterday`; by default that of this machine",
      table: 'server',
    },
    z.string().refine(isTimeZone, 'must be a time zone such as Europe/Berlin').exactOptional(),
  ),
  stateDir: setting(
    {
      flag: '--state-dir <path>',
      variable: 'BUDGET_MCP_STATE_DIR',
      help: "where the processes of one user share what they know; by default the user's directory for state",
      commands: ['serve', 'logout', 'doctor', 'forget'],
      table: 'server',
    },
    z.string().min(1).exactOptional(),
  ),
  noState: setting(
    {
      flag: '--no-state',
      variable: 'BUDGET_MCP_NO_STATE',
      help: 'keep everything in memory and share nothing with other processes',
      commands: ['serve', 'doctor'],
      table: 'server',
    },
    onOff,
  ),
  structured: setting(
    {
      flag: '--structured',
      variable: 'BUDGET_MCP_STRUCTURED',
      help: 'add structured content and output schemas, for programs; many hosts then hide the text from the model',
      table: 'server',
    },
    onOff,
  ),
  demo: setting(
    {
      flag: '--demo',
      variable: 'BUDGET_MCP_DEMO',
      help: 'answer from an embedded service with invented data',
      table: 'server',
      form: { title: 'Demo', note: 'Leave token, service and base URL empty.' },
    },
    onOff,
  ),
  logLevel: setting(
    {
      flag: '--log-level <level>',
      variable: 'BUDGET_MCP_LOG_LEVEL',
      help: `one of ${logLevels.join(', ')}; the log goes to stderr`,
      table: 'server',
    },
    z.enum(logLevels).default('warn'),
  ),
  http: setting(
    {
      flag: '--http',
      variable: 'BUDGET_MCP_HTTP',
      help: 'serve hosts by HTTP, at `/mcp`, instead of one on standard input and output',
      table: 'http',
    },
    onOff,
  ),
  host: setting(
    {
      flag: '--host <address>',
      variable: 'BUDGET_MCP_HOST',
      help: 'the address to listen on; any other than this machine needs a token',
      table: 'http',
    },
    z.string().min(1).default('127.0.0.1'),
  ),
  port: setting(
    {
      flag: '--port <number>',
      variable: 'BUDGET_MCP_PORT',
      help: 'the port to listen on; 0 means any free port',
      table: 'http',
    },
    portNumber.default(3000),
  ),
  httpToken: setting(
    {
      variable: 'BUDGET_MCP_HTTP_TOKEN',
      help: 'the token that hosts have to send; child processes do not inherit it',
      table: 'http',
      isSecret: true,
    },
    httpToken.exactOptional(),
  ),
  httpTokenFile: setting(
    {
      flag: '--http-token-file <path>',
      variable: 'BUDGET_MCP_HTTP_TOKEN_FILE',
      help: 'a file with one token per line, one for each caller; read again when it changes',
      table: 'http',
    },
    z.string().exactOptional(),
  ),
  publicUrl: setting(
    {
      flag: '--public-url <url>',
      variable: 'BUDGET_MCP_PUBLIC_URL',
      help: 'the address that hosts use, where the server is behind a proxy',
      table: 'http',
    },
    serviceAddress.exactOptional(),
  ),
  allowedHosts: setting(
    {
      flag: '--allowed-hosts <list>',
      variable: 'BUDGET_MCP_ALLOWED_HOSTS',
      help: 'more host names that the server may be called by, such as `budget.lan`',
      table: 'http',
    },
    listOf(/^([\w.-]+|\[[\da-f:.]+\])$/, 'host names without a port'),
  ),
  allowedOrigins: setting(
    {
      flag: '--allowed-origins <list>',
      variable: 'BUDGET_MCP_ALLOWED_ORIGINS',
      help: 'web origins whose pages may call it; none unless it is set',
      table: 'http',
    },
    listOf(/^https?:\/\/[^/?#@\s]+$/, 'origins such as https://app.example.com'),
  ),
  drainSeconds: setting(
    {
      flag: '--drain-seconds <number>',
      variable: 'BUDGET_MCP_DRAIN_SECONDS',
      help: 'how long the server still answers after the signal to stop, while `/readyz` says that it stops',
      table: 'http',
    },
    wholeNumber(0),
  ),
  metricsPort: setting(
    {
      flag: '--metrics-port <number>',
      variable: 'BUDGET_MCP_METRICS_PORT',
      help: 'a port for metrics, at `/metrics`, in the format of Prometheus; none unless it is set',
      table: 'http',
    },
    portNumber.exactOptional(),
  ),
  hosted: setting(
    {
      flag: '--hosted',
      variable: 'BUDGET_MCP_HOSTED',
      help: 'with `--http`: let each person sign in with the budgeting service, and answer about their own budgets',
      table: 'hosted',
    },
    onOff,
  ),
  serverKeyFile: setting(
    {
      flag: '--server-key-file <path>',
      variable: 'BUDGET_MCP_SERVER_KEY_FILE',
      help: 'a file with the key that seals everything stored: 32 random bytes in base64; earlier keys on further lines',
      commands: ['serve', 'forget'],
      table: 'hosted',
    },
    z.string().min(1).exactOptional(),
  ),
  clientSecretFile: setting(
    {
      flag: '--client-secret-file <path>',
      variable: 'BUDGET_MCP_CLIENT_SECRET_FILE',
      help: "a file with the application's secret, instead of the variable",
      table: 'hosted',
    },
    z.string().min(1).exactOptional(),
  ),
  redisUrl: setting(
    {
      flag: '--redis-url <url>',
      variable: 'BUDGET_MCP_REDIS_URL',
      help: 'the Redis that the servers of several machines share, such as `redis://host:6379`; a password only in the variable, never in the flag',
      commands: ['serve', 'forget'],
      table: 'hosted',
      isSecret: true,
    },
    z
      .string()
      .regex(/^rediss?:\/\//, 'must be an address such as redis://host:6379')
      .exactOptional(),
  ),
  redisUrlFile: setting(
    {
      flag: '--redis-url-file <path>',
      variable: 'BUDGET_MCP_REDIS_URL_FILE',
      help: 'a file with the address of the Redis, instead of the variable',
      commands: ['serve', 'forget'],
      table: 'hosted',
    },
    z.string().min(1).exactOptional(),
  ),
  noRegistration: setting(
    {
      flag: '--no-registration',
      variable: 'BUDGET_MCP_NO_REGISTRATION',
      help: 'accept only clients that have a metadata document, and none that register themselves',
      table: 'hosted',
    },
    onOff,
  ),
  allowPeople: setting(
    {
      flag: '--allow-people <list>',
      variable: 'BUDGET_MCP_ALLOW_PEOPLE',
      help: 'ids of people at the budgeting service: only they may sign in. A sign-in that is refused shows its id. Everyone may sign in unless it is set',
      table: 'hosted',
    },
    z
      .string()
      .transform(split)
      .pipe(z.array(z.string().regex(/^[\w-]+$/, 'must be ids of people, or none')))
      .exactOptional(),
  ),
};

export type SettingName = keyof typeof shape;

export const isSettingName = (name: PropertyKey): name is SettingName => Object.hasOwn(shape, name);

export const settingNames: readonly SettingName[] = Object.keys(shape).filter(isSettingName);

export function infoOf(name: SettingName): SettingInfo {
  const info = infos.get(shape[name]);
  if (!info) throw new Error(`The setting ${name} has no entry in the table.`);
  return info;
}

/** The default value as a person would type it. Undefined if there is none. */
export function defaultOf(name: SettingName): string | undefined {
  const value = shape[name].safeParse(undefined).data;
  return value === undefined || value === false ? undefined : String(value);
}

/** The help text with the default value. */
export function helpOf(name: SettingName): string {
  const value = defaultOf(name);
  return infoOf(name).help + (value === undefined ? '' : ` (default: ${value})`);
}

/** The settings that a command takes. */
export const settingsOf = (command: CommandName): readonly SettingName[] =>
  settingNames.filter((name) => (infoOf(name).commands ?? ['serve']).includes(command));

/** The settings of a server that a host starts by itself, on standard input and output. */
export const stdioSettings: readonly SettingName[] = settingsOf('serve').filter((name) => {
  const { table, isHostedOnly } = infoOf(name);
  return table !== 'http' && table !== 'hosted' && !isHostedOnly;
});
