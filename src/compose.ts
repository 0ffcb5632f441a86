/** The composition root: a `Config` to parts that are wired together. Nothing else chooses an implementation. */
import packageJson from '../package.json' with { type: 'json' };
import { fixedCredential } from './auth/token-provider.ts';
import { BudgetClient } from './client/budget-client.ts';
import { HttpSender } from './client/http-sender.ts';
import { RollingRateBudget } from './client/rate-budget.ts';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import type { Logger } from './log.ts';
import { createServer } from './mcp/server.ts';
import { startService } from './service/server.ts';

const DEMO_NOTICE = 'This is demo data: an invented household, not the budget of the user.';

export interface App {
  createServer(): ReturnType<typeof createServer>;
  close(): Promise<void>;
}

export async function compose(config: Config, { clock, log }: { clock: Clock; log: Logger }): Promise<App> {
  const reportError = (err: unknown) => log.error({ err }, 'internal error of the embedded service');
  const service = config.demo ? await startService({ clock, reportError }) : undefined;
  const credential = service ? { baseUrl: service.baseUrl, token: service.accessToken } : config;
  const sender = new HttpSender({ clock, proxy: config.proxy });
  const client = new BudgetClient({
    tokens: fixedCredential(credential),
    sender,
    clock,
    ...(config.budget !== undefined && { budget: config.budget }),
    readOnly: config.readOnly,
    rateBudget: () => new RollingRateBudget({ clock, reserve: config.reserve }),
    cacheBytes: config.cacheMb * 2 ** 20,
  });
  return {
    createServer: () =>
      createServer({
        client,
        clock,
        log,
        version: packageJson.version,
        confirm: config.confirm,
        toolsets: config.toolsets,
        ...(config.demo && { notice: DEMO_NOTICE }),
      }),
    async close() {
      // A write that is under way is seen through, so that nobody has to wonder about it.
      await client.settled();
      await sender.close();
      await service?.close();
    },
  };
}
