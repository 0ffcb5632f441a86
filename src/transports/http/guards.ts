/**
 * The doors of `/mcp`, in the order in which a request meets them: the name that it calls the server by, the page that
 * it comes from, the token that it brings. Behind them every request has a caller: the holder of a token, and the page
 * that calls for them, if any. What one caller has is never told to another.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import {
  hostHeaderValidationResponse,
  localhostAllowedOrigins,
  validateOriginHeader,
} from '@modelcontextprotocol/server';
import type { MiddlewareHandler } from 'hono';
import { bearerAuth } from 'hono/bearer-auth';
import { cors } from 'hono/cors';
import { createMiddleware } from 'hono/factory';
import { refused } from '../error-response.ts';
import type { Access } from './access.ts';
import { refusal } from './refusal.ts';
import type { RequestContext } from './request-context.ts';

export function guards({
  hosts,
  origins,
  allowsLocalPages,
  tokens,
}: Access): MiddlewareHandler<RequestContext>[] {
  const isLocalPage = (origin: string) =>
    allowsLocalPages && validateOriginHeader(origin, localhostAllowedOrigins()).ok;
  return [
    createMiddleware<RequestContext>(async (c, next) => {
      const { username, password } = new URL(c.req.url);
      if (username !== '' || password !== '') return refusal(400, 'An address may not hold credentials.');
      const stranger = hosts && hostHeaderValidationResponse(c.req.raw, [...hosts]);
      if (stranger) return stranger;
      const origin = c.req.header('origin') ?? '';
      if (origin !== '' && !origins.has(origin) && !isLocalPage(origin))
        return refusal(403, 'Pages of this origin may not call here.');
      c.set('caller', origin);
      c.set('holder', origin);
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
    ...(tokens.length > 0 ? [tokenCheck(tokens)] : []),
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

const digestOf = (token: string) => createHash('sha256').update(token).digest();

/** How long it takes tells nothing of how much of a token was right. */
function tokenCheck(tokens: readonly string[]): MiddlewareHandler<RequestContext> {
  const known = tokens.map(digestOf);
  return bearerAuth<RequestContext>({
    realm: 'budget-mcp',
    verifyToken: (token, c) => {
      const digest = digestOf(token);
      const matches = known.map((each) => timingSafeEqual(each, digest));
      const holder = digest.toString('base64');
      c.set('caller', `${holder} ${c.var.caller}`);
      c.set('holder', holder);
      return matches.includes(true);
    },
    noAuthenticationHeader: { message: refused('A bearer token is needed.') },
    invalidAuthenticationHeader: { message: refused('The authorization is no bearer token.') },
    invalidToken: { message: refused('This token is not valid here.') },
  });
}
