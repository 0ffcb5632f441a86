/**
 * The composition root: creates and connects the parts of a server from a `Config`. Only this folder chooses implementations:
 * `sign-in.ts` where tokens come from, `places.ts` where something is kept. It knows the parts that exist once: one client for
 * each credential, because the limits of the service are per token, and the state that all servers share. It does not know
 * the command line or the transports; the commands do.
 */
import { readFile } from 'node:fs/promises';
import packageJson from '../../../package.json' with { type: 'json' };
import { fixedTokenProvider } from '../../auth/token-provider.ts';
import { errorOfImport } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import type { Metrics } from '../../base/metrics.ts';
import type { BudgetServer, ServerInfo } from '../../mcp/budget-server.ts';
import { createFirstServer, firstMethods } from '../../mcp/first-server.ts';
import { HttpSender } from '../../session/http/http-sender.ts';
import type { Config } from '../config/load-config.ts';
import type { CallerAccess, Composition, ServiceAccess } from './compose-server.ts';
import { type Environment, sharingOf } from './places.ts';
import { createTokenSource, ofProvidedToken } from './sign-in.ts';

const DEMO_NOTICE = 'This is demo data: an invented household, not the budget of the user.';

export interface ServerEnvironment extends Environment {
  readonly log: Logger;
  readonly metrics?: Metrics | undefined;
}

/** Composes the whole program at once. `callers` are given if there are several. */
export async function compose(
  config: Config,
  environment: ServerEnvironment,
  callers?: CallerAccess,
): Promise<Composition> {
  return load(config, environment, await openService(config, environment), callers);
}

/** For a host that starts this program: most hosts ask for the tools then, and need the rest later or never. */
export async function composeStart(config: Config, environment: ServerEnvironment) {
  const access = await openService(config, environment);
  const firstServers: BudgetServer[] = [];
  let composition: Composition | undefined;
  let loading: Promise<Composition> | undefined;
  const loadOnce = () => {
    loading ??= load(config, environment, access).then(
      (loaded) => {
        for (const server of firstServers) loaded.completeServer(server);
        composition = loaded;
        return loaded;
      },
      (error: unknown) => {
        // The next request tries again.
        loading = undefined;
        throw errorOfImport(error);
      },
    );
    return loading;
  };
  // If it fails, the next request that needs it reports the error.
  const loadInBackground = () => void loadOnce().catch(() => {});
  return {
    firstMethods: firstMethods(config),
    /** Answers the requests in `firstMethods` until everything is loaded, and all requests from then on. */
    createServer() {
      if (composition) return composition.createServer();
      const server = createFirstServer({
        ...config,
        ...infoOf(config, environment),
        onListed: loadInBackground,
      });
      firstServers.push(server);
      return server;
    },
    /** Loads what all other requests need: tools, schemas and client. Rejects with `program_replaced` if it cannot. */
    load: loadOnce,
    async close() {
      const loaded = await loading?.catch(() => undefined);
      await (loaded ?? access).close();
    },
  };
}

async function load(
  config: Config,
  environment: ServerEnvironment,
  access: ServiceAccess,
  callers?: CallerAccess,
): Promise<Composition> {
  const [{ composeServer }, { createWebhooks }] = await Promise.all([
    import('./compose-server.ts'),
    import('../../hosting/webhooks.ts'),
  ]);
  const { clock, log, metrics } = environment;
  const webhooks = createWebhooks({ clock, allowsAll: config.allowCallbacks })('');
  const info = infoOf(config, environment);
  return composeServer({ config, info, clock, log, access, callers, metrics, webhooks });
}

export const infoOf = ({ demo, statements }: Config, { program }: Environment): ServerInfo => ({
  version: packageJson.version,
  readView: (view) => readFile(new URL(`views/${view}.html`, program), 'utf8'),
  hasEvents: true,
  ...(demo && { notice: DEMO_NOTICE }),
  hasStatements: statements !== undefined,
});

/** Throws for settings that cannot be used, such as a token file that cannot be read. */
async function openService(config: Config, environment: ServerEnvironment): Promise<ServiceAccess> {
  const { clock, log } = environment;
  const { proxy, checksCertificates } = config;
  const service = config.demo ? await startDemo(environment) : undefined;
  const sender = new HttpSender({ clock, proxy, checksCertificates });
  const warn = (message: string) => log.warn({}, message);
  const sharing = sharingOf(config);
  const source = service
    ? ofProvidedToken(fixedTokenProvider({ baseUrl: service.baseUrl, token: service.accessToken }))
    : await createTokenSource(config, sender, environment, warn, 'sqlite' in sharing);
  return {
    ...source,
    sender,
    sharing,
    async close() {
      await source.signInPages?.close();
      await sender.close();
      await service?.close();
      await log.written();
    },
  };
}

/** The embedded service. `redirectUris` are those of its OAuth application. */
export async function startDemo({ clock, log }: ServerEnvironment, redirectUris: readonly string[] = []) {
  const { startService } = await import('../../service/server.ts');
  return startService({
    clock,
    redirectUris,
    reportError: (err) => log.error({ err }, 'internal error of the embedded service'),
  });
}
