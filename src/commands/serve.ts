/** `budget-mcp serve`: the MCP server, for one host on stdio or for any number of them by HTTP. */
import { once } from 'node:events';
import { compose, type ServerEnvironment } from '../compose.ts';
import type { Config } from '../config/load-config.ts';
import { systemClock } from '../platform/clock.ts';
import { createLog } from '../platform/log.ts';
import { serveStdio } from '../transports/stdio.ts';

export async function runServe(config: Config, program: URL, signal: AbortSignal): Promise<void> {
  const log = createLog(config.logLevel);
  const surroundings = { clock: systemClock, log, program };
  if (config.http) return serveByHttp(config, surroundings, signal);
  const app = await compose(config, surroundings);
  try {
    await serveStdio(app.createServer, {
      clock: systemClock,
      signal,
      onError: (error) => log.warn({ error: briefly(error) }, 'transport error'),
      subscriptions: app.subscriptions,
    });
  } finally {
    await app.close();
  }
}

async function serveByHttp(
  config: Config,
  surroundings: ServerEnvironment,
  signal: AbortSignal,
): Promise<void> {
  const [{ serveHttp, GRACE_MS }, { createAccess, describeTrust }, { currentCaller }, { loadHttpTokens }] =
    await Promise.all([
      import('../transports/http.ts'),
      import('../transports/http/access.ts'),
      import('../transports/http/current-caller.ts'),
      import('./http-tokens.ts'),
    ]);
  const { log } = surroundings;
  const { host, port } = config;
  const tokens = await loadHttpTokens(config, log);
  const access = createAccess({ ...config, tokens });
  const { createServer, subscriptions, onToolListChanged, close } = await compose(config, surroundings, {
    isToken: (token) => tokens?.known.includes(token) ?? false,
    current: currentCaller,
  });
  const limits: Promise<void>[] = [];
  try {
    const serving = await serveHttp({
      host,
      port,
      createServer,
      subscriptions,
      onToolListChanged: onToolListChanged,
      access,
      clock: systemClock,
      // Whoever can reach the server could fill the log otherwise.
      onError: (error) => log.info({ error: briefly(error) }, 'transport error'),
      onBug: (error) => log.error({ err: error }, 'internal error'),
    });
    const lines = [`budget-mcp listens on ${serving.url}`, ...describeTrust(config, access)];
    process.stderr.write(lines.map((line) => `${line}\n`).join(''));
    if (!signal.aborted) await once(signal, 'abort');
    // All in all, whatever of it the hosts take.
    limits.push(systemClock.sleep(GRACE_MS));
    await serving.close();
  } finally {
    await Promise.race([close(), ...limits]);
  }
}

/** What a host has done wrong may be as long as the host likes, and nobody may be reading. */
const briefly = (error: Error) => `${error.name}: ${error.message}`.slice(0, 200);
