/** What a person sees of their account. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Html } from '../auth/page-layout.ts';
import { errorTable } from '../base/errors.ts';
import { quoteStart, visible } from '../base/quote.ts';
import type { Grant } from './grants.ts';
import { csrfField, page } from './page.ts';
import type { AuditEntry } from './people.ts';
import { type SettingsChoices, type SettingsProblems, settingsFields } from './settings-form.ts';

/** What has just been done, which the next page confirms. */
const notices = {
  saved: 'Your settings are saved. All your applications use them from now on.',
  ended: 'The access of the application has ended.',
  'ended-all': 'The access of all applications has ended, and you are signed out of this page.',
  'away-off': 'The application hears of what is watched only while it is connected.',
  tested: 'A test message was sent, and it arrived.',
  'not-tested':
    'No test message has arrived: nothing is watched for this application with an address to send to, or that did not answer.',
  'test-later':
    'Not all test messages were sent, because this server sends too many there now. Try again in a minute.',
  deleted: 'Everything that was stored here about you is deleted. No application has access any more.',
  'signed-out': 'You are signed out of this page.',
};
export type Notice = keyof typeof notices;
export type TestNotice = Extract<Notice, 'tested' | 'not-tested' | 'test-later'>;

export const isNotice = (name: string): name is Notice => Object.hasOwn(notices, name);

/** `problem` is why an earlier try has failed. */
export const signInPage = (
  c: Context,
  { appUrl, notice, problem }: Pick<AccountView, 'appUrl' | 'notice'> & { problem?: string },
) =>
  page(c, {
    title: 'Your account',
    status: problem === undefined ? 200 : 502,
    // The form leads to the sign-in of the budgeting service.
    formTargets: [new URL(appUrl).origin],
    body: html`${noticeOf(notice)}${problem === undefined ? '' : html`<p class="problem" role="alert">${problem}</p>`}
<p>Sign in with the budgeting service, <b>${visible(new URL(appUrl).host)}</b>, to see which applications may use your
budgets here and what they have written, and to end their access.</p>
<p class="soft">The service says who you are and how your budgets are named. This server keeps that for half an hour, and
nothing else of this sign-in.</p>
<form method="post" action="/account/sign-in"><div class="buttons"><button class="main">Sign in</button></div></form>`,
  });

export const deletionPage = (c: Context, { appUrl, csrfToken }: Pick<AccountView, 'appUrl' | 'csrfToken'>) =>
  page(c, {
    title: 'Delete everything about you here?',
    formTargets: ["'self'"],
    body: html`<p>This ends the access of all applications, and deletes what this server stores about you: your settings,
the list of what applications have written, copies of your budgets, and what is needed to undo changes.</p>
<p>Your budgets at ${visible(new URL(appUrl).host)} stay as they are. What is deleted here cannot be restored.</p>
<form method="post" action="/account/delete">${csrfField(csrfToken)}<div class="buttons">
<a class="button" href="/account">Keep everything</a><button class="alarm">Delete everything</button></div></form>`,
  });

export interface WatchView {
  readonly event: string;
  readonly arguments: string;
  readonly host: string | undefined;
  readonly isPaused: boolean;
}

export interface AccountView extends SettingsChoices {
  readonly watchCountOf: (grant: Grant) => number;
  /** The id of the person at the budgeting service. */
  readonly userId: string;
  readonly appUrl: string;
  readonly clients: readonly Grant[];
  readonly writes: readonly AuditEntry[];
  readonly problems: SettingsProblems;
  readonly notice: Notice | undefined;
  readonly csrfToken: string;
  readonly titleOf: (tool: string) => string;
}

export function accountPage(c: Context, view: AccountView) {
  const { clients, writes, problems, notice, csrfToken, settings, defaults } = view;
  const csrf = csrfField(csrfToken);
  const timeZone = settings.timeZone ?? defaults.timeZone;
  const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone });
  const time = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone });

  /** The entries are not empty. */
  const written = (entries: readonly AuditEntry[], isNamed = false) => html`<details>
<summary>${entries.length === 1 ? 'one entry' : `${entries.length} entries`}, last on ${time.format(entries[0]?.at)}</summary>
<ul>${entries.slice(0, MAX_WRITES).map(
    ({
      at,
      client,
      tool,
      outcome,
    }) => html`<li><b>${view.titleOf(tool)}</b>${isNamed && html` by ${nameOf(client)}`}:
