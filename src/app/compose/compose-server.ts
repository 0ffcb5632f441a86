/**
 * The part of the composition that needs schemas, tools and the client. `compose.ts` loads this file with `import()`,
 * because the first requests of a host are answered without it.
 */
import { type Credential, rejectTokens, type TokenProvider } from '../../auth/token-provider.ts';
import { ageOf, type Clock, type Moment, momentOf } from '../../base/clock.ts';
import type { Logger } from '../../base/log.ts';
import { CallMeter, type Metrics } from '../../base/metrics.ts';
import type { BudgetServer, ServerInfo } from '../../mcp/budget-server.ts';
import { completeServer, createServer, createSharedState } from '../../mcp/server.ts';
import type { SignInOffer } from '../../mcp/sign-in-offer.ts';
import type { Webhooks } from '../../mcp/watch-deliveries.ts';
import { Watcher } from '../../mcp/watcher.ts';
import { BudgetClient } from '../../session/budget-client.ts';
import type { WriteRecord } from '../../session/call-writes.ts';
import type { HttpSender } from '../../session/http/http-sender.ts';
import { RateBudget } from '../../session/rate-budget/rate-budget.ts';
import type { TakeRoom } from '../../session/uploaded-statements.ts';
import type { Watch } from '../../session/watches.ts';
import { SharedStores, type Sharing } from '../../store/shared-stores.ts';
import type { StateOwner } from '../../store/state-directory.ts';
import type { Config } from '../config/load-config.ts';
import { statementFilesIn } from './statement-folder.ts';

export type Composition = ReturnType<typeof composeServer>;

export interface CallerAccess {
  isToken(token: string): boolean;
  /** The caller of the current request. Undefined outside of a request. */
  current(): { readonly id: string; readonly label: string } | undefined;
  /** The ids of all callers that the settings name. Missing if they do not name them. */
  readonly named?: () => readonly string[];
}

/** The parts that requests to the service need. */
export interface ServiceAccess {
  readonly tokens: TokenProvider;
  readonly sender: HttpSender;
  /** The key that seals the shared state of a sign-in. */
  readonly readKey: (credential: Credential) => Promise<Uint8Array>;
  readonly sharing: Sharing;
  readonly signInPages?: SignInOffer['pages'];
  close(): Promise<void>;
}

export interface ComposeOptions {
  readonly config: Config;
  readonly info: ServerInfo;
  readonly clock: Clock;
  readonly log: Logger;
  readonly access: ServiceAccess;
  readonly callers?: CallerAccess | undefined;
  /**
   * The state in which servers on several machines find the questions to users that another one has asked. Without it they
   * are kept in memory.
   */
  readonly machines?: { readonly owner: StateOwner; readonly key: Uint8Array };
  /** Posts what is found. Without it, clients have to ask for it. */
  readonly webhooks?: Webhooks | undefined;
  /** The owner of all watches. By default each caller has its own. */
  readonly principal?: string;
  readonly onWatches?: (watches: readonly Watch[]) => Promise<void>;
  readonly countElsewhere?: () => Promise<number>;
  readonly takeRoom?: TakeRoom;
  readonly onWrite?: (write: WriteRecord) => void;
  readonly metrics?: Metrics | undefined;
}

/** After an hour all requests are free again. */
const HOUR_MS = 3_600_000;

export function composeServer(options: ComposeOptions) {
  const { config, info, clock, log, access, callers, machines, metrics } = options;
  const { tokens, sender, readKey, sharing, signInPages } = access;
  const stores = new SharedStores({ sharing, clock, warn: (message) => log.warn({}, message) });
  const { statements } = config;
  const meter = metrics && new CallMeter(metrics, clock);
  let lastLeft: { readonly requests: number; readonly at: Moment } | undefined;
  const client = new BudgetClient({
    tokens: callers ? rejectTokens(tokens, callers.isToken) : tokens,
    sender,
    clock,
    ...(config.budget !== undefined && { budget: config.budget }),
    timeZone: config.timeZone,
    statementFiles: statements === undefined ? undefined : () => statementFilesIn(statements),
    readOnly: config.readOnly,
    rateBudget: (store) =>
      new RateBudget({
        clock,
        store,
        reserve: config.reserve,
        caller: callers && (() => callers.current()?.id),
        expectedCallers: callers?.named,
      }),
    cacheBytes: config.cacheMb * 2 ** 20,
    // The service of the demo is in this process, so that there are no others.
    ...(!config.demo && { store: (credential) => stores.open(credential, () => readKey(credential)) }),
    onSignedIn: () => watcher.start(),
    onWatchEnded: (watches) => watcher.changed(watches),
    takeRoom: options.takeRoom,
    isOneServer: machines !== undefined,
    stateStatus: (credential) => stores.statusOf(credential),
    onRequest(exchange) {
      log.debug(exchange, 'request to the service');
      metrics?.serviceRequest(exchange);
      meter?.countRequest();
      if (exchange.left !== undefined) lastLeft = { requests: exchange.left, at: momentOf(clock) };
    },
    onWrite(write) {
      log.info({ caller: callers?.current()?.label, ...write }, 'write');
      options.onWrite?.(write);
    },
  });
  const { webhooks, principal, onWatches, countElsewhere } = options;
  const watcher: Watcher = new Watcher({ client, clock, log, webhooks, onWatches, countElsewhere });
  const { confirm, structured, toolsets } = config;
  const openStore = machines && (() => stores.open(machines.owner, async () => machines.key));
  const deps = {
    ...info,
    client,
    clock,
    log,
    confirm,
    structured,
    toolsets,
    openStore,
    // Callers by HTTP may be on other machines.
    signInPages: callers ? undefined : signInPages,
    measureCall: meter?.measure,
    watcher,
    principal,
    namedCallers: callers?.named,
  };
  const unwatch = metrics?.watch(() => ({
    cachedBytes: client.cachedBytes,
    requestsLeft: lastLeft && ageOf(clock, lastLeft.at) < HOUR_MS ? lastLeft.requests : undefined,
  }));
  const shared = createSharedState(deps);
  return {
    /** Shared by all servers. */
    subscriptions: shared.subscriptions,
    /** `caller` is the one that the server is for, if there are several callers. */
    createServer: (caller?: string) => createServer(deps, shared, caller),
    /** Adds the handlers of all requests to a server that has answered the first requests. */
    completeServer: (server: BudgetServer) => completeServer(server, deps, shared),
    /** Calls `listener` whenever the list of tools and prompts has changed, until the app is closed. */
    onToolListChanged: (listener: () => void) => client.onAvailabilityChanged(listener),
    get cachedBytes() {
      return client.cachedBytes;
    },
    /** Removes cached budgets from memory. The next call finds them in the shared state, or loads them again. */
    freeMemory: () => client.freeMemory(),
    runWatches: () => watcher.run(),
    async close(): Promise<void> {
      unwatch?.();
      await watcher.close();
      client.close();
      // A write in progress is completed, so that its outcome is known.
      await client.writesSettled();
      // After the last request, because an answer may change what is shared.
      await access.close();
      await stores.close();
    },
  };
}
