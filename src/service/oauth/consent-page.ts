/** What the user sees before an application is let in: what it asks for, said plainly, or why it cannot be let in. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Visit } from '../pages/front-door.ts';
import { csrfField, type Html, page } from '../pages/page.ts';
import type { AuthorizationRequest, ReturnAddress } from './authorization-request.ts';
import { TOKENS_FOR_OTHERS } from './authorizations.ts';

export interface ConsentPage {
  address: ReturnAddress;
  request: AuthorizationRequest;
  visit: Visit;
  accessTokenSeconds: number;
  alarm?: string;
}

export function consentPage(c: Context, content: ConsentPage): Response | Promise<Response> {
  const { address, request, visit, accessTokenSeconds, alarm } = content;
  const { application, redirectUri } = address;
  const { name } = application;
  return page(c, {
    title: `Allow ${name} to ${request.scope ? 'read' : 'use'} your budgets?`,
    visitor: visit,
    redirectsTo: redirectUri,
    ...(alarm !== undefined && { alarm, status: 422 }),
    body: html`<p>${name} asks for ${request.scope ? 'read-only access' : 'full access'}. It will:</p>
${permissions(request)}
<p class="faint">${duration(request, accessTokenSeconds)}</p>
<form method="post">
${csrfField(visit.csrfToken)}
${application.selectsDefaultBudget && defaultBudgetField(visit)}
<p class="buttons">
<button name="intent" value="deny">Deny</button>
<button class="main" name="intent" value="allow">Allow</button>
</p>
</form>
<p class="faint">Either way you go back to ${placeOf(redirectUri)}.</p>`,
  });
}

/** The refusal of Restricted Mode (specification, OAuth applications). */
export function restrictedPage(
  c: Context,
  { application: { name }, redirectUri }: ReturnAddress,
  visit: Visit,
): Response | Promise<Response> {
  return page(c, {
    title: `${name} cannot be allowed now`,
    status: 403,
    visitor: visit,
    redirectsTo: redirectUri,
    alarm: `${name} is in Restricted Mode: it may have ${TOKENS_FOR_OTHERS} access tokens for users other than its owner, and has reached that limit.`,
    body: html`<p>It can be allowed again once the service has reviewed it. Ask whoever makes ${name} about that.</p>
<form method="post">
${csrfField(visit.csrfToken)}
<p class="buttons"><button name="intent" value="deny">Back to ${name}</button></p>
</form>`,
  });
}

const permissions = ({ scope }: AuthorizationRequest): Html => html`<ul class="permits">
<li>see all of your budgets, with accounts, transactions, categories and payees</li>
${
  scope
    ? html`<li class="not">not change anything: the access is for reading only</li>`
    : html`<li>change them: add, edit and delete transactions, and move money between categories</li>`
}
</ul>`;

function duration({ responseType }: AuthorizationRequest, seconds: number): string {
  if (responseType === 'code') return 'This lasts until you revoke it in the developer settings.';
  return `This ends by itself after ${lengthOf(seconds)}.`;
}

function lengthOf(seconds: number): string {
  const [count, unit] =
    seconds % 3_600 === 0
      ? [seconds / 3_600, 'hour']
      : seconds % 60 === 0
        ? [seconds / 60, 'minute']
        : [seconds, 'second'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** Budgets by name; two of the same name are told apart by their order alone, as everywhere in the service. */
function defaultBudgetField({ user }: Visit): Html {
  const choices = user.ledgers.map((ledger) => ({ value: ledger.id, label: ledger.summary().name }));
  return html`<fieldset aria-describedby="default-budget">
<legend>Default budget</legend>
<p class="faint" id="default-budget">The one that is meant where no other is named.</p>
${[{ value: 'none', label: 'None' }, ...choices].map(
  ({ value, label }, at) =>
    html`<label class="choice"><input type="radio" name="default_budget" value="${value}"${at === 0 ? ' checked' : ''}>
${label}</label>`,
)}
</fieldset>`;
}

const placeOf = (uri: string) => new URL(uri).host || 'the application';
