/** The authorization server beside a real budgeting service, with an MCP endpoint that asks it about tokens. */
import { createServer } from 'node:http';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { Hono } from 'hono';
import { onTestFinished } from 'vitest';
import { OAuth } from '../../src/auth/oauth.ts';
import { HttpSender } from '../../src/client/http-sender.ts';
import { type Authorization, createAuthorization } from '../../src/hosting/authorization.ts';
import type { FetchDocument } from '../../src/hosting/public-fetch.ts';
import { createUpstream } from '../../src/hosting/upstream.ts';
import type { User } from '../../src/service/access.ts';
import { demoBudgets } from '../../src/service/demo-data.ts';
import { type Service, startService } from '../../src/service/server.ts';
import { MemoryStore, SharedMemory } from '../../src/state/memory-store.ts';
import type { SharedStore } from '../../src/state/shared-store.ts';
import { listenLocally } from '../local-server.helper.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { Browser, type View } from './browser.helper.ts';

export interface SignIn {
  readonly email: string;
  readonly password: string;
}

export interface Hosting {
  readonly issuer: string;
  readonly resource: string;
  readonly authorization: Authorization;
  readonly clock: ManualClock;
  readonly service: Service;
  readonly memory: SharedMemory;
  readonly serverKey: Uint8Array;
  readonly bugs: Error[];
  /** Another process with the same store and the same address. */
  otherProcess(): Promise<Authorization>;
  addPerson(email: string): User & { signIn: { email: string } };
  browser(): Browser;
}

export const PASSWORD = 'correct horse battery';

export interface HostingOptions {
  readonly dynamicRegistration?: boolean;
  readonly fetchDocument?: FetchDocument;
  /** By default one in memory. */
  readonly store?: (clock: ManualClock) => Promise<SharedStore>;
}

export async function startHosting({ store, ...options }: HostingOptions = {}): Promise<Hosting> {
  // oidc-provider looks at the clock of the machine, too.
  const clock = new ManualClock(Date.now());
  const service = await startService({ clock, rateLimit: 100_000, transactions: 200 });
  onTestFinished(() => service.close());
  const app = new Hono<{ Bindings: HttpBindings }>();
  const { url: issuer } = await listenLocally(createServer(getRequestListener(app.fetch)));
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

  const start = async () => {
    const authorization = await createAuthorization({
      issuer,
      resource,
      store: (await store?.(clock)) ?? new MemoryStore(clock, memory),
      serverKey,
      clock,
      upstream: createUpstream({
        oauth: new OAuth({ send: (request, signal) => sender.send(request, signal), clock }),
        send: (request, signal) => sender.send(request, signal),
        baseUrl,
        appUrl,
        clientId,
        clientSecret,
      }),
      dynamicRegistration: true,
      onBug: (error) => bugs.push(error),
      ...options,
    });
    onTestFinished(() => authorization.close());
    return authorization;
  };

  const authorization = await start();
  app.all('/mcp', (c) => answerMcp(c.req.raw, authorization, issuer));
  app.route('/', authorization.routes);

  return {
    issuer,
    resource,
    authorization,
    clock,
    service,
    memory,
    serverKey,
    bugs,
    otherProcess: start,
    addPerson: (email) => {
      const budgets = demoBudgets({ now: clock.now(), seed: 2, transactions: 200 });
      const user = service.access.addUser(budgets, { email, password: PASSWORD });
      return Object.assign(user, { signIn: { email, password: PASSWORD } });
    },
    browser: () => new Browser([issuer, appUrl]),
  };
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

export interface Decisions {
  readonly decision?: 'allow' | 'allow-reading' | 'deny';
  /** Who signs in with the budgeting service, and what they say there. */
  readonly person?: SignIn;
  readonly upstream?: 'allow' | 'deny';
}

/** Goes through all pages. Returns where the client gets its answer, or the page on which it ended. */
export async function decide(
  hosting: Hosting,
  url: URL | string,
  { decision = 'allow', person = hosting.service.signIn, upstream = 'allow' }: Decisions = {},
  browser = hosting.browser(),
): Promise<View> {
  const consent = await browser.open(url);
  if (!consent.text.includes('name="decision"')) return consent;
  return signInUpstream(await browser.submit(consent, { decision }), browser, { person, upstream });
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
