/**
 * The log: structured lines on stderr, since stdout belongs to the protocol. At the default level it holds no amount,
 * no payee and nothing that a user typed; at no level a token.
 */
import { destination, type Logger, pino, stdTimeFunctions } from 'pino';

export type { Logger };

export const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof logLevels)[number];

const SECRETS = ['authorization', 'access_token', 'token', 'refresh_token', 'client_secret'];

export function createLog(level: LogLevel): Logger {
  return pino(
    {
      level,
      base: null,
      // As deep as an error that carries its request with headers.
      redact: SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`, `*.*.*.${name}`]),
      timestamp: stdTimeFunctions.isoTime,
    },
    destination({ dest: 2, sync: true }),
  );
}