${outcomeText(outcome)}<br><span class="soft">${time.format(at)}</span></li>
`,
  )}${entries.length > MAX_WRITES && html`<li>and ${entries.length - MAX_WRITES} earlier ones</li>`}</ul></details>`;

  /** `details` is a longer label, for people who do not see where the button stands. */
  const button = (action: string, label: string, grant?: string, details?: string) =>
    html`<form method="post" action="/account/${action}">${csrf}${
      grant !== undefined && html`<input type="hidden" name="grant" value="${grant}">`
    }<button${details !== undefined && html` aria-label="${details}"`}>${label}</button></form>`;

  const client = (grant: Grant) => {
    const { id, clientName, redirectHost, scopes, mayWatch, createdAt, expiresAt } = grant;
    const watched = view.watchCountOf(grant);
    const ofName = clients.filter((other) => other.clientName === clientName);
    // The newest comes first.
    const number = ofName.length - ofName.findIndex((other) => other.id === id);
    const name = `${nameOf(clientName)}${ofName.length > 1 ? ` no. ${number}` : ''}`;
    const own = writes.filter((write) => write.grant === id);
    return html`<section><h3>${name}</h3>
<dl>
<dt>May</dt><dd>${scopes.includes('budget:write') ? 'read and change' : 'only read'} your budgets</dd>
<dt>Connected</dt><dd>${time.format(createdAt)}, from ${redirectHost}</dd>
<dt>Ends by itself</dt><dd>on ${day.format(expiresAt)}, if it is not used until then</dd>
<dt>Also while you are away</dt><dd>${mayWatch ? html`on ${button('away-off', 'Turn off', id)}` : 'off'}</dd>
<dt>Watches</dt><dd>${watched === 0 ? 'nothing' : html`<a href="/account/watches?grant=${id}">${watched === 1 ? 'one thing' : `${watched} things`}</a>`}</dd>
<dt>Has written</dt><dd>${own.length === 0 ? 'nothing' : written(own)}</dd>
</dl>
${button('revoke', 'End access', id, `End access of ${name}`)}</section>`;
  };
  const others = writes.filter(({ grant }) => !clients.some(({ id }) => id === grant));

  const hasProblems = Object.keys(problems).length > 0;

  return page(c, {
    title: 'Your account',
    ...(hasProblems && { status: 400 }),
    formTargets: ["'self'"],
    body: html`${notice !== 'saved' && noticeOf(notice)}
${signedIn(view)}
<h2>Applications</h2>
${
  clients.length === 0
    ? html`<p>No application has access to your budgets.</p>`
    : html`<p class="soft">Times are those of ${timeZone}. While no application is connected, this server does nothing with
your budgets${clients.some(({ mayWatch }) => mayWatch) ? html`, unless you have allowed it below` : ''}.</p>${clients.map(client)}`
}
${others.length > 0 && html`<h3>Written by applications that have no access any more</h3>${written(others, true)}`}
<h2 id="settings">Settings</h2>
${notice === 'saved' && noticeOf(notice)}
${hasProblems && html`<p class="problem" role="alert">Nothing was saved. The reason is below the field.</p>`}
<form method="post" action="/account/settings#settings">${csrf}${settingsFields(view, problems)}
<div class="buttons"><button class="main">Save</button></div></form>
<h2>Sign out or delete</h2>
<div class="column">${button('sign-out', 'Sign out of this page')}
${button('sign-out-everywhere', 'End the access of all applications')}
<a class="button alarm" href="/account/delete">Delete everything about me …</a></div>`,
  });
}

export const watchesPage = (
  c: Context,
  {
    grant,
    watches,
    csrfToken,
  }: Pick<AccountView, 'csrfToken'> & { grant: Grant; watches: readonly WatchView[] },
) =>
  page(c, {
    title: 'What is watched for an application',
    formTargets: ["'self'"],
    body: html`<h2>${nameOf(grant.clientName)}</h2>
${watches.length === 0 ? html`<p>Nothing is watched for this application.</p>` : html`<ul>${watches.map(watchLine)}</ul>`}
<form method="post" action="/account/test">${csrfField(csrfToken)}<input type="hidden" name="grant" value="${grant.id}">
<div class="buttons"><a class="button" href="/account">Go back to your account</a><button>Send a test message</button></div></form>`,
  });

const watchLine = ({ event, arguments: args, host, isPaused }: WatchView): Html =>
  html`<li><b>${event.replaceAll('_', ' ')}</b> ${args === '{}' ? '' : visible(args).slice(0, MAX_ARGUMENTS)}${
    host === undefined ? '' : html`, sent to ${visible(host)}`
  }${isPaused ? ', paused, because nothing arrived there for a day' : ''}</li>
`;

function signedIn({ appUrl, userId, budgets = [] }: AccountView): Html {
  const shown = budgets.slice(0, MAX_BUDGETS).map(({ name }) => nameOf(name));
  const more = budgets.length > MAX_BUDGETS ? [`${budgets.length - MAX_BUDGETS} more`] : [];
  const names = new Intl.ListFormat('en').format([...shown, ...more]);
  return html`<p>You are signed in at <b>${visible(new URL(appUrl).host)}</b>${names && html`, where your budgets are ${names}`}.</p>
<p class="soft">Your id there: ${visible(userId)}</p>`;
}

const noticeOf = (notice: Notice | undefined) =>
  notice === undefined ? '' : html`<p class="notice" role="status">${notices[notice]}</p>`;

/** The newest of one application that the page shows. */
const MAX_WRITES = 50;
const MAX_BUDGETS = 5;
const MAX_NAME = 60;
const MAX_ARGUMENTS = 200;

/** A client chooses its name itself. */
const nameOf = (name: string) => quoteStart(name, MAX_NAME);

const isDone = (outcome: string) => outcome === 'written' || outcome === 'confirmed_afterwards';
const notDone = new Set(
  Object.entries(errorTable).flatMap(([code, { outcomeUncertain }]) => (outcomeUncertain ? [] : [code])),
);

const outcomeText = (outcome: string) =>
  isDone(outcome) ? 'done' : notDone.has(outcome) ? 'not done' : 'not known whether it was done';
