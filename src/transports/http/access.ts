/**
 * Who may call the server, from the settings. If only this machine can reach the server, every local program may call it.
 * If other machines can reach it, a token is required. A web page may call it only if its origin is allowed.
 */
import { invalidConfig } from '../../base/errors.ts';
import type { CallerTokens } from './callers.ts';

export interface AccessSettings {
  /** The address to listen on. */
  readonly host: string;
  /** The server's address for hosts, if it is behind a proxy. */
  readonly publicUrl?: string | undefined;
  /** More host names of the server, without a port. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Web origins whose pages may call the server. */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** The tokens of the callers. Undefined if no token is required. */
  readonly tokens?: CallerTokens | undefined;
}

export interface Access extends Required<Pick<AccessSettings, 'tokens'>> {
  /** The allowed names in the `Host` header, without a port. Undefined if any name is allowed. */
  readonly hosts: readonly string[] | undefined;
  /** The allowed origins as browsers send them: scheme, host and port. */
  readonly origins: ReadonlySet<string>;
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Adds the brackets that an IPv6 address has in a URL. */
export const formatHostForUrl = (host: string) => (host.includes(':') ? `[${host}]` : host);

function parseOrigin(url: string): URL {
  if (URL.canParse(url)) return new URL(url);
  throw invalidConfig(`${url} is not a valid web origin.`);
}

export const isLoopbackHost = (hostname: string) => LOOPBACK.includes(hostname);

/** Throws `invalid_configuration` if another machine, or a page of another site, could call the server without a token. */
export function createAccess(settings: AccessSettings): Access {
  const { host, publicUrl, allowedHosts = [], allowedOrigins = [], tokens } = settings;
  const isLocal = isLoopbackHost(formatHostForUrl(host));
  const own = publicUrl === undefined ? [] : [publicUrl];
  const named = [...own.map((url) => new URL(url).hostname), ...allowedHosts];
  const isReachable = !isLocal || named.some((name) => !isLoopbackHost(name));
  if (isReachable && !tokens)
    throw invalidConfig(
      'A server that other machines can reach needs a token for its callers, in BUDGET_MCP_HTTP_TOKEN or --http-token-file.',
    );
  const origins = [...own, ...allowedOrigins].map(parseOrigin);
  const foreign = origins.find(({ hostname }) => !isLoopbackHost(hostname));
  if (foreign && !tokens)
    throw invalidConfig(
      `Pages of ${foreign.origin} are not from this machine. To allow them, set a token in BUDGET_MCP_HTTP_TOKEN or --http-token-file.`,
    );
  return {
    // With a token, a page that does not have it can do no harm, so any name may be allowed.
    hosts: isLocal || named.length > 0 ? [...LOOPBACK, ...named] : undefined,
    origins: new Set(origins.map(({ origin }) => origin)),
    tokens,
  };
}

/** Describes who may call, for the person who starts the server. */
export function describeTrust({ host }: Pick<AccessSettings, 'host'>, { origins, tokens }: Access): string[] {
  const programs = tokens
    ? 'Callers need a token.'
    : 'No token is set: every program of every user on this machine may call.';
  const pages =
    origins.size === 0 ? 'Web pages may not call.' : `Web pages of ${[...origins].join(', ')} may call too.`;
  const warning = `Warning: on ${host} tokens and budgets are sent unencrypted. Put a proxy with TLS in front of the server.`;
  return [`${programs} ${pages}`, ...(isLoopbackHost(formatHostForUrl(host)) ? [] : [warning])];
}
