/** The authorization server beside a real budgeting service, with an MCP endpoint that asks it about tokens. */
import { createServer } from 'node:http';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { Hono } from 'hono';
import { onTestFinished } from 'vitest';
import { OAuth } from '../../src/auth/oauth.ts';
import type { Clock } from '../../src/base/clock.ts';
import {
  type Authorization,
  type AuthorizationOptions,
  createAuthorization,
} from '../../src/hosting/authorization.ts';
import type { FetchDocument } from '../../src/hosting/public-fetch.ts';
import { createUpstream } from '../../src/hosting/upstream.ts';
import { demoBudgets } from '../../src/service/demo-data.ts';
import { type Service, startService } from '../../src/service/server.ts';
import { type HttpRequest, HttpSender } from '../../src/session/http/http-sender.ts';
import { MemoryStore, SharedMemory } from '../../src/store/memory-store.ts';
import type { SharedStore } from '../../src/store/shared-store.ts';
import { listenLocally } from '../local-server.helper.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { Browser, type View } from './browser.helper.ts';

export interface SignIn {
  readonly email: string;
  readonly password: string;
}

export interface Hosting {
  /** Where the server listens. */
  readonly url: string;
  readonly issuer: string;
  readonly resource: string;
  readonly authorization: Authorization;
  readonly clock: ManualClock;
  readonly service: Service;
  readonly memory: SharedMemory;
  readonly serverKey: Uint8Array;
  readonly bugs: Error[];
  /** What was sent to the budgeting service, as JSON. */
  readonly sentUpstream: string[];
  /** Another process with the same store. */
  otherProcess(
    options?: Partial<AuthorizationOptions>,
    onRevoked?: (grantId: string) => void,
  ): Promise<Authorization>;
  /** Another person with budgets at the budgeting service. */
  addPerson(email: string): SignIn;
  browser(): Browser;
}

/** What a client and a person need of a server. */
export type Reachable = Pick<Hosting, 'url' | 'issuer' | 'resource' | 'service' | 'browser'>;

export interface HostingOptions {
  /** By default the address at which the server listens. */
  readonly issuer?: string;
  /** By default the processes share a store in memory. */
  readonly openStore?: (clock: Clock) => Promise<SharedStore>;
  readonly dynamicRegistration?: boolean;
  readonly allowedUsers?: readonly string[];
  readonly fetchDocument?: FetchDocument;
}

export async function startHosting({ openStore, ...options }: HostingOptions = {}): Promise<Hosting> {
  // oidc-provider looks at the clock of the machine, too.
  const clock = new ManualClock(Date.now());
  const service = await startService({ clock, rateLimit: 100_000, transactions: 200 });
  onTestFinished(() => service.close());
  const app = new Hono<{ Bindings: HttpBindings }>();
  const url = await serve(app);
  const { issuer = url } = options;
  const resource = `${issuer}/mcp`;
  const registered = service.oauth.applications.register(service.user, {
    name: 'Budget MCP hosted',
    redirectUris: [`${issuer}/oauth/callback`],
  });
  registered.application.restricted = false;
  const sender = new HttpSender({ clock });
  onTestFinished(() => sender.close());
  const memory = new SharedMemory();
  const serverKey = new Uint8Array(32).fill(7);
  const bugs: Error[] = [];
  const { baseUrl, appUrl } = service;
  const { clientId, clientSecret } = registered;

  const sentUpstream: string[] = [];
  const send = (request: HttpRequest, signal?: AbortSignal) => {
    sentUpstream.push(JSON.stringify(request));
    return sender.send(request, signal);
  };

  const start: Hosting['otherProcess'] = async (overrides = {}, onRevoked = () => {}) => {
    const authorization = await createAuthorization({
      issuer,
      resource,
      store: openStore ? await openStore(clock) : new MemoryStore(clock, memory),
      serverKey,
      clock,
      upstream: createUpstream({
        oauth: new OAuth({ send, clock }),
        send,
        baseUrl,
        appUrl,
        clientId,
        clientSecret,
      }),
      dynamicRegistration: true,
      onBug: (error) => bugs.push(error),
      ...options,
      ...overrides,
    });
    onTestFinished(() => authorization.close());
    authorization.grants.onEnded(onRevoked);
    await authorization.start();
    return authorization;
  };

  const authorization = await start();
  app.all('/mcp', (c) => answerMcp(c.req.raw, authorization, issuer));
  app.route('/', authorization.routes);

  return {
    url,
    issuer,
    resource,
    authorization,
    clock,
    service,
    memory,
    serverKey,
    bugs,
    sentUpstream,
    otherProcess: start,
    addPerson: (email) => {
      const budgets = demoBudgets({ now: clock.now(), seed: 2, transactions: 200 });
      const person = { email, password: 'correct horse battery' };
      service.access.addUser(budgets, person);
      return person;
    },
    browser: () => new Browser([issuer, appUrl]),
  };
}

/** Returns the URL. */
export async function serve(routes: Authorization['routes']): Promise<string> {
  return (await listenLocally(createServer(getRequestListener(routes.fetch)))).url;
}

/** An MCP server with one tool, which says what the token allows. */
async function answerMcp(request: Request, authorization: Authorization, issuer: string): Promise<Response> {
  const token = request.headers.get('authorization')?.replace(/^Bearer /, '');
  const verified = token === undefined ? undefined : await authorization.verify(token);
  if (!verified) {
    const challenge = `Bearer resource_metadata="${issuer}/.well-known/oauth-protected-resource/mcp", scope="budget:read budget:write"`;
    return new Response(null, { status: 401, headers: { 'www-authenticate': challenge } });
  }
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'test', version: '1' });
    server.registerTool('scopes', { description: 'What the token allows' }, async () => ({
      content: [{ type: 'text', text: [...verified.scopes].join(' ') }],
    }));
    return server;
  });
  return handler.fetch(request);
}

export const isValid = async ({ authorization }: Hosting, token: string): Promise<boolean> =>
  (await authorization.verify(token)) !== undefined;

export interface Decisions {
  readonly decision?: 'allow' | 'allow-reading' | 'deny';
  /** Who signs in with the budgeting service, and what they say there. */
  readonly person?: SignIn;
  readonly upstream?: 'allow' | 'deny';
  /** Whether the server may work while the client is not connected. */
  readonly away?: boolean;
}

/** Goes through all pages. Returns where the client gets its answer, or the page on which it ended. */
export async function decide(
  hosting: { readonly service: Pick<Service, 'signIn'>; readonly browser: () => Browser },
  url: URL | string,
  { decision = 'allow', person = hosting.service.signIn, upstream = 'allow', away = false }: Decisions = {},
  browser = hosting.browser(),
): Promise<View> {
  const consent = await browser.open(url);
  if (!consent.text.includes('name="decision"')) return consent;
  return signInUpstream(await browser.submit(consent, { decision, ...(away && { away: 'on' }) }), browser, {
    person,
    upstream,
  });
}

/** On the pages of the budgeting service. */
export async function signInUpstream(
  first: View,
  browser: Browser,
  { person, upstream }: { person: SignIn; upstream: 'allow' | 'deny' },
): Promise<View> {
  let view = first;
  if (view.text.includes('name="password"'))
    view = await browser.submit(view, { intent: 'sign-in', ...person });
  if (view.text.includes('value="allow"')) view = await browser.submit(view, { intent: upstream });
  return view;
}
