/** The page that asks a person whether a client may use their budgets. Names come from strangers and are only quoted. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import { quoteStart, visible } from '../base/quote.ts';
import type { ClientRequest } from './client-request.ts';
import { csrfField, page } from './page.ts';

const MAX_NAME_LENGTH = 80;

export type ConsentPage = Pick<ClientRequest, 'clientName' | 'verifiedHost' | 'redirectUri' | 'scopes'> & {
  readonly issuer: string;
  readonly appUrl: string;
  readonly csrfToken: string;
};

export function consentPage(c: Context, content: ConsentPage): Response | Promise<Response> {
  const { clientName, verifiedHost, redirectUri, scopes, issuer, appUrl, csrfToken } = content;
  const mayWrite = scopes.includes('budget:write');
  return page(c, {
    title: `Allow ${quoteStart(clientName, MAX_NAME_LENGTH)} to ${mayWrite ? 'use' : 'read'} your budgets?`,
    formTargets: [new URL(appUrl).origin, formTargetOf(redirectUri)],
    body: html`<p>This is Budget MCP at <b>${new URL(issuer).host}</b>. An application asks to use your budgets through this
server.</p>
<dl>
<dt>Application</dt>
<dd>${quoteStart(clientName, MAX_NAME_LENGTH)}</dd>
<dt>Identity</dt>
<dd>${verifiedHost === undefined ? 'not verified: any application can use this name' : `verified: ${visible(verifiedHost)}`}</dd>
<dt>Gets its access at</dt>
<dd>${visible(redirectHostOf(redirectUri))}</dd>
<dd class="soft">${visible(redirectUri)}</dd>
</dl>
<p>If you allow it, the application can</p>
<ul>
<li>see all your budgets, with accounts, transactions, categories and payees</li>
${mayWrite ? html`<li>change them: add, edit and delete transactions, and move money between categories</li>` : ''}
</ul>
<p>Allow this only if you have just begun to connect this application yourself.</p>
<form method="post">
${csrfField(csrfToken)}
<p><label><input type="checkbox" name="away" value="on"> Also while you are away: if you ask the application to watch something,
this server may look at your budgets when it is not connected, and send it what it finds. For that it keeps a key with which it
can open your sign-in at any time, until nothing is watched any more. You can end it at ${visible(new URL(issuer).host)}/account.</label></p>
<p class="buttons">
<button name="decision" value="deny">Deny</button>
${mayWrite ? html`<button name="decision" value="allow-reading">Allow reading only</button>` : ''}
<button${verifiedHost === undefined ? '' : html` class="main"`} name="decision" value="${mayWrite ? 'allow' : 'allow-reading'}">Allow</button>
</p>
</form>
<p class="soft">Then you sign in at ${visible(new URL(appUrl).host)}. This server never sees your password.</p>`,
  });
}

/** Where a redirect leads, for a person. */
export function redirectHostOf(redirectUri: string): string {
  const { protocol, host, hostname } = new URL(redirectUri);
  if (protocol === 'https:') return host;
  return protocol === 'http:' ? `this computer (${hostname})` : `an app on this device (${protocol}//)`;
}

/** The source expression for the content security policy. */
function formTargetOf(redirectUri: string): string {
  const { protocol, origin, hostname } = new URL(redirectUri);
  if (protocol === 'https:') return origin;
  // Browsers do not match IPv6 addresses in a policy.
  return protocol === 'http:' && !hostname.startsWith('[') ? origin : protocol;
}
