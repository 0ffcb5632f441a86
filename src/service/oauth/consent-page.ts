/** The page that asks the user for consent, and the page that refuses it in Restricted Mode. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import { csrfField, type Html, page } from '../pages/page.ts';
import type { PageRequest } from '../pages/page-sign-in.ts';
import type { AuthorizationRequest, RedirectTarget } from './authorization-request.ts';
import { RESTRICTED_MODE_TOKENS } from './authorizations.ts';

export interface ConsentPage {
  target: RedirectTarget;
  request: AuthorizationRequest;
  pageRequest: PageRequest;
  accessTokenSeconds: number;
  alarm?: string;
}

export function consentPage(c: Context, content: ConsentPage): Response | Promise<Response> {
  const { target, request, pageRequest, accessTokenSeconds, alarm } = content;
  const { application, redirectUri } = target;
  const { name } = application;
  return page(c, {
    title: `Allow ${name} to ${request.scope ? 'read' : 'use'} your budgets?`,
    user: pageRequest,
    redirectsTo: redirectUri,
    ...(alarm !== undefined && { errorMessage: alarm, status: 422 }),
    body: html`<p>${name} asks for ${request.scope ? 'read-only access' : 'full access'}. It will:</p>
${permissions(request)}
<p class="faint">${durationText(request, accessTokenSeconds)}</p>
<form method="post">
${csrfField(pageRequest.csrfToken)}
${application.selectsDefaultBudget && defaultBudgetField(pageRequest)}
<p class="buttons">
<button name="intent" value="deny">Deny</button>
<button class="main" name="intent" value="allow">Allow</button>
</p>
</form>
<p class="faint">Either way you go back to ${hostOf(redirectUri)}.</p>`,
  });
}

/** The refusal of Restricted Mode (docs/interface.md, OAuth applications). */
export function restrictedPage(
  c: Context,
  { application: { name }, redirectUri }: RedirectTarget,
  pageRequest: PageRequest,
): Response | Promise<Response> {
  return page(c, {
    title: `${name} cannot be allowed now`,
    status: 403,
    user: pageRequest,
    redirectsTo: redirectUri,
    errorMessage: `${name} is in Restricted Mode: it may have ${RESTRICTED_MODE_TOKENS} access tokens for users other than its owner, and has reached that limit.`,
    body: html`<p>It can be allowed again once the service has reviewed it. Contact the developer of ${name} for that.</p>
<form method="post">
${csrfField(pageRequest.csrfToken)}
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

function durationText({ responseType }: AuthorizationRequest, seconds: number): string {
  if (responseType === 'code') return 'This lasts until you revoke it in the developer settings.';
  return `This ends by itself after ${formatDuration(seconds)}.`;
}

function formatDuration(seconds: number): string {
  const [count, unit] =
    seconds % 3_600 === 0
      ? [seconds / 3_600, 'hour']
      : seconds % 60 === 0
        ? [seconds / 60, 'minute']
        : [seconds, 'second'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** A choice of budgets by name. Budgets of the same name differ by their order only. */
function defaultBudgetField({ user }: PageRequest): Html {
  const choices = user.ledgers.map((ledger) => ({ value: ledger.id, label: ledger.summary().name }));
  return html`<fieldset aria-describedby="default-budget">
<legend>Default budget</legend>
<p class="faint" id="default-budget">The one that is meant where no other is named.</p>
${[{ value: 'none', label: 'None' }, ...choices].map(
  ({ value, label }, index) =>
    html`<label class="choice"><input type="radio" name="default_budget" value="${value}"${index === 0 ? ' checked' : ''}>
${label}</label>`,
)}
</fieldset>`;
}

const hostOf = (uri: string) => new URL(uri).host || 'the application';
