/**
 * The access checks of `/mcp`, in this order: the `Host` header, the origin of the page, the token. A request that passes
 * them has a caller, by its token, and an owner of its sessions: the caller and the page that sent it, if any. Callers share
 * no data.
 */
import { hostHeaderValidationResponse } from '@modelcontextprotocol/server';
import type { MiddlewareHandler } from 'hono';
import { bearerAuth } from 'hono/bearer-auth';
import { cors } from 'hono/cors';
import { createMiddleware } from 'hono/factory';
import { createRefusal } from '../messages.ts';
import type { Access } from './access.ts';
import { type Callers, runAs } from './callers.ts';
import { errorResponse } from './error-response.ts';
import { noteRequest } from './observed-request.ts';
import type { RequestContext } from './request-context.ts';

/** `checkToken` sets the caller of the token. Without it, no token is required. */
export function guards(
  { hosts, origins }: Pick<Access, 'hosts' | 'origins'>,
  checkToken: MiddlewareHandler<RequestContext> | undefined,
): MiddlewareHandler<RequestContext>[] {
  // The server has no pages, so a program sends its own address as the origin. The `Host` header was checked before.
  const isOwnOrigin = (origin: string, host: string) => hosts !== undefined && origin === `http://${host}`;
  const corsHeaders = cors({
    // Other origins were refused before.
    origin: (origin) => origin,
    allowMethods: ['GET', 'POST', 'DELETE'],
    allowHeaders: ALLOWED_HEADERS,
    exposeHeaders: ['Mcp-Session-Id', 'WWW-Authenticate', 'Retry-After', 'X-Request-Id'],
    maxAge: 600,
  });
  return [
    createMiddleware<RequestContext>(async (c, next) => {
      const { username, password } = new URL(c.req.url);
      if (username !== '' || password !== '')
        return errorResponse(400, 'The address must not contain credentials.');
      const hostRefusal = hosts && hostHeaderValidationResponse(c.req.raw, [...hosts]);
      if (hostRefusal) return hostRefusal;
      const origin = c.req.header('origin') ?? '';
      if (origin !== '' && !origins.has(origin) && !isOwnOrigin(origin, c.req.header('host') ?? ''))
        return errorResponse(403, 'Pages of this origin may not call this server.');
      c.set('owner', origin);
      c.set('caller', origin);
      c.set('label', origin || 'a program');
      return next();
    }),
    // Programs have no origin and need no such headers. Adding them costs a copy of each response.
    createMiddleware<RequestContext>((c, next) =>
      c.req.header('origin') === undefined ? next() : corsHeaders(c, next),
    ),
    createMiddleware<RequestContext>((c, next) =>
      c.req.method === 'OPTIONS' ? Promise.resolve(c.body(null, 204, { allow: ALLOWED_METHODS })) : next(),
    ),
    ...(checkToken ? [checkToken] : []),
    createMiddleware<RequestContext>((c, next) => {
      noteRequest({ caller: c.var.label });
      return runAs({ id: c.var.caller, label: c.var.label }, next);
    }),
  ];
}

export const ALLOWED_METHODS = 'GET, POST, DELETE, OPTIONS';

const ALLOWED_HEADERS = [
  'Accept',
  'Authorization',
  'Content-Type',
  'Last-Event-ID',
  'Mcp-Method',
  'Mcp-Name',
  'Mcp-Protocol-Version',
  'Mcp-Session-Id',
];

/** Hexadecimal digits of the SHA-256 of a token: enough to distinguish callers in a log. */
const LABEL_DIGITS = 8;

/** For tokens that the settings name. */
export function tokenCheck(callers: Callers): MiddlewareHandler<RequestContext> {
  return bearerAuth<RequestContext>({
    realm: 'budget-mcp',
    verifyToken: async (token, c) => {
      const caller = await callers.find(token);
      if (caller === undefined) return false;
      c.set('owner', `${caller} ${c.var.owner}`);
      c.set('caller', caller);
      c.set('label', caller.slice(0, LABEL_DIGITS));
      return true;
    },
    noAuthenticationHeader: { message: createRefusal('A bearer token is required.') },
    invalidAuthenticationHeader: { message: createRefusal('The authorization is not a bearer token.') },
    invalidToken: { message: createRefusal('This token is not valid for this server.') },
  });
}
