/** The address of a Redis, as the settings have it: `redis://user:password@host:port/number`, or `rediss://` for TLS. */
import type { RedisOptions } from 'ioredis';
import { StoreError } from './store-error.ts';

const PORT = 6_379;

type Address = Required<Pick<RedisOptions, 'host' | 'port' | 'db'>> &
  Pick<RedisOptions, 'username' | 'password' | 'tls'>;

/** Throws a `StoreError` without the address, because it has the password. */
export function redisOptionsOf(text: string): Address {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const [username, password] = [url?.username, url?.password].map(decoded);
  const isTls = url?.protocol === 'rediss:';
  const number = /^\/?(\d*)$/.exec(url?.pathname ?? '')?.[1];
  if (
    !url ||
    !(isTls || url.protocol === 'redis:') ||
    url.hostname === '' ||
    number === undefined ||
    username === undefined ||
    password === undefined ||
    url.search
  )
    throw new StoreError(
      'not usable, because its address is not of the form redis://user:password@host:port',
    );
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return {
    host,
    port: Number(url.port || PORT),
    db: Number(number),
    ...(username && { username }),
    ...(password && { password }),
    ...(isTls && { tls: {} }),
  };
}

/** Undefined if a `%` is not followed by the number of a character. */
function decoded(text = ''): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
