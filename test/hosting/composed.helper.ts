/** The hosted server as the program composes it, in this process, beside a real budgeting service. */
import { expect, onTestFinished } from 'vitest';
import { composeHosted } from '../../src/app/compose/compose-hosted.ts';
import type { HostedStorage } from '../../src/app/compose/hosted-storage.ts';
import { type Flags, loadConfig } from '../../src/app/config/load-config.ts';
import type { Metrics } from '../../src/base/metrics.ts';
import { startService } from '../../src/service/server.ts';
import { HttpSender } from '../../src/session/http/http-sender.ts';
import { MemoryStore, SharedMemory } from '../../src/store/memory-store.ts';
import type { SharedStore } from '../../src/store/shared-store.ts';
import type { Sharing } from '../../src/store/shared-stores.ts';
import { createAccess } from '../../src/transports/http/access.ts';
import type { EndedRequest } from '../../src/transports/http/observed-request.ts';
import { serveHttp } from '../../src/transports/http.ts';
import { unusedUrl } from '../local-server.helper.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { Account } from '../programs/hosted-program.helper.ts';
import { Browser } from './browser.helper.ts';
import { signInUpstream } from './hosting.helper.ts';

export interface ComposedOptions {
  readonly sharing?: Sharing;
  /** By default it is in memory. */
  readonly storage?: HostedStorage;
  readonly memory?: SharedMemory;
  readonly clock?: ManualClock;
  readonly metrics?: Metrics;
  /** By default the address at which the server listens. */
  readonly issuer?: string;
  /** Further settings. */
  readonly flags?: Flags;
  /** Replaces the common store by one that does the same in another way. */
  readonly wrapStore?: (store: SharedStore) => SharedStore;
  /** Another address of the budgeting service, such as that of a proxy. */
  readonly reachAt?: (baseUrl: string) => Promise<string>;
}

const PROTOCOL_VERSION = 'io.modelcontextprotocol/protocolVersion';

/** What each request of the newer era says about its client. */
const MODERN = {
  [PROTOCOL_VERSION]: '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

export async function startComposed(options: ComposedOptions = {}) {
  // oidc-provider looks at the clock of the machine, too.
  const {
    clock = new ManualClock(Date.now()),
    memory = new SharedMemory(),
    wrapStore = (store) => store,
    metrics,
    reachAt = async (baseUrl) => baseUrl,
  } = options;
  const service = await startService({ clock, rateLimit: 100_000, transactions: 200 });
  onTestFinished(() => service.close());
  const url = await unusedUrl();
  const { issuer = url } = options;
  const { port, hostname: host } = new URL(url);
  const registered = service.oauth.applications.register(service.user, {
    name: 'Budget MCP hosted',
    redirectUris: [`${issuer}/oauth/callback`, `${issuer}/account/callback`],
  });
  registered.application.restricted = false;
  const { appUrl } = service;
  const baseUrl = await reachAt(service.baseUrl);
  const { clientId, clientSecret } = registered;
  const application = { baseUrl, appUrl, clientId, clientSecret };
  const sender = new HttpSender({ clock });
  onTestFinished(() => sender.close());
  const logged: string[] = [];
  const log = (level: string) => (details: object, message: string) =>
    logged.push(`${level} ${message} ${JSON.stringify(details)} ${'err' in details ? details.err : ''}`);
  const onBug = (error: Error) => logged.push(`error bug ${error.stack}`);
  const ended: EndedRequest[] = [];
  const onRequest = (request: EndedRequest) => {
    ended.push(request);
    metrics?.httpRequest(request);
  };
  const start = async (flags: Flags = {}) => {
    const { entry, close } = await composeHosted({
      config: loadConfig({ hosted: true, http: true, structured: false, ...flags }, {}),
      info: { version: '0.0.0', readView: async () => '' },
      clock,
      log: {
        error: log('error'),
        warn: log('warn'),
        info: log('info'),
        debug: log('debug'),
        written: async () => {},
      },
      sender,
      issuer,
      access: createAccess({ host, tokens: { current: async () => [] } }),
      application,
      store: wrapStore(new MemoryStore(clock, memory)),
      metrics,
      sharing: options.sharing ?? { reason: 'Only in this test.' },
      rootKey: new Uint8Array(32).fill(7),
      ...options.storage,
    });
    const server = await serveHttp({ host, port: Number(port), entry, clock, onBug, onRequest });
    metrics?.watch(() => server);
    return {
      url: server.url,
      isReady: () => entry.isReady(),
      async stop() {
        await server.close();
        await close();
      },
    };
  };
  let running = await start(options.flags);
  onTestFinished(() => running.stop());

  const post = (token: string, message: object, headers: Record<string, string> = {}, signal?: AbortSignal) =>
    fetch(running.url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
      ...(signal && { signal }),
    });
  /** One message of the newer era, or with a session of the older one. */
  const send = async (token: string, message: object, headers?: Record<string, string>) => {
    const response = await post(token, message, headers);
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const modern = (method: string, params: object) => ({
    message: { method, params: { ...params, _meta: MODERN } },
    headers: { 'mcp-protocol-version': MODERN[PROTOCOL_VERSION], 'mcp-method': method },
  });
  const call = (token: string, name: string, args: object = {}) => {
    const { message, headers } = modern('tools/call', { name, arguments: args });
    return send(token, message, { ...headers, 'mcp-name': name });
  };
  /** Another request of the newer era. */
  const ask = (token: string, method: string, params: object) => {
    const { message, headers } = modern(method, params);
    return send(token, message, headers);
  };
  /** Waits for changes of the resources until `signal` is aborted. */
  const listen = (token: string, resourceSubscriptions: readonly string[], signal: AbortSignal) => {
    const { message, headers } = modern('subscriptions/listen', { notifications: { resourceSubscriptions } });
    return post(token, message, headers, signal);
  };
  /** Opens the account page of the person of the service. */
  const account = async (browser = new Browser([issuer, appUrl])): Promise<Account> => {
    const first = await browser.open(`${issuer}/account/sign-in`, { method: 'POST' });
    const person = service.signIn;
    return new Account(browser, await signInUpstream(first, browser, { person, upstream: 'allow' }));
  };
  return {
    url,
    issuer,
    account,
    port: Number(port),
    resource: `${issuer}/mcp`,
    browser: () => new Browser([issuer, appUrl]),
    service,
    application,
    clock,
    memory,
    logged,
    /** The requests that have ended. */
    ended,
    send,
    call,
    ask,
    listen,
    isReady: () => running.isReady(),
    /** Starts it again with the same store and other settings. */
    async restart(flags: Flags) {
      await running.stop();
      // Until `fetch` has noticed that its open connections are closed.
      await expect
        .poll(() => fetch(url).catch(({ cause }: Error) => cause))
        .toMatchObject({ code: 'ECONNREFUSED' });
      running = await start(flags);
    },
  };
}
