/** Redirect URIs: which ones an application may register, and whether one that a request names is registered. */

/** `http` on the loopback interface by its address, up to and without the port. */
const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::\d{1,5})?(?=[/?]|$)/;

/** Schemes that native applications make their own contain a dot (RFC 8252, section 7.1). */
const PRIVATE_USE = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/;

/**
 * An absolute URI without a fragment, written in ASCII (RFC 6749, section 3.1.2): `https`, `http` on this machine, or
 * a scheme of the application's own. Schemes in which a browser runs or reads something are none of these.
 */
export function isRegistrable(uri: string): boolean {
  if (!/^[!-~]+$/.test(uri) || uri.includes('#') || !URL.canParse(uri)) return false;
  const { protocol, hostname, username, password } = new URL(uri);
  if (username !== '' || password !== '') return false;
  if (protocol === 'http:') return ['127.0.0.1', '[::1]', 'localhost'].includes(hostname);
  return protocol === 'https:' || PRIVATE_USE.test(protocol);
}

/** Character by character the same; on the loopback interface the port may be any (RFC 8252, section 7.3). */
export function isRegistered(uri: string, registered: readonly string[]): boolean {
  const anyPort = (text: string) => text.replace(LOOPBACK, '$1');
  return URL.canParse(uri) && registered.some((one) => one === uri || anyPort(one) === anyPort(uri));
}

/**
 * Adds parameters, in the query or as the fragment. What the URI has in its query is kept. A space is `%20`, which
 * means a space to every reader.
 */
export function withParameters(
  uri: string,
  part: 'query' | 'fragment',
  parameters: Readonly<Record<string, string>>,
): string {
  const text = new URLSearchParams(parameters).toString().replaceAll('+', '%20');
  if (part === 'fragment') return `${uri}#${text}`;
  return `${uri}${uri.includes('?') ? '&' : '?'}${text}`;
}
