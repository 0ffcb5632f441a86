/**
 * The answer to an authorization request that is refused. Anyone can register a client, and could use a mistake on purpose, such
 * as `prompt=none`, to send people from this server to any page (RFC 9700, section 4.11.2). So the browser stays on a page here
 * until the person has decided about the client, and the answer is a link.
 */
import { html } from 'hono/html';
import type { KoaContextWithOIDC as Context, ErrorOut, Provider } from 'oidc-provider';
import { type Html, layoutHeaders, pageHtml } from '../auth/page-layout.ts';
import { visible } from '../base/quote.ts';
import { redirectHostOf } from './consent-page.ts';
import { failure } from './page.ts';
import { isUnavailable, UNAVAILABLE } from './unavailable.ts';

const BAD_REQUEST = 400;

export function keepUndecidedHere(provider: Provider): void {
  provider.on('authorization.error', ({ oidc }, error) => {
    if (oidc.entities.Interaction?.result === undefined) error.allow_redirect = false;
  });
}

/** `renderError` of oidc-provider. */
export function renderRefusal(context: Context, answer: ErrorOut, cause: Error): void {
  const description = isUnavailable(cause) ? UNAVAILABLE.message : answer.error_description;
  const { title, body } = failure(
    `${description ?? 'The request of the application is not valid.'} (${answer.error})`,
  );
  for (const [name, value] of Object.entries(layoutHeaders("'none'"))) context.set(name, value);
  // It may be that of a redirect.
  context.status = Math.max(context.status, BAD_REQUEST);
  context.type = 'html';
  context.body = String(pageHtml({ title, body: html`${body}${linkToClient(context, answer)}` }));
}

/** With the answer, as a redirect would have it. Empty if the address is not one of the client. */
function linkToClient({ oidc }: Context, answer: ErrorOut): Html | string {
  const uri = oidc.params?.['redirect_uri'];
  if (typeof uri !== 'string' || !oidc.client?.redirectUriAllowed(uri)) return '';
  const address = new URL(uri);
  for (const [name, value] of Object.entries(answer)) address.searchParams.set(name, value);
  return html`
<p>If you have just begun to connect this application yourself, you can <a href="${address.href}">go back to it</a>:
${visible(redirectHostOf(uri))}.</p>
<p class="soft">${visible(uri)}</p>`;
}
