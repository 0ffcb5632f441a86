/** The official clients of both protocol eras, with a person who goes through the pages. */
import { randomUUID } from 'node:crypto';
import * as modern from '@modelcontextprotocol/client';
import type * as older from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Decisions, decide, type Hosting, startHosting } from './hosting.helper.ts';

const REDIRECT_URI = 'http://localhost:33418/callback';
const DOCUMENT_URL = 'https://assistant.example/client.json';

const document = {
  client_id: DOCUMENT_URL,
  client_name: 'Assistant of example',
  redirect_uris: ['http://localhost/callback'],
  grant_types: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_method: 'none',
};

/** What both clients ask their host to keep. */
class Memory {
  readonly redirectUrl = REDIRECT_URI;
  readonly clientMetadataUrl?: string;
  readonly expectedState = randomUUID();
  /** Where the person's browser has to go. */
  address: URL | undefined;
  #verifier = '';

  constructor(clientMetadataUrl?: string) {
    if (clientMetadataUrl !== undefined) this.clientMetadataUrl = clientMetadataUrl;
  }

  state(): string {
    return this.expectedState;
  }

  redirectToAuthorization(url: URL): void {
    this.address = url;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }
}

const metadata = { client_name: 'Test host', redirect_uris: [REDIRECT_URI] };

class ModernHost extends Memory implements modern.OAuthClientProvider {
  #discovered: modern.OAuthDiscoveryState | undefined;
  saveDiscoveryState(state: modern.OAuthDiscoveryState) {
    this.#discovered = state;
  }
  discoveryState() {
    return this.#discovered;
  }
  get clientMetadata(): modern.OAuthClientMetadata {
    return metadata;
  }
  #client: modern.StoredOAuthClientInformation | undefined;
  #tokens: modern.StoredOAuthTokens | undefined;
  clientInformation() {
    return this.#client;
  }
  saveClientInformation(client: modern.StoredOAuthClientInformation) {
    this.#client = client;
  }
  tokens() {
    return this.#tokens;
  }
  saveTokens(tokens: modern.StoredOAuthTokens) {
    this.#tokens = tokens;
  }
}

class OlderHost extends Memory implements older.OAuthClientProvider {
  get clientMetadata() {
    return metadata;
  }
  #client: ReturnType<NonNullable<older.OAuthClientProvider['clientInformation']>>;
  #tokens: ReturnType<older.OAuthClientProvider['tokens']>;
  clientInformation() {
    return this.#client;
  }
  saveClientInformation(
    client: Parameters<NonNullable<older.OAuthClientProvider['saveClientInformation']>>[0],
  ) {
    this.#client = client;
  }
  tokens() {
    return this.#tokens;
  }
  saveTokens(tokens: Parameters<older.OAuthClientProvider['saveTokens']>[0]) {
    this.#tokens = tokens;
  }
}

/** The parameters of the callback, after the person has decided. */
async function callbackOf(hosting: Hosting, host: Memory, decisions?: Decisions): Promise<URLSearchParams> {
  if (!host.address) throw new Error('The client has no address for the browser.');
  const { url, text } = await decide(hosting, host.address, decisions);
  if (!url.href.startsWith(REDIRECT_URI)) throw new Error(text);
  expect(url.searchParams.get('state')).toBe(host.expectedState);
  return url.searchParams;
}

const modernClient = (pin: '2026-07-28' | '2025-11-25') =>
  new modern.Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: pin === '2026-07-28' ? { pin } : 'legacy' } },
  );

async function connectModern(hosting: Hosting, host: ModernHost, era: '2026-07-28' | '2025-11-25') {
  const transport = () =>
    new modern.StreamableHTTPClientTransport(new URL(hosting.resource), { authProvider: host });
  const first = transport();
  await expect(modernClient(era).connect(first)).rejects.toThrow(modern.UnauthorizedError);
  await first.finishAuth(await callbackOf(hosting, host));
  const client = modernClient(era);
  await client.connect(transport());
  return client;
}

const textOf = (result: unknown) =>
  z.object({ content: z.tuple([z.object({ text: z.string() })]) }).parse(result).content[0].text;

const callScopes = async (client: modern.Client) =>
  textOf(await client.callTool({ name: 'scopes', arguments: {} }));

describe('the official client', () => {
  it.each(['2026-07-28', '2025-11-25'] as const)(
    'of the newer SDK registers, gets tokens and calls a tool in the era of %s',
    async (era) => {
      const hosting = await startHosting();
      const client = await connectModern(hosting, new ModernHost(), era);
      expect(await callScopes(client)).toBe('budget:read budget:write');
      await client.close();
    },
  );

  it('of the newer SDK needs no registration if it has a metadata document', async () => {
    const hosting = await startHosting({
      dynamicRegistration: false,
      fetchDocument: async () => Response.json(document),
    });
    const host = new ModernHost(DOCUMENT_URL);
    const client = await connectModern(hosting, host, '2026-07-28');
    expect(await callScopes(client)).toBe('budget:read budget:write');
    expect(host.clientInformation()).toMatchObject({ client_id: DOCUMENT_URL });
    await client.close();
  });

  it('of the newer SDK refreshes its tokens when they have ended', async () => {
    const hosting = await startHosting();
    const host = new ModernHost();
    const client = await connectModern(hosting, host, '2026-07-28');
    const before = host.tokens()?.access_token;
    hosting.clock.advance(2 * 3_600_000);
    expect(await callScopes(client)).toBe('budget:read budget:write');
    expect(host.tokens()?.access_token).not.toBe(before);
    await client.close();
  });

  it.each([undefined, DOCUMENT_URL])(
    'of the older SDK gets tokens and calls a tool, with document %s',
    async (url) => {
      const hosting = await startHosting({ fetchDocument: async () => Response.json(document) });
      const host = new OlderHost(url);
      const transport = () => new OlderTransport(new URL(hosting.resource), { authProvider: host });
      const first = transport();
      const connecting = new OlderClient({ name: 'test', version: '1' });
      await expect(connecting.connect(first)).rejects.toThrow('Unauthorized');
      await first.finishAuth((await callbackOf(hosting, host)).get('code') ?? '');
      const client = new OlderClient({ name: 'test', version: '1' });
      await client.connect(transport());
      expect(textOf(await client.callTool({ name: 'scopes', arguments: {} }))).toBe(
        'budget:read budget:write',
      );
      hosting.clock.advance(2 * 3_600_000);
      expect(textOf(await client.callTool({ name: 'scopes', arguments: {} }))).toBe(
        'budget:read budget:write',
      );
      await client.close();
    },
  );
});
