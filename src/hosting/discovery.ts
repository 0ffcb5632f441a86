/**
 * How people and clients learn what this server is: the page at its root, for a person who opens its address in a browser,
 * the server card and the catalog that leads to it, by which clients find this server from its domain. They
 * say how to connect, and nothing about people or tools.
 *
 * The text: SEP-2127 (Final), whose format is in `docs/discovery.md` and `schema.ts` (v1) of
 * modelcontextprotocol/experimental-ext-server-card, as of 2026-07-24 (8924e08).
 */
import { createHash } from 'node:crypto';
import { type Handler, Hono } from 'hono';
import { html } from 'hono/html';
import { visible } from '../base/quote.ts';
import { page } from './page.ts';

export interface ServerIdentity {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  readonly icons: readonly { readonly src: string; readonly mimeType: string; readonly sizes: string[] }[];
}

export interface DiscoveryOptions {
  /** The public URL of this server, without a path. */
  readonly issuer: string;
  readonly appUrl: string;
  readonly resource: string;
  /** As the server introduces itself to a client that has connected. */
  readonly identity: ServerIdentity;
  /** At most 100 characters. */
  readonly description: string;
  readonly protocolVersions: readonly string[];
}

const CARD_TYPE = 'application/mcp-server-card+json';

const HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET',
  'Access-Control-Allow-Headers': 'Content-Type, If-None-Match',
  'Access-Control-Expose-Headers': 'ETag',
  'Cache-Control': 'public, max-age=3600',
};

export function discoveryRoutes(options: DiscoveryOptions): Hono {
  const { issuer, resource, identity, description, protocolVersions } = options;
  const { hostname } = new URL(issuer);
  const url = `${resource}/server-card`;
  const card = {
    $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
    ...identity,
    // Each server has a name of its own, because different people run them.
    name: `${hostname.split('.').toReversed().join('.')}/${identity.name}`,
    description,
    websiteUrl: issuer,
    remotes: [{ type: 'streamable-http', url: resource, supportedProtocolVersions: protocolVersions }],
  };
  const catalog = {
    specVersion: '1.0',
    entries: [{ identifier: `urn:air:${hostname}:mcp:${identity.name}`, type: CARD_TYPE, url }],
  };

  const routes = new Hono().get('/', homePage(options));
  const serve = (path: string, type: string, document: object) => {
    const body = JSON.stringify(document);
    const tag = `"${createHash('sha256').update(body).digest('base64url')}"`;
    const headers = { ...HEADERS, 'Content-Type': type, ETag: tag };
    routes.options(path, (c) => c.body(null, 204, HEADERS));
    routes.get(path, (c) =>
      c.req.header('If-None-Match')?.includes(tag) ? c.body(null, 304, headers) : c.body(body, 200, headers),
    );
  };
  serve(new URL(url).pathname, CARD_TYPE, card);
  // Where scanners of servers look that do not read the catalog.
  serve('/.well-known/mcp/server-card.json', CARD_TYPE, card);
  serve('/.well-known/ai-catalog.json', 'application/ai-catalog+json', catalog);
  return routes;
}

/** Only browsers ask for HTML. Other clients get the same answer as at any unknown path. */
const homePage =
  ({ issuer, appUrl }: DiscoveryOptions): Handler =>
  (c, next) =>
    c.req.header('accept')?.includes('text/html')
      ? page(c, {
          title: 'Budget MCP',
          body: html`<p>This server, <b>${new URL(issuer).host}</b>, lets AI assistants read and keep your budgets at
${visible(new URL(appUrl).host)}, if you allow them to.</p>
<p><a class="button main" href="/account">Your account</a></p>
<p class="soft">Which applications may use your budgets, what they have changed, your settings, and how to end it all.</p>
<h2>Connect an assistant</h2>
<p>Give it this address. It then sends you here to allow it.</p>
<p><code>${issuer}/mcp</code></p>`,
        })
      : next();
