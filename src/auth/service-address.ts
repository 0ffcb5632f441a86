/**
 * Which addresses a token may be sent to (HTTPS, or this machine), the form of a token, and the public services by the names
 * that people type.
 */
import { z } from 'zod';
import { invalidConfig } from '../base/errors.ts';

/** Visible ASCII (RFC 6750, section 2.1). The message must not repeat the value. */
export const bearerToken = z.string().regex(/^[\x21-\x7e]+$/, 'must be a single word of visible characters');

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether requests to `url` stay on this machine. */
export const isLoopback = (url: string) => LOOPBACK.has(new URL(url).hostname);

/** A base URL or an application's URL, normalised to no trailing slash. */
export const serviceAddress = z
  .url({ protocol: /^https?$/, error: 'must be a URL such as https://api.example.com/v1', abort: true })
  .refine((url) => new URL(url).protocol === 'https:' || isLoopback(url), {
    error: 'must be https:// unless it is on this machine: a token is never sent unencrypted',
  })
  .refine((url) => !/[?#]|\/\/[^/]*@/.test(url), { error: 'must not contain credentials or a query' })
  .transform((url) => url.replace(/(?<!\/)\/+$/, ''));

/** The address of the service's interface, which ends with its version. */
export const baseAddress = serviceAddress.refine(
  (url) => url.endsWith('/v1'),
  'must end with /v1, such as https://api.example.com/v1',
);

/** For a program that does not check certificates. Throws `invalid_configuration` unless `url` is on this machine. */
export function refuseUncheckedCertificate(url: string): void {
  if (isLoopback(url)) return;
  throw invalidConfig(
    `NODE_TLS_REJECT_UNAUTHORIZED=0 turns off the check of certificates, so nothing is sent to ${new URL(url).origin}: others on the network could read the token. Unset it. To accept a certificate of your own authority, set NODE_EXTRA_CA_CERTS to the file of that authority.`,
  );
}

export interface KnownService {
  /** With the version segment, without a trailing slash. */
  readonly baseUrl: string;
  /** Where people sign in and find their developer settings. */
  readonly appUrl: string;
}

export const knownServices: ReadonlyMap<string, KnownService> = new Map([
  ['ynab', { baseUrl: 'https://api.ynab.com/v1', appUrl: 'https://app.ynab.com' }],
]);

/** The name and the addresses of the public service at this address. Undefined if there is none. */
export const serviceAt = (address: string | undefined) =>
  [...knownServices].find(([, { baseUrl }]) => baseUrl === address);
