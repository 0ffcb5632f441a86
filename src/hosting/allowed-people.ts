/** The people who may sign in (`--allow-people`), and the page for everyone else, which shows the id that would be added. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import { visible } from '../base/quote.ts';
import { personIdOf } from './derived-key.ts';
import { page } from './page.ts';

export interface AllowedPeopleOptions {
  /** Ids at the budgeting service. Undefined if everyone may sign in. */
  readonly allowedUsers?: readonly string[] | undefined;
  readonly serverKey: Uint8Array;
  readonly baseUrl: string;
}

/** Whether the person with this id here may use the server. */
export function allowedPeople({ allowedUsers, serverKey, baseUrl }: AllowedPeopleOptions) {
  const ids =
    allowedUsers && new Set(allowedUsers.map((userId) => personIdOf(serverKey, { baseUrl, userId })));
  return (personId: string): boolean => ids?.has(personId) ?? true;
}

export interface RefusedPerson {
  /** Id at the budgeting service. */
  readonly userId: string;
  readonly appUrl: string;
  /** Where the application learns that nothing was allowed. */
  readonly continuesAt?: string;
}

export function refusedPersonPage(c: Context, { userId, appUrl, continuesAt }: RefusedPerson) {
  return page(c, {
    status: 403,
    title: 'You are not on the list of this server',
    body: html`<p role="alert">Only people on a list may sign in here. Nothing was allowed, and nothing about you is kept.</p>
<p>To be added, send your id to the person who runs this server, for <code>--allow-people</code>:</p>
<p><code>${visible(userId)}</code></p>
<p class="soft">What you have allowed this server at ${visible(new URL(appUrl).host)} can be ended in the settings there.</p>
${continuesAt === undefined ? '' : html`<p><a href="${continuesAt}">Go back to the application</a></p>`}`,
  });
}
