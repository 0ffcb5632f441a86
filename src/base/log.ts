/**
 * The log: structured lines on stderr, because stdout is for the protocol. At the default level it contains no amount, no
 * payee and nothing that a user typed. At no level it contains a token.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Logger as PinoLogger } from 'pino';

export const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof logLevels)[number];

type LogMethod = (details: object, message: string) => void;

export interface Logger extends Readonly<Record<Exclude<LogLevel, 'silent'>, LogMethod>> {
  /** Resolves when everything logged so far is written. Await it before the process ends. */
  written(): Promise<void>;
}

/** Names of secret fields, in the spelling of the protocol and in ours. Not `code`, because every error has one too. */
const SECRETS = [
  'authorization',
  'token',
  'access_token',
  'accessToken',
  'refresh_token',
  'refreshToken',
  'client_secret',
  'clientSecret',
  'password',
];

const fields = new AsyncLocalStorage<object>();

/** Adds fields to every line that `work` logs, or anything that it has begun. */
export const withLogFields = <Result>(added: object, work: () => Result): Result => fields.run(added, work);

export function createLog(level: LogLevel): Logger {
  // Created with the first line: most runs log nothing, and loading pino would slow down every start.
  let logger: Promise<PinoLogger> | undefined;
  let written = Promise.resolve();
  const methodFor = (name: Exclude<LogLevel, 'silent'>): LogMethod => {
    if (logLevels.indexOf(name) > logLevels.indexOf(level)) return () => {};
    return (details, message) => {
      const line = { ...fields.getStore(), ...details };
      logger ??= createPino(level);
      written = logger
        .then((each) => each[name](line, message))
        // The files of this program were replaced, or the disk is full.
        .catch((error: unknown) => void process.stderr.write(`budget-mcp: ${message} (no log: ${error})\n`));
    };
  };
  return {
    error: methodFor('error'),
    warn: methodFor('warn'),
    info: methodFor('info'),
    debug: methodFor('debug'),
    written: () => written,
  };
}

async function createPino(level: LogLevel): Promise<PinoLogger> {
  // esbuild exposes only `default` for bundled CommonJS modules.
  const { default: pino } = await import('pino');
  return pino(
    {
      level,
      base: null,
      // Deep enough for an error that contains its request with headers.
      redact: SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`, `*.*.*.${name}`]),
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    pino.destination({ dest: 2, sync: true }),
  );
}
