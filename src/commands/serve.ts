/** `budget-mcp serve`: the MCP server on stdio. */
import { systemClock } from '../clock.ts';
import { compose } from '../compose.ts';
import type { Config } from '../config.ts';
import { createLog } from '../log.ts';
import { serveStdio } from '../transports/stdio.ts';

export async function runServe(config: Config, program: URL, signal: AbortSignal): Promise<void> {
  const log = createLog(config.logLevel);
  const app = await compose(config, { clock: systemClock, log, program });
  try {
    await serveStdio(app.createServer, {
      signal,
      onError: (error) => log.warn({ err: error }, 'transport error'),
    });
  } finally {
    await app.close();
  }
}
