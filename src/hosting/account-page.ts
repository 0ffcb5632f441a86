/** What a person sees of their account. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import { confirmPolicies } from '../operations/consent.ts';
import { quoteStart } from '../platform/quote.ts';
import type { Grant } from './grants.ts';
import { page } from './page.ts';
import type { AuditEntry, PersonSettings } from './people.ts';

export const signInPage = (c: Context, appUrl: string) =>
  page(c, {
    title: 'Your account',
    // The form leads to the sign-in of the budgeting service.
    formTargets: [new URL(appUrl).origin],
    body: html`<p>Sign in with the budgeting service to see which applications may use your budgets here, what they have
written, and to end their access.</p>
<p class="soft">The service only says who you are. Its answer is not kept.</p>
<form method="post" action="/account/sign-in"><div class="buttons"><button class="main">Sign in</button></div></form>`,
  });

export interface AccountView {
  readonly clients: readonly Grant[];
  readonly writes: readonly AuditEntry[];
  readonly settings: PersonSettings;
  readonly csrfToken: string;
}

/** The page has the newest writes. */
const MAX_WRITES = 50;

/** A client chooses its name itself. */
const nameOf = (name: string) => quoteStart(name, MAX_NAME);
const MAX_NAME = 60;

const dateTime = (milliseconds: number) =>
  new Date(milliseconds).toISOString().slice(0, 16).replace('T', ' ');

export function accountPage(c: Context, { clients, writes, settings, csrfToken }: AccountView) {
  const csrf = html`<input type="hidden" name="csrf" value="${csrfToken}">`;
  const button = (action: string, label: string) =>
    html`<form method="post" action="/account/${action}">${csrf}<button>${label}</button></form>`;
  const client = ({ id, clientName, redirectHost, scopes, createdAt }: Grant) => html`<li>
<b>${nameOf(clientName)}</b>, at ${redirectHost}, may ${scopes.includes('budget:write') ? 'read and change' : 'read'} your budgets,
since ${dateTime(createdAt)} UTC.
<form method="post" action="/account/revoke">${csrf}<input type="hidden" name="grant" value="${id}">
<button>End its access</button></form></li>`;
  const write = ({ at, client: name, tool, outcome }: AuditEntry) =>
    html`<tr><td>${dateTime(at)}</td><td>${nameOf(name)}</td><td>${tool}</td><td>${outcome}</td></tr>`;
  const isChosen = (policy: string | undefined) => (settings.confirm === policy ? html`selected` : '');
  return page(c, {
    title: 'Your account',
    formTargets: ["'self'"],
    body: html`<h2>Applications</h2>
${clients.length === 0 ? html`<p>No application has access to your budgets.</p>` : html`<ul>${clients.map(client)}</ul>`}
<h2>What they have written</h2>
${
  writes.length === 0
    ? html`<p>Nothing.</p>`
    : html`<table><thead><tr><th scope="col">Time (UTC)</th><th scope="col">Application</th><th scope="col">Tool</th>
<th scope="col">Outcome</th></tr></thead><tbody>${writes.slice(0, MAX_WRITES).map(write)}</tbody></table>`
}
<h2>Settings</h2>
<form method="post" action="/account/settings">${csrf}
<p><label>Time zone, such as Europe/Berlin<br><input name="time_zone" value="${settings.timeZone ?? ''}"></label></p>
<p><label>Default budget: its name or id<br><input name="budget" value="${settings.budget ?? ''}"></label></p>
<p><label>Ask me before<br><select name="confirm">
<option value="" ${isChosen(undefined)}>as the server does</option>
${confirmPolicies.map((policy) => html`<option ${isChosen(policy)}>${policy}</option>`)}
</select></label></p>
<div class="buttons"><button class="main">Save</button></div></form>
<h2>End</h2>
<div class="buttons">${button('sign-out', 'Sign out of this page')}
${button('sign-out-everywhere', 'End the access of all applications')}
${button('delete', 'Delete everything that is stored here about me')}</div>`,
  });
}
