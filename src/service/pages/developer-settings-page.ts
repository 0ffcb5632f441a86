/**
 * The developer settings page: lists of tokens, authorizations and applications, and forms to create and revoke
 * them.
 */
import type { Context } from 'hono';
import { html } from 'hono/html';
import { dateOf } from '../../base/clock.ts';
import type { IssuedToken } from '../access.ts';
import type { Application } from '../oauth/applications.ts';
import type { Authorization } from '../oauth/authorizations.ts';
import { csrfField, type Html, page } from './page.ts';
import type { PageRequest } from './page-sign-in.ts';

/** The result of a form. */
export interface Outcome {
  errorMessage?: string;
  notice?: string;
  /** Secrets by name. */
  shownOnce?: Readonly<Record<string, string>>;
}

export interface Settings {
  request: PageRequest;
  outcome: Outcome;
  tokens: readonly IssuedToken[];
  authorizations: readonly Authorization[];
  applications: readonly Application[];
}

export function settingsPage(c: Context, settings: Settings): Response | Promise<Response> {
  const { request, outcome, tokens, authorizations, applications } = settings;
  return page(c, {
    title: 'Developer settings',
    user: request,
    wide: true,
    errorMessage: outcome.errorMessage,
    ...(outcome.errorMessage !== undefined && { status: 422 }),
    body: html`${outcome.notice !== undefined && html`<p class="notice" role="status">${outcome.notice}</p>`}
${outcome.shownOnce && secrets(outcome.shownOnce)}
<h2 class="near">Personal access tokens</h2>
<p class="faint">For programs of your own. A token opens all of your budgets and does not expire.</p>
${tokenList(tokens, request)}
<h3>New token</h3>
<form method="post">
${csrfField(request.csrfToken)}
<p><label for="label">Name of the token</label>
<input id="label" name="label" required maxlength="60" autocomplete="off"></p>
<p><label for="password">Your password, to confirm</label>
<input id="password" name="password" type="password" required autocomplete="current-password"></p>
<p><button class="main" name="intent" value="create-token">Make token</button></p>
</form>
<h2>Applications with access</h2>
<p class="faint">What you have allowed. Revoking ends every token of that permission.</p>
${authorizationList(authorizations, request)}
<h2>Your OAuth applications</h2>
<p class="faint">An application begins in Restricted Mode: at most 25 access tokens for users other than you.</p>
${applicationList(applications)}
<h3>New application</h3>
<form method="post">
${csrfField(request.csrfToken)}
<p><label for="name">Name of the application</label>
<input id="name" name="name" required maxlength="60" autocomplete="off"></p>
<p><label for="redirect-uris">Redirect URIs, one a line</label>
<textarea id="redirect-uris" name="redirect_uris" rows="3" required></textarea></p>
<label class="choice"><input type="checkbox" name="default_budget">
Users pick a default budget</label>
<p><button class="main" name="intent" value="create-application">Make application</button></p>
</form>`,
  });
}

const secrets = (shownOnce: Readonly<Record<string, string>>): Html => html`<div class="notice" role="status">
<p>Copy this now: it is not shown again.</p>
<dl>${Object.entries(shownOnce).map(([name, secret]) => html`<dt>${name}</dt><dd><code>${secret}</code></dd>`)}</dl>
</div>`;

function tokenList(tokens: readonly IssuedToken[], request: PageRequest): Html {
  const rows = tokens.map(({ id, label = 'Without a name', createdAt, ending }) => ({
    id,
    name: label,
    description: `Made on ${dateOf(createdAt)}${ending && `, ends in ${ending}`}`,
  }));
  return revocableList(rows, 'revoke-token', request, 'You have no tokens.');
}

function authorizationList(authorizations: readonly Authorization[], request: PageRequest): Html {
  const rows = authorizations.map(({ id, consent: { application, scope }, createdAt, expiresAt }) => ({
    id,
    name: application.name,
    description: [
      scope ? 'Read-only access' : 'Full access',
      `allowed on ${dateOf(createdAt)}`,
      ...(expiresAt === undefined ? [] : [`ends at ${new Date(expiresAt).toISOString().slice(11, 16)} UTC`]),
    ].join(', '),
  }));
  return revocableList(rows, 'revoke-authorization', request, 'You have allowed no application.');
}

interface Row {
  id: string;
  name: string;
  description: string;
}

const revocableList = (
  rows: readonly Row[],
  intent: string,
  request: PageRequest,
  emptyText: string,
): Html =>
  rows.length === 0
    ? html`<p>${emptyText}</p>`
    : html`<ul class="rows">${rows.map(
        ({
          id,
          name,
          description,
        }) => html`<li><div><p><b>${name}</b></p><p class="faint">${description}</p></div>
<form method="post">
${csrfField(request.csrfToken)}
<input type="hidden" name="id" value="${id}">
<button class="alarm" name="intent" value="${intent}" aria-label="Revoke ${name}, ${description}">Revoke</button>
</form></li>`,
      )}</ul>`;

const applicationList = (applications: readonly Application[]): Html =>
  applications.length === 0
    ? html`<p>You have made no application.</p>`
    : html`<ul class="rows">${applications.map(
        ({ id, name, redirectUris, restricted }) => html`<li><div>
<p><b>${name}</b>${restricted && ' – Restricted Mode'}</p>
<p class="faint">Client id <code>${id}</code></p>
${redirectUris.map((uri) => html`<p class="faint">${uri}</p>`)}
</div></li>`,
      )}</ul>`;
