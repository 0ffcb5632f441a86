/** `budget-mcp serve`: the MCP server, for one host on stdio or for any number of them by HTTP. */
import { once } from 'node:events';
import { systemClock } from '../clock.ts';
import { type App, compose } from '../compose.ts';
import type { Config } from '../config.ts';
import { createLog, type Logger } from '../log.ts';
import { serveStdio } from '../transports/stdio.ts';

export async function runServe(config: Config, program: URL, signal: AbortSignal): Promise<void> {
  const log = createLog(config.logLevel);
  const app = await compose(config, { clock: systemClock, log, program });
  try {
    if (config.http) await serveByHttp(config, app, log, signal);
    else
      await serveStdio(app.createServer, {
        clock: systemClock,
        signal,
        onError: (error) => log.warn({ err: error }, 'transport error'),
        subscriptions: app.subscriptions,
      });
  } finally {
    await app.close();
  }
}

async function serveByHttp(config: Config, app: App, log: Logger, signal: AbortSignal): Promise<void> {
  const [{ serveHttp }, { accessOf }, { httpTokens }] = await Promise.all([
    import('../transports/http.ts'),
    import('../transports/http/access.ts'),
    import('./http-callers.ts'),
  ]);
  const { host, port } = config;
  const { createServer, subscriptions } = app;
  const serving = await serveHttp({
    host,
    port,
    createServer,
    subscriptions,
    access: accessOf({ ...config, tokens: await httpTokens(config) }),
    clock: systemClock,
    // Whoever can reach the server could fill the log otherwise.
    onError: (error) => log.info({ err: error }, 'transport error'),
  });
  process.stderr.write(`budget-mcp listens on ${serving.url}\n`);
  if (!signal.aborted) await once(signal, 'abort');
  await serving.close();
}
