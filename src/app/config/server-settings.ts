/** The settings of the service, the sign-in and the tools, in the order of the help and of the tables in docs/. */
import { z } from 'zod';
import { bearerToken } from '../../auth/bearer-token.ts';
import { knownServices } from '../../auth/known-services.ts';
import { DEFAULT_PROFILE, profileName } from '../../auth/profile.ts';
import { baseAddress, serviceAddress } from '../../auth/service-address.ts';
import { isTimeZone } from '../../base/calendar.ts';
import { logLevels } from '../../base/log.ts';
import { confirmPolicies } from '../../operations/consent.ts';
import { isToolset, toolsetNames } from '../../operations/toolsets.ts';
import { onOff, SIGN_IN, setting, split, wholeNumber } from './setting.ts';

const serviceNames = [...knownServices.keys()].join(', ');
const toolsetList = toolsetNames.join(', ');

export const serverSettings = {
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
} as const;
