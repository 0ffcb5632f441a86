/** How a person knows each setting: the flag, the variable, what it is for, and which commands take it. */
import { knownServices } from './auth/known-services.ts';
import { logLevels } from './log.ts';
import { confirmPolicies } from './operations/consent.ts';
import { toolsets } from './operations/index.ts';

export const toolsetNames = Object.keys(toolsets).join(', ');

export const serviceNames = [...knownServices.keys()].join(', ');

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
  http: {
    flag: '--http',
    variable: 'BUDGET_MCP_HTTP',
    help: 'serve hosts by HTTP, at /mcp',
  },
  host: {
    flag: '--host <address>',
    variable: 'BUDGET_MCP_HOST',
    help: 'the address to listen on, 127.0.0.1 by default; any other needs a token',
  },
  port: {
    flag: '--port <number>',
    variable: 'BUDGET_MCP_PORT',
    help: 'the port to listen on, 3000 by default; 0 takes any free one',
  },
  httpToken: {
    flag: undefined,
    variable: 'BUDGET_MCP_HTTP_TOKEN',
    help: 'what those who call by HTTP have to show',
  },
  httpTokenFile: {
    flag: '--http-token-file <path>',
    variable: 'BUDGET_MCP_HTTP_TOKEN_FILE',
    help: 'a file with such tokens, one a line; read again when it changes',
  },
  publicUrl: {
    flag: '--public-url <url>',
    variable: 'BUDGET_MCP_PUBLIC_URL',
    help: 'how hosts know the server that stands behind a proxy',
  },
  allowedHosts: {
    flag: '--allowed-hosts <list>',
    variable: 'BUDGET_MCP_ALLOWED_HOSTS',
    help: 'more names that the server may be called by',
  },
  allowedOrigins: {
    flag: '--allowed-origins <list>',
    variable: 'BUDGET_MCP_ALLOWED_ORIGINS',
    help: 'web origins whose pages may call it, none by default',
  },
  logLevel: {
    flag: '--log-level <level>',
    variable: 'BUDGET_MCP_LOG_LEVEL',
    help: `one of ${logLevels.join(', ')}`,
  },
} as const;

export type SettingName = keyof typeof settings;

const isSettingName = (name: string): name is SettingName => name in settings;

export const settingNames: readonly SettingName[] = Object.keys(settings).filter(isSettingName);

const whose = ['profile', 'insecureStorage'] as const;
const handedIn = ['token', 'tokenFile', 'credentialsDirectory'] as const;
const where = ['service', 'baseUrl'] as const;

/** By command. */
export const settingsOf = {
  serve: settingNames.filter((name) => !['appUrl', 'clientId', 'clientSecret'].includes(name)),
  login: [...where, 'appUrl', 'clientId', 'clientSecret', 'readOnly', ...whose, 'token'],
  logout: whose,
  status: [...where, ...whose, ...handedIn],
} as const satisfies Record<string, readonly SettingName[]>;
