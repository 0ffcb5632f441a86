/** Redirect URIs: the rules for registration, and the comparison of a requested URI with the registered ones. */

/** An `http` URI on the loopback interface, by IP address. The first group excludes the port. */
const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::\d{1,5})?(?=[/?]|$)/;

/** Private-use schemes of native applications contain a dot (RFC 8252, section 7.1). */
const PRIVATE_USE = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/;

/**
 * An absolute ASCII URI without a fragment (RFC 6749, section 3.1.2): `https`, `http` on this machine, or a
 * private-use scheme. Schemes such as `javascript` and `data` are excluded, because a browser runs or displays their
 * content.
 */
export function isRegistrable(uri: string): boolean {
  if (!/^[!-~]+$/.test(uri) || uri.includes('#') || !URL.canParse(uri)) return false;
  const { protocol, hostname, username, password } = new URL(uri);
  if (username !== '' || password !== '') return false;
  if (protocol === 'http:') return ['127.0.0.1', '[::1]', 'localhost'].includes(hostname);
  return protocol === 'https:' || PRIVATE_USE.test(protocol);
}

/**
 * The URIs must be equal character by character. On the loopback interface the port may differ (RFC 8252, section
 * 7.3).
 */
export function isRegistered(uri: string, registered: readonly string[]): boolean {
  const anyPort = (text: string) => text.replace(LOOPBACK, '$1');
  return (
    URL.canParse(uri) && registered.some((allowed) => allowed === uri || anyPort(allowed) === anyPort(uri))
  );
}

/**
 * Adds parameters to the query or as the fragment. The existing query is kept. A space is encoded as `%20`, which
 * every parser understands.
 */
export function withParameters(
  uri: string,
  responsePart: 'query' | 'fragment',
  parameters: Readonly<Record<string, string>>,
): string {
  const text = new URLSearchParams(parameters).toString().replaceAll('+', '%20');
  if (responsePart === 'fragment') return `${uri}#${text}`;
  return `${uri}${uri.includes('?') ? '&' : '?'}${text}`;
}
