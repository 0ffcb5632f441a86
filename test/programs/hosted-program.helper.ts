/**
 * The hosted server as a program of its own, beside a real budgeting service with several people, and what these people do
 * in a browser and in their assistants.
 */
import { z } from 'zod';
import { systemClock } from '../../src/base/clock.ts';
import type { HouseholdSize } from '../../src/service/demo-data/household-size.ts';
import { type Person, type Service, startService } from '../../src/service/server.ts';
import type { Browser, View } from '../hosting/browser.helper.ts';
import { connectLegacy, connectModern, type Host, type Started } from '../hosts.helper.ts';
import { type HttpProgram, startHttpProgram } from '../http-program.helper.ts';
import { unusedUrl } from '../local-server.helper.ts';
import {
  type Decision,
  DistantBrowser,
  requestTokens,
  type ServiceSignIn,
  signInAtService,
  signInOnPages,
  type Tokens,
} from './sign-in-pages.helper.ts';

export type { Decision, Tokens };

export interface HostedOptions {
  /** One for each person. */
  readonly households?: readonly HouseholdSize[];
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Requests of one sign-in to the service in an hour. */
  readonly rateLimit?: number;
}

const SMALL: HouseholdSize = { transactions: 200 };

const data = z.object({ data: z.unknown() });

export class HostedProgram {
  readonly service: Service;
  readonly issuer: string;
  #program: HttpProgram;
  #browsers = 0;
  readonly #personalTokens = new Map<Person, string>();
  readonly #start: (args?: readonly string[]) => Promise<HttpProgram>;

  private constructor(
    service: Service,
    issuer: string,
    program: HttpProgram,
    start: (args?: readonly string[]) => Promise<HttpProgram>,
  ) {
    this.service = service;
    this.issuer = issuer;
    this.#program = program;
    this.#start = start;
  }

  static async start(options: HostedOptions = {}): Promise<HostedProgram> {
    const { households = [SMALL, SMALL], args = [], env = {}, rateLimit = 100_000 } = options;
    const [first = SMALL, ...others] = households;
    // The address of the server is the name of the authorization server, so it has to be known before.
    const { origin: issuer, port } = new URL(await unusedUrl());
    const service = await startService({
      clock: systemClock,
      rateLimit,
      redirectUris: ['/oauth/callback', '/account/callback'].map((path) => issuer + path),
      ...first,
      others,
    });
    const { baseUrl, appUrl, client } = service;
    const start = (more: readonly string[] = []) =>
      startHttpProgram(['--hosted', '--port', port, ...args, ...more], {
        BUDGET_MCP_BASE_URL: baseUrl,
        BUDGET_MCP_APP_URL: appUrl,
        BUDGET_MCP_CLIENT_ID: client.clientId,
        BUDGET_MCP_CLIENT_SECRET: client.clientSecret,
        ...env,
      });
    try {
      return new HostedProgram(service, issuer, await start(), start);
    } catch (error) {
      await service.close();
      throw error;
    }
  }

  get url(): string {
    return this.#program.url;
  }

  /** The one that runs now. */
  get program(): HttpProgram {
    return this.#program;
  }

  person(nth: number): Person {
    const person = this.service.people[nth];
    if (!person) throw new Error(`There is no person ${nth}.`);
    return person;
  }

