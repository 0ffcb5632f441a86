/**
 * The doors of `/mcp`, in the order in which a request meets them: the name that it calls the server by, the page that
 * it comes from, the token that it brings. Behind them every request has a caller: the holder of a token, and the page
 * that calls for them, if any. What one caller has is never told to another.
 */
import { hostHeaderValidationResponse } from '@modelcontextprotocol/server';
import type { MiddlewareHandler } from 'hono';
import { bearerAuth } from 'hono/bearer-auth';
import { cors } from 'hono/cors';
import { createMiddleware } from 'hono/factory';
import { refused } from '../error-response.ts';
import type { Access } from './access.ts';
import type { Callers } from './callers.ts';
import { runAs } from './current-caller.ts';
import { errorResponse } from './refusal.ts';
import type { RequestContext } from './request-context.ts';

/** Without `callers` no token is asked for. */
export function guards(
  { hosts, origins }: Pick<Access, 'hosts' | 'origins'>,
  callers: Callers | undefined,
): MiddlewareHandler<RequestContext>[] {
  // The server has no pages, so this comes from a program. The name that it was called by is one of its own.
  const isItsOwn = (origin: string, host: string) => hosts !== undefined && origin === `http://${host}`;
  return [
    createMiddleware<RequestContext>(async (c, next) => {
      const { username, password } = new URL(c.req.url);
      if (username !== '' || password !== '')
        return errorResponse(400, 'An address may not hold credentials.');
      const stranger = hosts && hostHeaderValidationResponse(c.req.raw, [...hosts]);
      if (stranger) return stranger;
      const origin = c.req.header('origin') ?? '';
      if (origin !== '' && !origins.has(origin) && !isItsOwn(origin, c.req.header('host') ?? ''))
        return errorResponse(403, 'Pages of this origin may not call here.');
      c.set('caller', origin);
      c.set('holder', origin);
      c.set('label', origin || 'a program');
      return next();
    }),
    cors({
      // Whatever origin comes so far is a known one.
      origin: (origin) => origin,
      allowMethods: ['GET', 'POST', 'DELETE'],
      allowHeaders: ALLOWED_HEADERS,
      exposeHeaders: ['Mcp-Session-Id', 'WWW-Authenticate', 'Retry-After'],
      maxAge: 600,
    }),
    ...(callers ? [tokenCheck(callers)] : []),
    createMiddleware<RequestContext>((c, next) => runAs({ id: c.var.holder, label: c.var.label }, next)),
  ];
}

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

/** Of the SHA-256 of a token, in hexadecimal digits: enough to tell callers apart in a log. */
const LABEL_DIGITS = 8;

function tokenCheck(callers: Callers): MiddlewareHandler<RequestContext> {
  return bearerAuth<RequestContext>({
    realm: 'budget-mcp',
    verifyToken: async (token, c) => {
      const holder = await callers.find(token);
      if (holder === undefined) return false;
      c.set('caller', `${holder} ${c.var.caller}`);
      c.set('holder', holder);
      c.set('label', holder.slice(0, LABEL_DIGITS));
      return true;
    },
    noAuthenticationHeader: { message: refused('A bearer token is needed.') },
    invalidAuthenticationHeader: { message: refused('The authorization is no bearer token.') },
    invalidToken: { message: refused('This token is not valid here.') },
  });
}
