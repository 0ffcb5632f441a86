/** The settings of a server by HTTP and of a hosted one, in the order of the help and of the tables in docs/. */
import { z } from 'zod';
import { serviceAddress } from '../../auth/service-address.ts';
import { httpToken, listOf, onOff, portNumber, setting, wholeNumber } from './setting.ts';

const hostName = z
  .string()
  .toLowerCase()
  .regex(/^([\w.-]+|\[[\da-f:.]+\])$/, 'must be host names without a port');

const webOrigin = z
  .string()
  .toLowerCase()
  .regex(/^https?:\/\/[^/?#@\s]+$/, 'must be origins such as https://app.example.com');

const personId = z.string().regex(/^[\w-]+$/, 'must be ids of people, or none');

export const httpSettings = {
  http: setting(onOff, {
    help: 'serve hosts by HTTP, at `/mcp`, instead of one on standard input and output',
  }),
  host: setting(z.string().min(1).default('127.0.0.1'), {
    takes: '<address>',
    help: 'the address to listen on; any other than this machine needs a token',
  }),
  port: setting(portNumber.default(3000), {
    takes: '<number>',
    help: 'the port to listen on; 0 means any free port',
  }),
  httpToken: setting(httpToken.exactOptional(), {
    hasFlag: false,
    help: 'the token that hosts have to send; child processes do not inherit it',
    isSecret: true,
  }),
  httpTokenFile: setting(z.string().exactOptional(), {
    takes: '<path>',
    help: 'a file with one token per line, one for each caller; read again when it changes',
  }),
  publicUrl: setting(serviceAddress.exactOptional(), {
    takes: '<url>',
    help: 'the address that hosts use, where the server is behind a proxy',
  }),
  allowedHosts: setting(listOf(hostName), {
    takes: '<list>',
    help: 'more host names that the server may be called by, such as `budget.lan`',
  }),
  allowedOrigins: setting(listOf(webOrigin), {
    takes: '<list>',
    help: 'web origins whose pages may call it; none unless it is set',
  }),
  drainSeconds: setting(wholeNumber.default(0), {
    takes: '<number>',
    help: 'how long the server still answers after the signal to stop, while `/readyz` says that it stops',
  }),
  metricsPort: setting(portNumber.exactOptional(), {
    takes: '<number>',
    help: 'a port for metrics, at `/metrics`, in the format of Prometheus; none unless it is set',
  }),
} as const;

export const hostedSettings = {
  hosted: setting(onOff, {
    help: 'with `--http`: let each person sign in with the budgeting service, and answer about their own budgets',
  }),
  serverKeyFile: setting(z.string().min(1).exactOptional(), {
    takes: '<path>',
    help: 'a file with the key that seals everything stored: 32 random bytes in base64; earlier keys on further lines',
    commands: ['serve', 'forget'],
  }),
  clientSecretFile: setting(z.string().min(1).exactOptional(), {
    takes: '<path>',
    help: "a file with the application's secret, instead of the variable",
  }),
  redisUrl: setting(
    z
      .string()
      .regex(/^rediss?:\/\//, 'must be an address such as redis://host:6379')
      .exactOptional(),
    {
      takes: '<url>',
      help: 'the Redis that the servers of several machines share, such as `redis://host:6379`, or nodes of a cluster with commas between them; a password only in the variable, never in the flag',
      commands: ['serve', 'forget'],
      isSecret: true,
    },
  ),
  redisUrlFile: setting(z.string().min(1).exactOptional(), {
    takes: '<path>',
    help: 'a file with the address of the Redis, instead of the variable',
    commands: ['serve', 'forget'],
  }),
  redisReplicas: setting(wholeNumber.default(0), {
    takes: '<number>',
    help: 'how many replicas of Redis must have the note about a write before it is sent',
  }),
  workers: setting(wholeNumber.default(1), {
    takes: '<number>',
    help: 'with `--hosted`: how many processes answer on the one address, such as one for each processor',
  }),
  noRegistration: setting(onOff, {
    help: 'accept only clients that have a metadata document, and none that register themselves',
  }),
  allowPeople: setting(listOf(personId), {
    takes: '<list>',
    help: 'ids of people at the budgeting service: only they may sign in. A sign-in that is refused shows its id. Everyone may sign in unless it is set',
  }),
} as const;
