/**
 * The request of a client, on which a person decides, and the page that asks them. Names come from strangers and are only
 * quoted.
 */
import type { Context } from 'hono';
import { html } from 'hono/html';
import { errors, type Interaction, type Provider } from 'oidc-provider';
import { z } from 'zod';
import { quoteStart, visible } from '../base/quote.ts';
import { csrfField, page } from './page.ts';
import { requestedScopes, type Scope } from './scopes.ts';

export interface ClientRequest {
  readonly interaction: Interaction;
  readonly clientId: string;
  readonly clientName: string;
  /** The host that vouches for the client with its metadata document. Undefined if the client has registered itself. */
  readonly verifiedHost: string | undefined;
  readonly redirectUri: string;
  readonly scopes: Scope[];
}

const paramsSchema = z.object({
  client_id: z.string(),
  redirect_uri: z.string(),
  scope: z.string().optional(),
});

/** Undefined if it has expired, or if the metadata document of its client cannot be loaded any more. */
export async function findRequest(provider: Provider, uid: string): Promise<ClientRequest | undefined> {
  const interaction = await provider.Interaction.find(uid);
  const { data: params } = paramsSchema.safeParse(interaction?.params);
  const client = params && (await findClient(provider, params.client_id));
  if (!interaction || !client) return undefined;
  const verifiedHost =
    client['clientIdMetadataDocument'] === true ? new URL(client.clientId).host : undefined;
  return {
    interaction,
    clientId: client.clientId,
    clientName: client.clientName ?? verifiedHost ?? 'An application without a name',
    verifiedHost,
    redirectUri: params.redirect_uri,
    scopes: requestedScopes(params.scope),
  };
}

const findClient = (provider: Provider, id: string) =>
  provider.Client.find(id).catch((error: unknown) => {
    if (error instanceof errors.OIDCProviderError) return undefined;
    throw error;
  });

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
