/**
 * The log: structured lines on stderr, since stdout belongs to the protocol. At the default level it holds no amount,
 * no payee and nothing that a user typed; at no level a token.
 */
import type { Logger as Lines } from 'pino';

export const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof logLevels)[number];

type Say = (details: object, message: string) => void;

export interface Logger extends Readonly<Record<Exclude<LogLevel, 'silent'>, Say>> {
  /** Settles once everything said so far is written; to be awaited before the process ends. */
  written(): Promise<void>;
}

/** In the spelling of the wire and in ours. Not `code`: a grant has one, but so has every error. */
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

export function createLog(level: LogLevel): Logger {
  // Since the first line: most runs log nothing, and every start would pay for it.
  let lines: Promise<Lines> | undefined;
  let written = Promise.resolve();
  const at = (name: Exclude<LogLevel, 'silent'>): Say => {
    if (logLevels.indexOf(name) > logLevels.indexOf(level)) return () => {};
    return (details, message) => {
      lines ??= createLines(level);
      written = lines
        .then((each) => each[name](details, message))
        // The files of this program are others now, or the disk is full.
        .catch((error: unknown) => void process.stderr.write(`budget-mcp: ${message} (no log: ${error})\n`));
    };
  };
  return {
    error: at('error'),
    warn: at('warn'),
    info: at('info'),
    debug: at('debug'),
    written: () => written,
  };
}

async function createLines(level: LogLevel): Promise<Lines> {
  // All that a bundle has of a CommonJS module.
  const { default: pino } = await import('pino');
  return pino(
    {
      level,
      base: null,
      // As deep as an error that carries its request with headers.
      redact: SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`, `*.*.*.${name}`]),
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    pino.destination({ dest: 2, sync: true }),
  );
}
