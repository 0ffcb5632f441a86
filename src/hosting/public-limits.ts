/**
 * Limits for requests that anybody may send, without a token: registrations, sign-ins, pages, tokens. They count for the
 * address of the caller, and all together, so that no one can fill the store or keep the server busy. What belongs to an access
 * that a person has allowed counts for that access only, so that a flood from elsewhere does not reach it.
 */
import type { IncomingMessage } from 'node:http';
import { isIPv6, type Socket } from 'node:net';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../base/clock.ts';
import { type Refusal, type RequestLimit, RequestLimits } from '../transports/http/request-limits.ts';
import { hashOf } from './derived-key.ts';
import { paths } from './provider.ts';
import { isPublicAddress } from './public-fetch.ts';
import { REDIRECT_PATHS } from './upstream.ts';

/** A sign-in takes about ten requests. */
const OF_ADDRESS = { concurrent: 32, perMinute: 600 };
const OF_ALL = { concurrent: 256, perMinute: 6_000 };
/** A registered client that is never used is stored for a day. */
const REGISTRATIONS_OF_ADDRESS = { perMinute: 20 };
const REGISTRATIONS = { perMinute: 100 };
/** Each sign-in that begins is stored for up to two hours, whether the person goes on or not. */
const BEGUN_OF_ADDRESS = { perMinute: 60 };
const BEGUN = { perMinute: 600 };
const BEGINNINGS: readonly string[] = [paths.authorization, '/account/sign-in'];
/** Each one sends two requests to the budgeting service. */
const SIGN_INS = { concurrent: 32 };
/** Of one access: its code, its renewals and its end. */
const OF_ACCESS = { concurrent: 8, perMinute: 60 };
/** Tokens whose hour is over are among them. A provider of assistants may have all its users at one address. */
const TOKENS_OF_ADDRESS = { perMinute: 1_200 };
/** A network of IPv6 with 2^16 of those that count as one address may use so many times as much as one. */
const NETWORK_FACTOR = 4;
const MAX_KNOWN_TOKENS = 10_000;

type Rates = Omit<RequestLimit, 'of' | 'sender'>;

/** Of each kind, the limits that one caller can reach alone come first. */
export function publicLimits(path: string, address: string): RequestLimit[] {
  const limits = (name: string, ofAddress: Rates, ofAll: Rates): RequestLimit[] => [
    ...ownLimits(name, address, ofAddress),
    { of: name, ...ofAll, sender: networkOf(address) },
  ];
  return [
    ...limits('requests', OF_ADDRESS, OF_ALL),
    ...(path === paths.registration ? limits('registrations', REGISTRATIONS_OF_ADDRESS, REGISTRATIONS) : []),
    ...(BEGINNINGS.includes(path) ? limits('begun', BEGUN_OF_ADDRESS, BEGUN) : []),
    ...(REDIRECT_PATHS.includes(path) ? [{ of: 'sign-ins', ...SIGN_INS, sender: networkOf(address) }] : []),
  ];
}

/** Requests with a code or a token of an access count for it only. */
export const accessLimits = (grantId: string): RequestLimit[] => [{ of: `access ${grantId}`, ...OF_ACCESS }];

/**
 * Limits how many tokens that were never valid here the store is asked for: an address can invent any number of them. Tokens
 * that were valid when they were looked up last are looked up in any case, because assistants of one provider share a few addresses.
 */
export function tokenLookups(clock: Clock) {
  const limits = new RequestLimits(clock);
  /** The grants of tokens that were valid, by the hashes of these, and whether they still were when they were looked up last. */
  const grants = new LRUCache<string, { readonly id: string; readonly isValid: boolean }>({
    max: MAX_KNOWN_TOKENS,
  });

  /**
   * What `find` knows about the token, and the grant of a token that is not valid any more. `find` gets the grant that an
   * earlier call has found, and is not called if the address has asked for too many.
   */
  return async <Found extends { readonly grantId: string }>(
    token: string,
    address: string,
    find: (grantId: string | undefined) => Promise<Found | undefined>,
  ): Promise<
    | { readonly found: Found | undefined; readonly grantId: string | undefined }
    | { readonly refusal: Refusal }
  > => {
    const hash = hashOf(token);
    const known = grants.get(hash);
    if (!known?.isValid) {
      const admitted = limits.admit(ownLimits('tokens', address, TOKENS_OF_ADDRESS));
      if (typeof admitted !== 'function') return { refusal: admitted };
    }
    const found = await find(known?.id);
    const grantId = found?.grantId ?? known?.id;
    if (grantId !== undefined) grants.set(hash, { id: grantId, isValid: found !== undefined });
    return { found, grantId };
  };
}

function ownLimits(name: string, address: string, rates: Rates): RequestLimit[] {
  const network = networkOf(address);
  const { concurrent, perMinute } = rates;
  const ofNetwork = {
    of: `${name} ${network}/48`,
    ...(concurrent !== undefined && { concurrent: NETWORK_FACTOR * concurrent }),
    ...(perMinute !== undefined && { perMinute: NETWORK_FACTOR * perMinute }),
  };
  return [{ of: `${name} ${address}`, ...rates }, ...(network === address ? [] : [ofNetwork])];
}

/**
 * The address whose requests count together. A proxy in front of this server is on this machine or in its network, and adds
 * the address that it sees at the end of a header. The header of a public address is not believed.
 */
export function addressOf({
  socket,
  headers,
}: Pick<IncomingMessage, 'headers'> & { socket: Pick<Socket, 'remoteAddress'> }): string {
  const peer = withoutPrefix(socket.remoteAddress ?? '');
  const forwarded = String(headers['x-forwarded-for'] ?? '');
  const last = forwarded.slice(forwarded.lastIndexOf(',') + 1).trim();
  return countedAs(last === '' || isPublicAddress(peer) ? peer : withoutPrefix(last));
}

/** A system that listens for both versions of IP shows addresses of version 4 with a prefix. Some proxies add the port. */
const withoutPrefix = (address: string) =>
  address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/^(?:\[(.*)\]|(\d+\.\d+\.\d+\.\d+))(?::\d+)?$/, '$1$2');

/** An owner of one IPv6 address has the 2^64 of its network. */
function countedAs(address: string): string {
  if (!isIPv6(address)) return address.slice(0, MAX_LENGTH);
  const [start = '', end] = address.split('::');
  const groups = start === '' ? [] : start.split(':');
  const last = end ? end.split(':') : [];
  const missing = end === undefined ? 0 : Math.max(0, 8 - groups.length - last.length);
  const all = [...groups, ...Array.from({ length: missing }, () => '0'), ...last];
  return all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}

/** Of an address of IPv6 as it counts, a network (/48) that one owner often has too. Others are networks of their own. */
const networkOf = (address: string) => address.split(':').slice(0, 3).join(':');

/** Of what a header may contain instead of an address. */
const MAX_LENGTH = 45;
