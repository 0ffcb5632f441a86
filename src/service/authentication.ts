/**
 * Authenticates a request: finds its token and the user, and checks whether the token may be used now. The checks
 * run in the order 401, 429, 403 (docs/interface.md, Authentication, Limits and Errors). A read-only token is
 * limited to GET and HEAD. The routes that follow can read `grant` and `now`.
 */
import type { Context } from 'hono';
import { createMiddleware } from 'hono/factory';
import type { Clock } from '../base/clock.ts';
import type { Access, Grant, Subscription } from './access.ts';
import { ServiceError } from './errors.ts';
import type { RateLimit } from './rate-limit.ts';

export interface Authenticated {
  Variables: {
    grant: Grant;
    /** The time of the request in milliseconds since the epoch. The whole response uses this one time. */
    now: number;
  };
}

const subscriptionErrors: Record<Exclude<Subscription, 'active'>, string> = {
  subscription_lapsed: 'The subscription of this account has lapsed.',
  trial_expired: 'The trial of this account has expired.',
};

export function authentication(access: Access, rateLimit: RateLimit, clock: Clock) {
  return createMiddleware<Authenticated>(async (c, next) => {
    const token = presentedToken(c);
    const issued = token === undefined ? undefined : access.find(token);
    if (issued === undefined) {
      c.header('WWW-Authenticate', 'Bearer');
      throw new ServiceError('not_authorized', 'The access token is missing, invalid, revoked or expired.');
    }
    issued.used = true;
    const { grant } = issued;

    const requestCount = rateLimit.take(grant);
    if (requestCount === undefined) {
      throw new ServiceError('too_many_requests', 'Too many requests. Wait for an hour at most and retry.');
    }
    c.header('X-Rate-Limit', `${requestCount}/${rateLimit.limit}`);

    const { subscription } = grant.user;
    if (subscription !== 'active') throw new ServiceError(subscription, subscriptionErrors[subscription]);

    if (grant.scope === 'read-only' && !['GET', 'HEAD'].includes(c.req.method)) {
      throw new ServiceError('unauthorized_scope', 'The access token is for reading only.');
    }

    c.set('grant', grant);
    c.set('now', clock.now());
    await next();
  });
}

/**
 * The token of the `Authorization` header or of the `access_token` parameter. Undefined when there is none, when the
 * header does not have the form `Bearer <token>`, or when a request has two different tokens: RFC 6750 allows one.
 */
function presentedToken(c: Context): string | undefined {
  const header = c.req.header('Authorization');
  const tokens = new Set<string | undefined>(c.req.queries('access_token'));
  if (header !== undefined) tokens.add(/^Bearer +(\S+) *$/i.exec(header)?.[1]);
  return tokens.size === 1 ? [...tokens][0] : undefined;
}
