/** The settings of the service, the sign-in and the tools, in the order of the help and of the tables in docs/. */
import { z } from 'zod';
import { baseAddress, bearerToken, knownServices, serviceAddress } from '../../auth/service-address.ts';
import { isTimeZone } from '../../base/calendar.ts';
import { logLevels } from '../../base/log.ts';
import { confirmPolicies } from '../../operations/consent.ts';
import { toolsetNames } from '../../operations/toolsets.ts';
import { DEFAULT_PROFILE, listOf, onOff, profileName, SIGN_IN, setting, wholeNumber } from './setting.ts';

const serviceNames = [...knownServices.keys()].join(', ');
const toolsetList = toolsetNames.join(', ');

export const serverSettings = {
  service: setting(
    z
      .string()
      .toLowerCase()
      .pipe(z.enum([...knownServices.keys()], { error: `must be one of ${serviceNames}` }))
      .transform((name) => knownServices.get(name))
      .exactOptional(),
    {
      takes: '<name>',
      help: `a public service whose addresses are known: ${serviceNames}`,
      commands: ['serve', 'login', 'status', 'doctor', 'forget'],
      form: { title: 'Service', note: 'Leave it empty if you give a base URL.' },
    },
  ),
  baseUrl: setting(baseAddress.exactOptional(), {
    takes: '<url>',
    help: "the service's address, `/v1` included: `https://`, or this machine",
    commands: ['serve', 'login', 'status', 'doctor', 'forget'],
    form: { title: 'Base URL', note: 'For any other service.' },
  }),
  appUrl: setting(serviceAddress.exactOptional(), {
    takes: '<url>',
    help: 'where people sign in to the service, for `login --oauth` and `serve --hosted`',
    commands: ['login', 'serve'],
    isHostedOnly: true,
  }),
  profile: setting(profileName.default(DEFAULT_PROFILE), {
    takes: '<name>',
    help: 'which sign-in, if there are several',
    commands: SIGN_IN,
  }),
  insecureStorage: setting(onOff, {
    help: 'store the sign-in unencrypted in a file, where there is no keychain',
    commands: SIGN_IN,
  }),
  tokenFile: setting(z.string().exactOptional(), {
    takes: '<path>',
    help: 'a file with the access token, such as a mounted secret, used instead of a sign-in',
    commands: ['serve', 'status', 'doctor'],
  }),
  token: setting(z.string().trim().pipe(bearerToken).exactOptional(), {
    hasFlag: false,
    help: 'the access token; child processes do not inherit it',
    commands: ['serve', 'login', 'status', 'doctor'],
    isSecret: true,
    form: {
      title: 'Access token',
      note: 'A personal access token, from the developer settings of your budgeting service.',
    },
  }),
  credentialsDirectory: setting(z.string().exactOptional(), {
    variable: 'CREDENTIALS_DIRECTORY',
    hasFlag: false,
    help: "systemd's credentials; the token is the one named budget-mcp-token",
    commands: ['serve', 'status', 'doctor'],
  }),
  clientId: setting(bearerToken.exactOptional(), {
    takes: '<id>',
    help: "the application's id, for `login --oauth` and `serve --hosted`",
    commands: ['login', 'serve'],
    isHostedOnly: true,
  }),
  clientSecret: setting(bearerToken.exactOptional(), {
    hasFlag: false,
    help: "the application's secret, for `login --oauth`, which asks for it if it is not set, and for `serve --hosted`",
    commands: ['login', 'serve'],
    isSecret: true,
    isHostedOnly: true,
  }),
  budget: setting(z.string().trim().min(1).exactOptional(), {
    takes: '<budget>',
    help: 'id or name of the default budget; by default the one that was chosen at the sign-in',
    commands: ['serve', 'login', 'status', 'doctor'],
    form: { title: 'Default budget' },
  }),
  allowCallbacks: setting(onOff, {
    help: "post what is watched to addresses of this machine and its network too, on every port and without encryption; for tests and one's own network",
  }),
  statements: setting(z.string().min(1).exactOptional(), {
    takes: '<path>',
    help: 'a folder with statements that you have exported at your bank, to compare and to enter',
  }),
  readOnly: setting(onOff, {
    help: 'neither offer nor send anything that changes the budget',
    commands: ['serve', 'login'],
    form: { title: 'Read only' },
  }),
  toolsets: setting(listOf(z.enum(toolsetNames, { error: `must be some of ${toolsetList}` })), {
    takes: '<list>',
    help: `which groups of tools to offer, of ${toolsetList}`,
  }),
  confirm: setting(
    z.enum(confirmPolicies, { error: `must be one of ${confirmPolicies.join(', ')}` }).default('deletes'),
    {
      takes: '<what>',
      help: `what the user is asked about first: ${confirmPolicies.join(', ')}; deletes covers writes of more than 20 rows`,
    },
  ),
  cacheMb: setting(wholeNumber.exactOptional(), {
    takes: '<number>',
    help: 'megabytes of memory for cached budgets; 0 asks the service each time; by default 256, and 640 with `--hosted`',
  }),
  reserve: setting(wholeNumber.default(20), {
    takes: '<number>',
    help: 'requests of each hour that are reserved for writes',
  }),
  timeZone: setting(
    z.string().refine(isTimeZone, 'must be a time zone such as Europe/Berlin').exactOptional(),
    {
      takes: '<name>',
      help: "the user's time zone, such as Europe/Berlin, which decides what `today` and this month are; by default that of this machine",
    },
  ),
  stateDir: setting(z.string().min(1).exactOptional(), {
    takes: '<path>',
    help: "where the processes of one user share what they know; by default the user's directory for state",
    commands: ['serve', 'logout', 'doctor', 'forget'],
  }),
  noState: setting(onOff, {
    help: 'keep everything in memory and share nothing with other processes',
    commands: ['serve', 'doctor'],
  }),
  structured: setting(onOff, {
    help: 'add structured content and output schemas, for programs; many hosts then hide the text from the model',
  }),
  demo: setting(onOff, {
    help: 'answer from an embedded service with invented data',
    form: { title: 'Demo', note: 'Leave token, service and base URL empty.' },
  }),
  logLevel: setting(z.enum(logLevels).default('warn'), {
    takes: '<level>',
    help: `one of ${logLevels.join(', ')}; the log goes to stderr`,
  }),
} as const;
