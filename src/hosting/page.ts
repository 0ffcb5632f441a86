/**
 * The layout of the pages of the authorization server, and the headers that restrict what a browser may do with them. A
 * page has no scripts and loads nothing.
 */
import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { html, raw } from 'hono/html';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { visible } from '../base/quote.ts';
import { isUnavailable, UNAVAILABLE, UNAVAILABLE_STATUS } from './unavailable.ts';

export type Html = ReturnType<typeof html>;

export interface Page {
  readonly title: string;
  readonly body: Html;
  readonly status?: ContentfulStatusCode;
  readonly continuesAt?: string;
  /** Where the forms of the page may lead in the end, such as `https://host` or `scheme:`. */
  readonly formTargets?: readonly string[];
}

const style = `
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5a6472; --paper: #f4f5f7; --card: #fff; --line: #dfe3e8;
  --accent: #1f5fbf; --on-accent: #fff; --alarm: #b3261e; --done: #1c6b3a; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8ebef; --soft: #a3adba; --paper: #14181d; --card: #1d232a; --line: #323a44;
    --accent: #8ab8ff; --on-accent: #10151b; --alarm: #ffb4ab; --done: #7fd6a0; }
}
body { margin: 0; min-height: 100vh; display: grid; grid-template-columns: 100%; place-items: center;
  background: var(--paper); color: var(--ink); font: 1.0625rem/1.6 system-ui, sans-serif; }
main { box-sizing: border-box; width: min(36rem, 100% - 2rem); margin: 1rem; padding: clamp(1.25rem, 6vw, 2.5rem);
  background: var(--card); border: 1px solid var(--line); border-radius: 14px; overflow-wrap: break-word; }
h1 { margin: 0 0 .75rem; font-size: 1.5rem; line-height: 1.25; }
h2 { margin: 2rem 0 .5rem; font-size: 1.25rem; }
h3 { margin: 0; font-size: 1.0625rem; }
p, dl, ul { margin: .75rem 0; }
ul { padding-left: 1.25rem; }
section { margin: 1rem 0; padding: 1rem; border: 1px solid var(--line); border-radius: 10px; }
summary { color: var(--accent); cursor: pointer; }
a { color: var(--accent); }
code { display: inline-block; max-width: 100%; }
label { font-weight: 600; }
select { box-sizing: border-box; width: 100%; min-height: 2.75rem; padding: .5rem; font: inherit; color: inherit;
  background: var(--paper); border: 1px solid var(--soft); border-radius: 6px; }
dt { color: var(--soft); font-size: .875rem; }
dd { margin: 0 0 .5rem; font-weight: 600; }
section dd { font-weight: 400; }
.buttons { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.5rem; }
.buttons > * { flex: 1 1 9rem; }
.column { display: grid; gap: .75rem; }
button, .button { box-sizing: border-box; display: block; width: 100%; min-height: 2.75rem; padding: .5rem 1rem; font: inherit;
  font-weight: 600; line-height: 1.6; text-align: center; text-decoration: none; cursor: pointer;
  color: var(--accent); background: transparent; border: 1px solid currentcolor; border-radius: 6px; }
.main { color: var(--on-accent); background: var(--accent); }
.alarm, .problem { color: var(--alarm); }
.notice { color: var(--done); }
.notice, .problem { display: block; margin-top: .25rem; font-weight: 600; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.soft { color: var(--soft); font-size: .9375rem; }
`;

const styleHash = createHash('sha256').update(style).digest('base64');

/** The address of a page and its forms contain secrets, so nothing is cached or sent as a referrer. */
export function pageHeaders(formTargets: readonly string[] = []): Record<string, string> {
  const targets = formTargets.length === 0 ? "'none'" : ["'self'", ...formTargets].join(' ');
  return {
    'Cache-Control': 'no-store',
    'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${styleHash}'; form-action ${targets}; base-uri 'none'; frame-ancestors 'none'`,
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Cross-Origin-Opener-Policy': 'same-origin',
  };
}

export const pageHtml = ({
  title,
  body,
  continuesAt,
}: Pick<Page, 'title' | 'body' | 'continuesAt'>) => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
${continuesAt !== undefined && html`<meta http-equiv="refresh" content="0; url=${continuesAt}">`}
<title>${title} – Budget MCP</title>
<style>${raw(style)}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;

export function page(
  c: Context,
  { status = 200, formTargets, ...content }: Page,
): Response | Promise<Response> {
  for (const [name, value] of Object.entries(pageHeaders(formTargets))) c.header(name, value);
  return c.html(pageHtml(content), status);
}

/** By which a form shows that it is from a page of this server. */
export const csrfField = (token: string): Html => html`<input type="hidden" name="csrf" value="${token}">`;

/** The next step of a person whom an application has sent here. */
const startAgain = html`<p class="soft">Nothing was allowed. You can close this page, and start again in the application.</p>`;

/** For a request that cannot be answered. */
export const failure = (text: string, next: Html = startAgain): Pick<Page, 'title' | 'body'> => ({
  title: 'This did not work',
  body: html`<p role="alert">${text}</p>
${next}`,
});

/** For a person who is not on the list of those who may sign in. `userId` is their id at the budgeting service. */
export const refusedPersonPage = (
  c: Context,
  { userId, appUrl, continuesAt }: { userId: string; appUrl: string; continuesAt?: string },
) =>
  page(c, {
    status: 403,
    title: 'You are not on the list of this server',
    body: html`<p role="alert">Only people on a list may sign in here. Nothing was allowed, and nothing about you is kept.</p>
<p>To be added, send your id to the person who runs this server, for <code>--allow-people</code>:</p>
<p><code>${visible(userId)}</code></p>
<p class="soft">What you have allowed this server at ${visible(new URL(appUrl).host)} can be ended in the settings there.</p>
${continuesAt === undefined ? '' : html`<p><a href="${continuesAt}">Go back to the application</a></p>`}`,
  });

export const expired = (c: Context, next?: Html) =>
  page(c, {
    ...failure('This page has expired, or was opened in another browser, so nothing was done.', next),
    status: 400,
  });

/** For an error that no route expects. */
export function errorPage(c: Context, error: Error, next?: Html): Response | Promise<Response> {
  if (!isUnavailable(error))
    return page(c, { ...failure('An error occurred in this server.', next), status: 500 });
  c.header('Retry-After', UNAVAILABLE.retryAfter);
  return page(c, { ...failure(UNAVAILABLE.message, next), status: UNAVAILABLE_STATUS });
}

const MAX_FORM_BYTES = 8_192;

export const formLimit = bodyLimit({
  maxSize: MAX_FORM_BYTES,
  onError: (c) => c.text('The form is too large.', 413),
});

/** The fields of a form, or of what is sent in its place. None if it is malformed. */
export const formOf = (c: Context): Promise<Readonly<Record<string, unknown>>> =>
  c.req.parseBody().catch(() => ({}));
