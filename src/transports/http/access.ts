/**
 * Who may come in, as the person who starts the server has set it. On this machine, every program that calls it by a
 * name of this machine; where it can be reached from elsewhere, whoever has a token. Web pages may only where their
 * origin is allowed.
 */
import { BudgetError } from '../../errors.ts';
import type { CallerTokens } from './callers.ts';

export interface AccessSettings {
  /** The address that is listened on. */
  readonly host: string;
  /** The server's address as hosts know it, where a proxy stands before it. */
  readonly publicUrl?: string | undefined;
  /** More names that it is called by, without port. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Web origins whose pages may call it. */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** Of those that may come in; undefined where none is asked for. */
  readonly tokens?: CallerTokens | undefined;
}

export interface Access {
  /** What the server may be called in `Host`, without port; undefined for anything. */
  readonly hosts: readonly string[] | undefined;
  /** Whole ones, as browsers send them: scheme, host and port. */
  readonly origins: ReadonlySet<string>;
  /** Undefined where none is asked for. */
  readonly tokens: CallerTokens | undefined;
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** As it stands in a URL. */
export const formatHostForUrl = (host: string) => (host.includes(':') ? `[${host}]` : host);

function parseOrigin(url: string): URL {
  if (URL.canParse(url)) return new URL(url);
  throw new BudgetError('invalid_configuration', `${url} is no origin that a browser could send.`);
}

const isOfThisMachine = (hostname: string) => LOOPBACK.includes(hostname);

/** Throws `invalid_configuration` where it could be reached from elsewhere, or by a page from elsewhere, without a token. */
export function createAccess(settings: AccessSettings): Access {
  const { host, publicUrl, allowedHosts = [], allowedOrigins = [], tokens } = settings;
  const isLocal = isOfThisMachine(formatHostForUrl(host));
  const named = [...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname]), ...allowedHosts];
  const isReachable = !isLocal || named.some((name) => !isOfThisMachine(name));
  if (isReachable && !tokens)
    throw new BudgetError(
      'invalid_configuration',
      'A server that can be reached from elsewhere needs a token for those who may use it, in BUDGET_MCP_HTTP_TOKEN or --http-token-file.',
    );
  const origins = [...(publicUrl === undefined ? [] : [publicUrl]), ...allowedOrigins].map(parseOrigin);
  const foreign = origins.find(({ hostname }) => !isOfThisMachine(hostname));
  if (foreign && !tokens)
    throw new BudgetError(
      'invalid_configuration',
      `Pages of ${foreign.origin} are not of this machine: to allow them needs a token, in BUDGET_MCP_HTTP_TOKEN or --http-token-file.`,
    );
  return {
    // Whoever is asked for a token cannot be misused by a page that does not have it.
    hosts: isLocal || named.length > 0 ? [...LOOPBACK, ...named] : undefined,
    origins: new Set(origins.map(({ origin }) => origin)),
    tokens,
  };
}

/** What is trusted, in sentences for the person who starts the server. */
export function describeTrust({ host }: Pick<AccessSettings, 'host'>, { origins, tokens }: Access): string[] {
  const programs = tokens
    ? 'Whoever shows a token may call.'
    : 'No token is set: every program on this machine may call, of whichever user.';
  const pages =
    origins.size === 0 ? 'No web page may.' : `Web pages of ${[...origins].join(', ')} may call too.`;
  const plain = `Warning: on ${host} tokens and budgets travel unencrypted. Let a proxy with TLS stand before it.`;
  return [`${programs} ${pages}`, ...(isOfThisMachine(formatHostForUrl(host)) ? [] : [plain])];
}
