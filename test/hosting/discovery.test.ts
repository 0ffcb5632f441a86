/** How a client that knows only the domain of a hosted server finds it. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import packageJson from '../../package.json' with { type: 'json' };
import { readManifest } from '../bundle/manifest.ts';
import { startComposed } from './composed.helper.ts';
import { OAuthClient } from './oauth-client.helper.ts';

/** `schema.ts` (v1) of modelcontextprotocol/experimental-ext-server-card, as far as a card of this server uses it. */
const cardSchema = z.strictObject({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json'),
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  version: z
    .string()
    .max(255)
    .regex(/^\d+\.\d+\.\d+/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  websiteUrl: z.url(),
  icons: z.array(
    z.strictObject({ src: z.url(), mimeType: z.string().optional(), sizes: z.array(z.string()).optional() }),
  ),
  remotes: z.tuple([
    z.strictObject({
      type: z.literal('streamable-http'),
      url: z.string().regex(/^https?:\/\/\S+$/),
      supportedProtocolVersions: z.array(z.iso.date()),
    }),
  ]),
});

/** `docs/discovery.md` of the same, for an entry with an address. */
const catalogSchema = z.strictObject({
  specVersion: z.literal('1.0'),
  entries: z.tuple([
    z.strictObject({
      identifier: z.string().regex(/^urn:air:[\w.-]+:mcp:[\w.-]+$/),
      type: z.literal('application/mcp-server-card+json'),
      url: z.url(),
    }),
  ]),
});

const manifestSchema = z.object({ display_name: z.string(), description: z.string(), version: z.string() });

async function discover(issuer: string) {
  const found = await fetch(`${issuer}/.well-known/ai-catalog.json`);
  const catalog = catalogSchema.parse(await found.json());
  const [{ type, url }] = catalog.entries;
  const answer = await fetch(url, { headers: { accept: type } });
  return { found, catalog, url, answer, card: cardSchema.parse(await answer.json()) };
}

test('a client gets from the domain to the catalog, to the card, and to the server, without a token', async () => {
  const { issuer, resource } = await startComposed();
  const { found, answer, url, card } = await discover(issuer);
  expect(found.headers.get('content-type')).toBe('application/ai-catalog+json');
  expect(answer.headers.get('content-type')).toBe('application/mcp-server-card+json');
  expect(url).toBe(`${resource}/server-card`);
  const second = await fetch(`${issuer}/.well-known/mcp/server-card.json`);
  expect(await second.json()).toEqual(card);
  const [{ url: endpoint }] = card.remotes;
  expect(endpoint).toBe(resource);
  const challenge = (await fetch(endpoint, { method: 'POST' })).headers.get('www-authenticate');
  const metadata = /resource_metadata="([^"]*)"/.exec(challenge ?? '')?.[1] ?? '';
  expect(await (await fetch(metadata)).json()).toMatchObject({ resource: endpoint });
});

const discovered = z.object({
  result: z.object({
    supportedVersions: z.array(z.string()),
    _meta: z.object({ 'io.modelcontextprotocol/serverInfo': z.looseObject({ name: z.string() }) }),
  }),
});

test('the card says what the server says to a client that has connected, in both eras', async () => {
  const hosting = await startComposed();
  const { card } = await discover(hosting.issuer);
  const [{ supportedProtocolVersions: versions }] = card.remotes;
  const [newest = ''] = versions;
  const { access_token: token } = await (await OAuthClient.register(hosting)).tokens();
  const clientInfo = { name: 'test', version: '1' };
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': newest,
    'io.modelcontextprotocol/clientInfo': clientInfo,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const { text } = await hosting.send(
    token,
    { method: 'server/discover', params: { _meta } },
    { 'mcp-protocol-version': newest, 'mcp-method': 'server/discover' },
  );
  const { result } = discovered.parse(JSON.parse(text));
  const { name, ...identity } = result._meta['io.modelcontextprotocol/serverInfo'];
  expect(card).toMatchObject(identity);
  expect(card.name).toBe(`1.0.0.127/${name}`);
  const initialized = versions.filter((version) => !result.supportedVersions.includes(version));
  expect([...result.supportedVersions, ...initialized]).toEqual(versions);
  for (const protocolVersion of initialized) {
    const params = { protocolVersion, capabilities: {}, clientInfo };
    const answer = await hosting.send(token, { method: 'initialize', params });
    expect(answer.text).toContain(`"protocolVersion":"${protocolVersion}"`);
  }
});

test('the card says what the manifest of the bundle and the entry in the registry say', async () => {
  const { issuer } = await startComposed();
  const { card } = await discover(issuer);
  const manifest = manifestSchema.parse(JSON.parse(readManifest()));
  expect(card).toMatchObject({ title: manifest.display_name, description: manifest.description });
  expect(card.name.endsWith(`/${packageJson.name}`)).toBe(true);
});

test('a page of any site may read the catalog and the card, and asks again only for what has changed', async () => {
  const { issuer } = await startComposed();
  const { url } = await discover(issuer);
  for (const address of [url, `${issuer}/.well-known/ai-catalog.json`]) {
    const preflight = await fetch(address, { method: 'OPTIONS', headers: { origin: 'https://a.example' } });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-methods')).toBe('GET');
    expect(preflight.headers.get('access-control-allow-headers')).toContain('If-None-Match');
    const first = await fetch(address);
    expect(first.headers.get('cache-control')).toBe('public, max-age=3600');
    const again = await fetch(address, {
      headers: { 'if-none-match': `W/"other", ${first.headers.get('etag')}` },
    });
    expect(again.status).toBe(304);
    for (const { headers } of [preflight, first, again]) {
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('access-control-expose-headers')).toBe('ETag');
    }
  }
});
