/** A person in a real browser, the official client of both protocol eras, and the program as it is installed. */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import {
  Client,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { noBrowser, openBrowser } from '../browser.helper.ts';
import { startHttpProgram } from '../http-program.helper.ts';
import { listenLocally, unusedUrl } from '../local-server.helper.ts';

const TIMEOUT_MS = 120_000;

/** What the host of a client keeps. Its redirect URI is a page that only says that it was reached. */
class Host implements OAuthClientProvider {
  readonly redirectUrl: string;
  address: URL | undefined;
  #client: StoredOAuthClientInformation | undefined;
  #tokens: StoredOAuthTokens | undefined;
  #verifier = '';
  readonly #state = randomUUID();

  constructor(redirectUrl: string) {
    this.redirectUrl = redirectUrl;
  }
  get clientMetadata(): OAuthClientMetadata {
    return { client_name: 'Chat of example', redirect_uris: [this.redirectUrl] };
  }
  state() {
    return this.#state;
  }
  clientInformation() {
    return this.#client;
  }
  saveClientInformation(client: StoredOAuthClientInformation) {
    this.#client = client;
  }
  tokens() {
    return this.#tokens;
  }
  saveTokens(tokens: StoredOAuthTokens) {
    this.#tokens = tokens;
  }
  redirectToAuthorization(url: URL) {
    this.address = url;
  }
  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier;
  }
  codeVerifier() {
    return this.#verifier;
  }
}

type Era = '2026-07-28' | '2025-11-25';

async function start() {
  // The address of the server is the name of the authorization server, so it has to be known before.
  const { port } = new URL(await unusedUrl());
  const program = await startHttpProgram(['--hosted', '--demo', '--port', port], {
    BUDGET_MCP_STRUCTURED: 'false',
  });
  onTestFinished(async () => {
    await program.stop();
  });
  const [, email = '', password = ''] =
    /sign in as (\S+) with the password (\S+)\.\n/.exec(program.written()) ?? [];
  const callback = await listenLocally(createServer((_, response) => response.end('You can go back.')));
  const browser = await openBrowser();
  const person = await browser.newPage();
  const host = new Host(`${callback.url}/callback`);

  const client = (era: Era) =>
    new Client(
      { name: 'test', version: '1' },
      { versionNegotiation: { mode: era === '2026-07-28' ? { pin: era } : 'legacy' } },
    );
  const transport = () => new StreamableHTTPClientTransport(new URL(program.url), { authProvider: host });

  /** The parameters with which the browser comes back to the client. */
  const decide = async (decision: string): Promise<URLSearchParams> => {
    await person.goto(host.address?.href ?? '');
    await person.click(`button[value="${decision}"]`);
    if (decision !== 'deny') {
      await person.waitForURL((url) => url.origin !== new URL(program.url).origin);
      await signIn(person, { email, password });
    }
    await person.waitForURL((url) => url.href.startsWith(host.redirectUrl));
    return new URL(person.url()).searchParams;
  };

  /** Connects after the person has decided in the browser. */
  const connect = async (era: Era, decision: string): Promise<Client> => {
    const first = transport();
    await expect(client(era).connect(first)).rejects.toThrow(UnauthorizedError);
    await first.finishAuth(await decide(decision));
    const connected = client(era);
    await connected.connect(transport());
    onTestFinished(() => connected.close());
    return connected;
  };
  return { program, person, host, client, transport, decide, connect };
}

/** On the pages of the budgeting service, where the person may be signed in already. */
async function signIn(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
  await page.waitForSelector('button[value="sign-in"], button[value="allow"]');
  if ((await page.locator('button[value="sign-in"]').count()) > 0) {
    await page.fill('input[name="email"]', email);
    await page.fill('input[name="password"]', password);
    await page.click('button[value="sign-in"]');
  }
  await page.click('button[value="allow"]');
}

const textOf = async (client: Client, name: string, args: Record<string, unknown> = {}) =>
  JSON.stringify((await client.callTool({ name, arguments: args })).content);

describe.skipIf(noBrowser)('signing in to a hosted server in a browser', () => {
  test.each<Era>(['2026-07-28', '2025-11-25'])(
    'a person allows a client of the era of %s, which reads and writes until they end its access on their page',
    { timeout: TIMEOUT_MS },
    async (era) => {
      const { program, person, connect, host } = await start();
      const client = await connect(era, 'allow');
      expect(await textOf(client, 'list_accounts')).toContain('Checking');
      const transaction = {
        account_id: 'Checking',
        date: 'today',
        amount: -4.5,
        payee_name: 'Corner Bakery',
      };
      expect(await textOf(client, 'create_transactions', { transactions: [transaction] })).toContain(
        'Written.',
      );

      await person.goto(new URL('/account', program.url).href);
      await person.click('button');
      await person.click('button[value="allow"]');
      await person.waitForSelector('form[action="/account/revoke"]');
      expect(await person.textContent('main')).toContain('Chat of example');
      await person.click('summary');
      expect(await person.innerText('details li')).toContain('Create transactions: done');
      await person.click('form[action="/account/revoke"] button');
      await person.waitForSelector('text=No application has access');
      host.address = undefined;
      await expect(client.callTool({ name: 'list_accounts' })).rejects.toThrow();
    },
  );

  test('a person who allows reading only gets a client without tools that write', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const { connect } = await start();
    const client = await connect('2026-07-28', 'allow-reading');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('list_transactions');
    const changing = tools.filter(({ annotations }) => annotations?.readOnlyHint !== true);
    // It ends what is watched, and changes nothing in the budget.
    expect(changing.map(({ name }) => name)).toEqual(['stop_watch']);
  });

  test('a client that a person refuses gets no code', { timeout: TIMEOUT_MS }, async () => {
    const { client, transport, decide } = await start();
    await expect(client('2026-07-28').connect(transport())).rejects.toThrow(UnauthorizedError);
    const answer = await decide('deny');
    expect(answer.get('error')).toBe('access_denied');
    expect(answer.get('code')).toBeNull();
  });
});
