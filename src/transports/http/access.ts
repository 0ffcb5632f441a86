/**
 * Who may come in, as the person who starts the server has set it. On this machine, whoever calls it by a name of this
 * machine and from none but a page of this machine; where it can be reached from elsewhere, whoever has a token.
 */
import { BudgetError } from '../../errors.ts';

export interface AccessSettings {
  /** The address that is listened on. */
  readonly host: string;
  /** The server's address as hosts know it, where a proxy stands before it. */
  readonly publicUrl?: string | undefined;
  /** More names that it is called by, without port. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Web origins whose pages may call it. */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** Of each one that may come in; several are several callers. */
  readonly tokens?: readonly string[] | undefined;
}

export interface Access {
  /** What the server may be called in `Host`, without port; undefined for anything. */
  readonly hosts: readonly string[] | undefined;
  readonly origins: ReadonlySet<string>;
  /** Whether pages of this machine may call, on whatever port they are. */
  readonly allowsLocalPages: boolean;
  /** Where there are none, none is asked for. */
  readonly tokens: readonly string[];
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Schemes of programs, which the URL standard does not know, have their origin as it is written. */
function originOf(url: string): string {
  const { origin } = new URL(url);
  return origin === 'null' ? url : origin;
}

/** As it stands in a URL. */
export const inUrl = (host: string) => (host.includes(':') ? `[${host}]` : host);

/** Throws `invalid_configuration` where it could be reached from elsewhere without a token. */
export function accessOf(settings: AccessSettings): Access {
  const { host, publicUrl, allowedHosts = [], allowedOrigins = [], tokens = [] } = settings;
  const isLocal = LOOPBACK.includes(inUrl(host));
  const named = [...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname]), ...allowedHosts];
  const isReachable = !isLocal || named.some((name) => !LOOPBACK.includes(name));
  if (isReachable && tokens.length === 0)
    throw new BudgetError(
      'invalid_configuration',
      'A server that can be reached from elsewhere needs a token for those who may use it, in BUDGET_MCP_HTTP_TOKEN or --http-token-file.',
    );
  return {
    // Whoever is asked for a token cannot be misused by a page that does not have it.
    hosts: isLocal || named.length > 0 ? [...LOOPBACK, ...named] : undefined,
    // As browsers write them, without the port that goes without saying.
    origins: new Set([...(publicUrl === undefined ? [] : [publicUrl]), ...allowedOrigins].map(originOf)),
    allowsLocalPages: isLocal,
    tokens,
  };
}
