/**
 * What a client may register, by dynamic registration or by a metadata document. Every client is public and native: it has
 * no secret, may use any port of a loopback address (RFC 8252, section 7.3), and proves itself by PKCE.
 */
import { errors } from 'oidc-provider';
import { z } from 'zod';
import { isLoopbackHost } from '../transports/http/access.ts';

const MAX_REDIRECT_URIS = 10;
const MAX_URI_LENGTH = 1_000;
const MAX_NAME_LENGTH = 200;

/** All other metadata are dropped, such as addresses that the server would have to load, or a secret. */
const kept = new Set([
  'application_type',
  'client_id',
  'client_id_issued_at',
  'client_name',
  'grant_types',
  'redirect_uris',
  'response_modes',
  'response_types',
  'token_endpoint_auth_method',
]);

/** The others show the code to scripts, on a page of oidc-provider with a script. */
export const RESPONSE_MODES = ['query'];

/**
 * Schemes of apps. RFC 8252, section 7.1, wants the name of a domain, turned around. Some hosts use a short name instead, and
 * only these may: other short names belong to browsers and the system, and many of them lead on to a web page of any address.
 */
const domainScheme = /^[a-z]{2,}(\.[a-z\d-]+)+:$/;
const hostSchemes = /^(claude|cursor|goose|vscode|vscode-insiders|vscodium|warp|windsurf|zed):$/;

/** Undefined if the URI may be registered, else why not. */
export function refusalOfRedirectUri(uri: string): string | undefined {
  if (uri.length > MAX_URI_LENGTH) return 'must be shorter';
  // Browsers remove control characters and turn backslashes, so that the host may be another one than it seems.
  if (!/^[!-[\]-~]+$/.test(uri) || !URL.canParse(uri))
    return 'must be absolute URIs of visible ASCII characters';
  if (uri.includes('#')) return 'must not contain a fragment';
  const { protocol, hostname, username, password } = new URL(uri);
  if (username !== '' || password !== '') return 'must not contain a user name';
  const isLoopback = isLoopbackHost(hostname);
  if (protocol === 'https:') return isLoopback ? 'must use http for a loopback address' : undefined;
  if (protocol === 'http:') return isLoopback ? undefined : 'must use https, except for loopback addresses';
  if (!domainScheme.test(protocol) && !hostSchemes.test(protocol))
    return 'must use https, http for a loopback address, or the scheme of an app (com.example.app:)';
  // An app could open an address that is a part of this one. It may be escaped.
  return /http|%/i.test(uri.slice(protocol.length)) ? 'must not contain another address' : undefined;
}

const redirectUris = z.array(z.string()).min(1).max(MAX_REDIRECT_URIS);
const listOfNames = z.array(z.string());

/** Called by oidc-provider for each client, with its metadata, which this changes. Throws `InvalidClientMetadata`. */
export function applyClientRules(metadata: Record<string, unknown>): void {
  for (const name of Object.keys(metadata)) if (!kept.has(name)) delete metadata[name];
  const { data: uris } = redirectUris.safeParse(metadata['redirect_uris']);
  if (!uris)
    throw new errors.InvalidClientMetadata(`redirect_uris must be a list of 1 to ${MAX_REDIRECT_URIS} URIs`);
  for (const uri of uris) {
    const refusal = refusalOfRedirectUri(uri);
    if (refusal) throw new errors.InvalidClientMetadata(`redirect_uris ${refusal}`);
  }
  const name = metadata['client_name'];
  if (typeof name === 'string' && name.length > MAX_NAME_LENGTH)
    throw new errors.InvalidClientMetadata(`client_name must have at most ${MAX_NAME_LENGTH} characters`);
  metadata['application_type'] = 'native';
  metadata['response_modes'] = RESPONSE_MODES;
  // The answer of a registration says what the client got instead of what it asked for (RFC 7591, section 3.2.1).
  const method = metadata['token_endpoint_auth_method'];
  if (method === undefined || (typeof method === 'string' && method.startsWith('client_secret_')))
    metadata['token_endpoint_auth_method'] = 'none';
  for (const [field, supported] of supportedValues) {
    const { data: asked } = listOfNames.safeParse(metadata[field]);
    const known = asked?.filter((value) => supported.includes(value));
    metadata[field] = known && known.length > 0 ? known : supported;
  }
}

const supportedValues = new Map([
  ['grant_types', ['authorization_code', 'refresh_token']],
  ['response_types', ['code']],
]);