  /** Each one has another address, as if a proxy were in front of the server. */
  browser(): DistantBrowser {
    this.#browsers += 1;
    return new DistantBrowser(this.#browsers, [this.issuer, this.service.appUrl]);
  }

  /** Registers a client and lets the person allow it, on the real pages. Throws if the person does not. */
  async signIn(
    person: Person,
    { decision = 'allow', clientName = 'My assistant' }: { decision?: Decision; clientName?: string } = {},
  ): Promise<SignedIn> {
    const { clientId, tokens } = await signInOnPages(
      { issuer: this.issuer, resource: this.url },
      signInOf(person),
      { browser: this.browser(), decision, clientName },
    );
    return new SignedIn(this, clientId, tokens);
  }

  async refresh({ clientId, tokens }: SignedIn): Promise<SignedIn> {
    const renewed = await requestTokens(this.issuer, {
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token,
      client_id: clientId,
    });
    return new SignedIn(this, clientId, renewed);
  }

  /** Opens the page of a person, who signs in with the service. */
  async account(person: Person): Promise<Account> {
    return Account.open(this.issuer, this.browser(), signInOf(person));
  }

  /** The data of the service for a person, by a path such as `/budgets`, without the tested server. */
  async get(person: Person, path: string): Promise<unknown> {
    return data.parse(await (await this.#ask(person, 'GET', path)).json()).data;
  }

  /** Changes something at the service without the tested server. */
  async patch(person: Person, path: string, body: object): Promise<void> {
    const response = await this.#ask(person, 'PATCH', path, body);
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  }

  #ask(person: Person, method: string, path: string, body?: object): Promise<Response> {
    const token = this.#personalTokens.get(person) ?? this.service.access.issueToken(person.user);
    this.#personalTokens.set(person, token);
    return fetch(`${this.service.baseUrl}${path}`, {
      method,
      // The service is in this process, and may close an idle connection while the test keeps the process busy.
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', connection: 'close' },
      ...(body && { body: JSON.stringify(body) }),
    });
  }

  /** Ends the program and starts it again at the same address, with further arguments. */
  async restart(args: readonly string[] = []): Promise<void> {
    await this.#program.stop();
    this.#program = await this.#start(args);
  }

  /** Ends the program only. Returns its exit code. */
  stopProgram(): Promise<number | null> {
    return this.#program.stop();
  }

  async close(): Promise<void> {
    if (this.#program.process.exitCode === null) await this.#program.stop();
    await this.service.close();
  }
}

/** An assistant that a person has allowed. */
export class SignedIn {
  readonly #hosted: HostedProgram;
  readonly clientId: string;
  readonly tokens: Tokens;

  constructor(hosted: HostedProgram, clientId: string, tokens: Tokens) {
    this.#hosted = hosted;
    this.clientId = clientId;
    this.tokens = tokens;
  }

  get http() {
    return { url: this.#hosted.url, token: this.tokens.access_token };
  }

  modern(started: Omit<Started, 'http'> = {}): ReturnType<typeof connectModern> {
    return connectModern({ ...started, http: this.http });
  }

  legacy(started: Omit<Started, 'http'> = {}): Promise<Host> {
    return connectLegacy({ ...started, http: this.http });
  }

  /** Sends one message without a session. */
  post(message: object, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return fetch(this.#hosted.url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.tokens.access_token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify(message),
    });
  }

  /** A call of the newer protocol era, as it is sent. */
  call(
    name: string,
    args: object = {},
    { params = {}, capabilities = {} }: { params?: object; capabilities?: object } = {},
  ): Promise<Response> {
    const headers = { 'mcp-name': name };
    return this.request('tools/call', { name, arguments: args, ...params }, { headers, capabilities });
  }

  /** Opens a stream of notifications. */
  listen(uris: readonly string[] = []): Promise<Response> {
    return this.request('subscriptions/listen', { notifications: { resourceSubscriptions: uris } });
  }

  /** A request of the newer protocol era. */
  request(
    method: string,
    params: object,
    { headers = {}, capabilities = {} }: { headers?: Record<string, string>; capabilities?: object } = {},
  ): Promise<Response> {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': capabilities,
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    };
    return this.post(
      { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } },
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...headers },
    );
  }
}

/** The page of a person in a browser. */
export class Account {
  readonly browser: Browser;
  view: View;

  constructor(browser: Browser, view: View) {
    this.browser = browser;
    this.view = view;
  }

  static async open(issuer: string, browser: Browser, signIn: ServiceSignIn): Promise<Account> {
    const submitted = await browser.open(`${issuer}/account/sign-in`, { method: 'POST' });
    return new Account(browser, await signInAtService(submitted, browser, signIn));
  }

  /** Sends one of the forms of the page. The page that follows is the new one. */
  async submit(form: string, fields: Readonly<Record<string, string>> = {}): Promise<View> {
    const csrf = /name="csrf" value="([^"]*)"/.exec(this.view.text)?.[1] ?? '';
    const body = new URLSearchParams({ csrf, ...fields });
    this.view = await this.browser.open(`${this.view.url.origin}/account/${form}`, { method: 'POST', body });
    return this.view;
  }

  async reload(): Promise<View> {
    this.view = await this.browser.open(this.view.url);
    return this.view;
  }

  /** The ids of the grants on the page, the newest first. */
  get grants(): string[] {
    return [...this.view.text.matchAll(/name="grant" value="([^"]*)"/g)].map(([, id = '']) => id);
  }
}

const signInOf = ({ signIn, user }: Person) => ({ ...signIn, budgetId: user.ledgers[0]?.id ?? 'none' });
