/**
 * `budget-mcp service`: the embedded budgeting service alone, for whoever wants to point a client at it. It knows how
 * to start and end the service, and must not know how arguments are parsed or how a process ends.
 */
import { once } from 'node:events';
import { z } from 'zod';
import { systemClock } from '../clock.ts';
import { startService } from '../service/server.ts';

export interface ServiceCommandOptions {
  /** 0, the default, takes any free port. */
  port?: number;
  /** How many transactions the first demo budget holds; see `ServiceOptions`. */
  transactions?: number;
  /** Requests per token in a rolling hour. */
  rateLimit?: number;
  /** The access token to accept; a random one by default. */
  token?: string;
}

/**
 * Runs the service on 127.0.0.1 until `io.signal` is aborted. When it listens, one line of JSON on `io.stdout` says
 * where: `{"base_url": …, "app_url": …, "access_token": …}`.
 * @throws Error with a message for the person who typed the command, when an option is out of range or the port taken
 */
export async function runService(
  options: ServiceCommandOptions,
  io: { stdout: NodeJS.WritableStream; signal: AbortSignal },
): Promise<void> {
  const { token, ...settings } = optionsInRange(options);
  const service = await startService({
    clock: systemClock,
    ...settings,
    ...(token === undefined ? {} : { accessToken: token }),
  }).catch((error: unknown) => {
    throw isPortTaken(error) ? new Error(`Port ${settings.port} is already in use on 127.0.0.1.`) : error;
  });

  const { baseUrl, appUrl, accessToken } = service;
  io.stdout.write(`${JSON.stringify({ base_url: baseUrl, app_url: appUrl, access_token: accessToken })}\n`);
  if (!io.signal.aborted) await once(io.signal, 'abort');
  await service.close();
}

const wholeNumber = (option: string, min: number, max = Number.MAX_SAFE_INTEGER) => {
  const range = max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `from ${min} to ${max}`;
  const message = `${option} must be a whole number, ${range}.`;
  return z.int(message).min(min, message).max(max, message).exactOptional();
};

const range = z.object({
  port: wholeNumber('--port', 0, 65_535),
  transactions: wholeNumber('--transactions', 0),
  rateLimit: wholeNumber('--rate-limit', 1),
  token: z.string().exactOptional(),
});

function optionsInRange(options: ServiceCommandOptions): ServiceCommandOptions {
  const result = range.safeParse(options);
  if (result.success) return result.data;
  throw new Error(result.error.issues.map(({ message }) => message).join(' '));
}

function isPortTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}
