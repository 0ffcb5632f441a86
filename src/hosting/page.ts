/** The pages of a hosted server, none of which has a script, the forms on them and their cookies. */
import type { Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { html } from 'hono/html';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { type Html, layoutHeaders, type PageContent, pageHtml } from '../auth/page-layout.ts';
import { visible } from '../base/quote.ts';
import { isUnavailable, UNAVAILABLE, UNAVAILABLE_STATUS } from './unavailable.ts';

interface Page extends Omit<PageContent, 'script'> {
  readonly status?: ContentfulStatusCode;
  /** Where the forms of the page may lead in the end, such as `https://host` or `scheme:`. */
  readonly formTargets?: readonly string[];
}

export function page(c: Context, { status = 200, formTargets, ...content }: Page) {
  const formAction = formTargets ? ["'self'", ...formTargets].join(' ') : "'none'";
  for (const [name, value] of Object.entries(layoutHeaders(formAction))) c.header(name, value);
  return c.html(pageHtml(content), status);
}

/** By which a form shows that it is from a page of this server. */
export const csrfField = (token: string): Html => html`<input type="hidden" name="csrf" value="${token}">`;

/** The next step of a person whom an application has sent here. */
const startAgain = html`<p class="soft">Nothing was allowed. You can close this page, and start again in the application.</p>`;

/** For a request that cannot be answered. */
export const failure = (text: string, next: Html = startAgain): PageContent => ({
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

/** Cookies that scripts cannot read. */
export function pageCookies(issuer: string) {
  const secure = issuer.startsWith('https:');
  const nameOf = (name: string) => `${secure ? '__Host-' : ''}budget-mcp-${name}`;
  return {
    get: (c: Context, name: string) => getCookie(c, nameOf(name)),
    set(c: Context, name: string, value: string, ageMs: number) {
      const limits = { httpOnly: true, sameSite: 'Lax', path: '/', secure } as const;
      setCookie(c, nameOf(name), value, { ...limits, maxAge: ageMs / 1_000 });
    },
    remove: (c: Context, name: string) => deleteCookie(c, nameOf(name), { path: '/', secure }),
  };
}
