/** The settings of a server by HTTP and of a hosted one, in the order of the help and of the tables in docs/. */
import { z } from 'zod';
import { serviceAddress } from '../../auth/service-address.ts';
import { httpToken, listOf, onOff, portNumber, setting, split, wholeNumber } from './setting.ts';

export const httpSettings = {
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
} as const;
