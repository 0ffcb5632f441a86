/**
 * The layout of every page, and the headers that restrict what a browser may do with it. Pages contain no scripts,
 * and the content security policy forbids them.
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
  /** The error message for the user. */
  errorMessage?: string | undefined;
  /** The user who is signed in, and the CSRF token for signing out. */
  user?: { email: string; csrfToken: string };
  /** A URI outside the service that a form of the page may redirect to. */
  redirectsTo?: string;
  wide?: boolean;
}

/**
 * Headers for a page and its redirects. The address may contain secrets, so it is not cached and not sent as
 * referrer.
 */
export const pageMiddleware = every(
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
  const { title, body, status = 200, errorMessage, user, redirectsTo, wide = false } = content;
  c.header('Content-Security-Policy', contentSecurityPolicy(redirectsTo));
  return c.html(
    html`<!doctype html>
<html lang="en" class="${wide ? 'wide' : ''}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${errorMessage === undefined ? '' : 'Error: '}${title} – Budget service</title>
<style>${raw(style)}</style>
</head>
<body>
<header>
<p class="brand">Budget service</p>
${user && signOutForm(user)}
</header>
<main>
<h1>${title}</h1>
${errorMessage !== undefined && html`<p class="alarm-notice" role="alert" tabindex="-1" autofocus>${errorMessage}</p>`}
${body}
</main>
</body>
</html>
`,
    status,
  );
}

/** The field that carries the CSRF token of a form. */
export const csrfField = (token: string) => html`<input type="hidden" name="csrf" value="${token}">`;

const signOutForm = ({ email, csrfToken }: { email: string; csrfToken: string }) =>
  html`<form method="post">${csrfField(csrfToken)}${email} ·
<button class="plain" name="intent" value="sign-out">Sign out</button></form>`;

const styleHash = createHash('sha256').update(style).digest('base64');

/** Browsers apply `form-action` to the redirect after a form too, so the policy must name its target. */
function contentSecurityPolicy(redirectsTo: string | undefined): string {
  return [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    `form-action 'self'${redirectsTo === undefined ? '' : ` ${sourceOf(redirectsTo)}`}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}

/** A policy can name an origin, but not one with an IPv6 address. For other schemes it can name the scheme only. */
function sourceOf(uri: string): string {
  const { protocol, hostname, origin } = new URL(uri);
  return /^https?:$/.test(protocol) && !hostname.startsWith('[') ? origin : protocol;
}
