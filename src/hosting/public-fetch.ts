/**
 * Loads a document from an address that a stranger gives, or posts to it. It connects only to public addresses, follows no redirect, and
 * limits time and size, so that a stranger cannot use this server to reach machines beside it (server-side request forgery).
 */
import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import type { Clock } from '../base/clock.ts';

const MAX_BYTES = 5 * 1_024;
const TIMEOUT_MS = 2_000;

/** The special-purpose addresses of IPv4 (RFC 6890 and the registry of IANA). */
const special = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  special.addSubnet(network, prefix, 'ipv4');

/** All public addresses of IPv6 are in one network, and these parts of it are special. */
const global6 = new BlockList();
global6.addSubnet('2000::', 3, 'ipv6');
for (const [network, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
] as const)
  special.addSubnet(network, prefix, 'ipv6');

export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !special.check(address, 'ipv4');
  return isIP(address) === 6 && global6.check(address, 'ipv6') && !special.check(address, 'ipv6');
}

/** The address in the place of a name, which is not looked up. Undefined for a name. */
export function addressIn({ hostname }: URL): string | undefined {
  const host = hostname.replace(/^\[|\]$/g, '');
  return isIP(host) === 0 ? undefined : host;
}

export interface PublicFetchOptions {
  readonly clock: Clock;
  readonly isAllowed?: (address: string) => boolean;
  /** Further certificate authorities. */
  readonly ca?: string;
  /** The name servers, as `address:port`. By default those of the system. */
  readonly nameServers?: readonly string[];
}

export type FetchDocument = (url: string) => Promise<Response>;

export function createPublicFetch(options: PublicFetchOptions): FetchDocument {
  const send = createPublicRequest(options);
  return async (text) => {
    const headers = { accept: 'application/json' };
    const limits = { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES };
    const answer = await send(new URL(text), { method: 'GET', headers, ...limits });
    if (answer.status !== 200) return new Response(null, { status: 502 });
    const { 'cache-control': kept = '' } = answer.headers;
    return new Response(answer.body, { headers: { 'cache-control': String(kept) } });
  };
}

export interface PublicRequest {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs: number;
  /** Of the answer. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** Also without encryption. */
  readonly allowsPlain?: boolean;
}

/** Sends one request to an address that a stranger gives. Redirects are answers like others. */
export function createPublicRequest(options: PublicFetchOptions) {
  const { clock, isAllowed = isPublicAddress, ca, nameServers } = options;
  /** Node.js connects to the addresses that this returns, and to no others. */
  const lookupOf =
    (resolver: Resolver): LookupFunction =>
    (name, { all }, done) => {
      void addressesOf(resolver, name).then((addresses) => {
        const [first] = addresses;
        if (!first || addresses.some(({ address }) => !isAllowed(address))) done(refusal(), []);
        else if (all) done(null, addresses);
        else done(null, first.address, first.family);
      });
    };

  return async (url: URL, wanted: PublicRequest) => {
    const address = addressIn(url);
    if (url.protocol !== 'https:' && !(wanted.allowsPlain && url.protocol === 'http:')) throw refusal();
    if (address !== undefined && !isAllowed(address)) throw refusal();
    // esbuild exposes only `default` for a bundled CommonJS module.
    const { Agent, request } = (await import('undici')).default;
    const resolver = new Resolver();
    if (nameServers) resolver.setServers(nameServers);
    const ended = new AbortController();
    const timeout = clock.sleep(wanted.timeoutMs, ended.signal, true).then(
      () => ended.abort(new TimeoutError('There was no answer in time.')),
      () => {},
    );
    const dispatcher = new Agent({
      connect: { lookup: lookupOf(resolver), ...(ca !== undefined && { ca }) },
      maxResponseSize: wanted.maxBytes,
    });
    try {
      const { method, headers, body = null, signal } = wanted;
      const answer = await request(url, {
        dispatcher,
        method,
        headers,
        body,
        signal: signal ? AbortSignal.any([signal, ended.signal]) : ended.signal,
      });
      return {
        status: answer.statusCode,
        headers: answer.headers,
        body: Buffer.from(await answer.body.arrayBuffer()),
      };
    } catch (error) {
      throw ended.signal.reason instanceof TimeoutError ? ended.signal.reason : error;
    } finally {
      ended.abort();
      resolver.cancel();
      await dispatcher.destroy();
      await timeout;
    }
  };
}

export class TimeoutError extends Error {}

/**
 * Empty if none is found. Does not use `lookup` of Node.js: the whole process has two of these at a time, and one for a name
 * whose server never answers takes many seconds and cannot be ended.
 */
async function addressesOf(resolver: Resolver, name: string): Promise<LookupAddress[]> {
  const found = await Promise.all([
    resolver.resolve4(name).catch(() => []),
    resolver.resolve6(name).catch(() => []),
  ]);
  return found.flat().map((address) => ({ address, family: isIP(address) }));
}

const refusal = () => new Error('The address is not a public one.');
