/**
 * The frame of every page of the service: a document that works without scripts, has none, and cannot be made to run
 * any. It knows how a page looks and what a browser may do with it, and must not know what a page says.
 */
import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { every } from 'hono/combine';
import { createMiddleware } from 'hono/factory';
import { html, raw } from 'hono/html';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { style } from './style.ts';

export type Html = ReturnType<typeof html>;

export interface Page {
  title: string;
  body: Html;
  status?: ContentfulStatusCode;
  /** What went wrong, for the reader. */
  alarm?: string | undefined;
  /** Who is signed in, and the token that lets this page sign out. */
  visitor?: { email: string; csrfToken: string };
  /** A URI outside the service that a form of the page may end at by redirection. */
  redirectsTo?: string;
  wide?: boolean;
}

/** What holds for the address of a page, for its redirections as well: nobody keeps it or learns it from a link. */
export const asPage = every(
  createMiddleware(async (c, next) => {
    c.header('Cache-Control', 'no-store');
    c.header('Referrer-Policy', 'no-referrer');
    c.header('X-Content-Type-Options', 'nosniff');
    c.header('X-Frame-Options', 'DENY');
    await next();
  }),
  bodyLimit({ maxSize: 65_536, onError: (c) => c.text('The form is too large.', 413) }),
);

export function page(c: Context, content: Page): Response | Promise<Response> {
  const { title, body, status = 200, alarm, visitor, redirectsTo, wide = false } = content;
  c.header('Content-Security-Policy', contentSecurityPolicy(redirectsTo));
  return c.html(
    html`<!doctype html>
<html lang="en" class="${wide ? 'wide' : ''}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${alarm === undefined ? '' : 'Error: '}${title} – Budget service</title>
<style>${raw(style)}</style>
</head>
<body>
<header>
<p class="brand">Budget service</p>
${visitor && signOutForm(visitor)}
</header>
<main>
<h1>${title}</h1>
${alarm !== undefined && html`<p class="alarm-notice" role="alert" tabindex="-1" autofocus>${alarm}</p>`}
${body}
</main>
</body>
</html>
`,
    status,
  );
}

/** The field by which a form shows that it is ours. */
export const csrfField = (token: string) => html`<input type="hidden" name="csrf" value="${token}">`;

const signOutForm = ({ email, csrfToken }: { email: string; csrfToken: string }) =>
  html`<form method="post">${csrfField(csrfToken)}${email} ·
<button class="plain" name="intent" value="sign-out">Sign out</button></form>`;

const styleHash = createHash('sha256').update(style).digest('base64');

/** Browsers hold `form-action` against the redirection after a form as well, so that its end has to be named. */
function contentSecurityPolicy(redirectsTo: string | undefined): string {
  return [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    `form-action 'self'${redirectsTo === undefined ? '' : ` ${sourceOf(redirectsTo)}`}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}

/** A policy can name an origin, but none with an IPv6 address, and of other schemes only the scheme. */
function sourceOf(uri: string): string {
  const { protocol, hostname, origin } = new URL(uri);
  return /^https?:$/.test(protocol) && !hostname.startsWith('[') ? origin : protocol;
}
