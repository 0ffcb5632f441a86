/**
 * The pages that the person's browser shows at the start and at the end of a sign-in on this machine. The content security
 * policy allows only the scripts of these pages, by their hashes.
 */
import { html } from 'hono/html';
import { layoutHeaders, type PageContent, pageHtml, sourceOf } from './page-layout.ts';

export interface PageText {
  readonly heading: string;
  readonly text: string;
}

// The address contains the code or the token. It must not stay in the address bar or in the history.
export const clearAddress = `history.replaceState(null, '', location.pathname);`;

// Without a fragment there is nothing to send: the service did not send the browser here.
const forwardFragment = `
const fragment = location.hash.slice(1);
${clearAddress}
const show = ({ heading, text }) => {
  document.title = heading;
  document.querySelector('h1').textContent = heading;
  document.querySelector('[role=status]').textContent = text;
};
if (fragment)
  fetch(location.pathname, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: fragment,
  }).then((answer) => answer.json()).then(show).catch(() => show({
    heading: 'This sign-in has stopped',
    text: 'budget-mcp has stopped waiting for this sign-in. Start it again in the terminal.',
  }));
else show({ heading: 'This address has no token', text: 'The service did not send you here. You can close this tab.' });
`;

const ownScripts = `script-src ${sourceOf(clearAddress)} ${sourceOf(forwardFragment)}; connect-src 'self'; `;

const headersFor = (formAction: string) => ({
  ...layoutHeaders(formAction, ownScripts),
  'content-type': 'text/html; charset=utf-8',
});

/** Headers of every page: no other style or script, no framing, no referrer. */
export const pageHeaders: Readonly<Record<string, string>> = headersFor("'none'");

/** The start page posts a form to this machine, and the listener checks the origin of the post. */
export const startPageHeaders = { ...headersFor("'self'"), 'referrer-policy': 'same-origin' };

type PageParts = Omit<Partial<PageContent>, 'title'>;

export const page = async ({ heading, text }: PageText, { body, ...parts }: PageParts) =>
  String(
    await pageHtml({
      title: heading,
      body: html`<p class="lines" role="status">${text}</p>
${body}
<footer class="soft">budget-mcp, on this computer</footer>`,
      ...parts,
    }),
  );

/** Asks for the code from the terminal. Works without scripts. */
export const startPage = (problem?: string) =>
  page(
    { heading: 'Sign in', text: 'The terminal in which you started the sign-in shows a code. Type it here.' },
    {
      body: html`<form method="post">
${problem && html`<p class="problem" role="alert">${problem}</p>`}
<label for="code">Code from the terminal</label>
<input class="code" id="code" name="code" required autofocus autocomplete="off" spellcheck="false" autocapitalize="characters">
<p><button class="main">Continue</button></p>
</form>`,
    },
  );

/** Goes on to the service at once. It is a page because a redirect would have to be allowed by the form's policy. */
export const continuePage = (url: string) =>
  page(
    { heading: 'Going on to the service', text: 'You sign in and decide there.' },
    { continuesAt: url, body: html`<p><a href="${url}">Continue</a></p>` },
  );

export const resultPage = (text: PageText) => page(text, { script: clearAddress });

/** Reads the token from the fragment, which only a script of this page can see (docs/interface.md, Implicit grant). */
export const fragmentForwardingPage = () =>
  page({ heading: 'Signing in', text: '' }, { body: WITHOUT_SCRIPTS, script: forwardFragment });

const WITHOUT_SCRIPTS = html`<noscript><p>The service sent the token in a part of the address that only a script can
read. Allow scripts for this address and reload the page, or cancel in the terminal and sign in with a personal access
token or with --oauth.</p></noscript>`;
