/**
 * Limits for requests that anybody may send, without a token: registrations, sign-ins, pages, tokens. They count for the
 * address of the caller, and all together, so that no one can fill the store or keep the server busy.
 */
import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import type { RequestLimit } from '../transports/http/request-limits.ts';
import { paths } from './provider.ts';
import { isPublicAddress } from './public-fetch.ts';
import { REDIRECT_PATHS } from './redirect-paths.ts';

/** A sign-in takes about ten requests. A provider of assistants may refresh the tokens of all its users from one address. */
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

/** The limits that come first are those that one caller can reach alone. */
export function publicLimits(path: string, address: string): RequestLimit[] {
  return [
    { of: `address ${address}`, ...OF_ADDRESS },
    ...(path === paths.registration
      ? [
          { of: `registrations ${address}`, ...REGISTRATIONS_OF_ADDRESS },
          { of: 'registrations', ...REGISTRATIONS },
        ]
      : []),
    ...(BEGINNINGS.includes(path)
      ? [
          { of: `begun ${address}`, ...BEGUN_OF_ADDRESS },
          { of: 'begun', ...BEGUN },
        ]
      : []),
    ...(REDIRECT_PATHS.includes(path) ? [{ of: 'sign-ins', ...SIGN_INS }] : []),
    { of: 'all addresses', ...OF_ALL },
  ];
}

/**
 * The address whose requests count together. A proxy in front of this server is on this machine or in its network, and adds
 * the address that it sees at the end of a header. The header of a public address is not believed.
 */
export function addressOf({ socket, headers }: Pick<IncomingMessage, 'headers'> & { socket: Peer }): string {
  const peer = withoutPrefix(socket.remoteAddress ?? '');
  const forwarded = String(headers['x-forwarded-for'] ?? '');
  const last = forwarded.slice(forwarded.lastIndexOf(',') + 1).trim();
  return networkOf(last === '' || isPublicAddress(peer) ? peer : withoutPrefix(last));
}

interface Peer {
  readonly remoteAddress?: string | undefined;
}

/** A system that listens for both versions of IP shows addresses of version 4 with a prefix. Some proxies add the port. */
const withoutPrefix = (address: string) =>
  address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/^(?:\[(.*)\]|(\d+\.\d+\.\d+\.\d+))(?::\d+)?$/, '$1$2');

/** An owner of one IPv6 address has the 2^64 of its network. */
function networkOf(address: string): string {
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

/** Of what a header may contain instead of an address. */
const MAX_LENGTH = 45;
