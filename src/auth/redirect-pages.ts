/**
 * The pages that the person's browser shows at the start and at the end of a sign-in. A page loads nothing, and the
 * content security policy allows only the scripts and styles of these pages, by their hashes.
 */
import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';

export interface PageText {
  readonly heading: string;
  readonly text: string;
}

const style = `
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5a6472; --paper: #f4f5f7; --card: #fff; --line: #dfe3e8; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8ebef; --soft: #a3adba; --paper: #14181d; --card: #1d232a; --line: #323a44; }
}
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: var(--paper); color: var(--ink);
  font: 1.0625rem/1.6 system-ui, sans-serif; }
main { box-sizing: border-box; width: min(34rem, 100% - 2rem); margin: 1rem; padding: 2.25rem 2.5rem;
  background: var(--card); border: 1px solid var(--line); border-radius: 14px; }
h1 { margin: 0 0 .75rem; font-size: 1.5rem; line-height: 1.25; }
p { margin: 0; overflow-wrap: anywhere; white-space: pre-line; }
[role=alert] { margin-top: 1rem; font-weight: 600; }
label { display: block; margin-top: 1.25rem; font-weight: 600; }
input, button { box-sizing: border-box; font: inherit; padding: .5rem .75rem; border: 1px solid var(--soft);
  border-radius: 6px; background: transparent; color: inherit; }
input { width: 100%; margin: .25rem 0 1rem; }
#code { letter-spacing: .15em; text-transform: uppercase; }
[type=radio], [type=checkbox] { width: auto; margin: 0 .5rem 0 0; }
.choice { margin-top: .5rem; font-weight: 400; }
.hint { margin-bottom: .75rem; color: var(--soft); font-size: .9375rem; }
fieldset { margin: 1.25rem 0 0; padding: 0; border: 0; }
legend { padding: 0; font-weight: 600; }
summary { margin-top: 1.75rem; cursor: pointer; }
button { min-height: 2.75rem; margin: .5rem .5rem 0 0; font-weight: 600; cursor: pointer; }
a { color: inherit; }
footer { margin-top: 1.75rem; color: var(--soft); font-size: .875rem; }
`;

// The address contains the code or the token. It must not stay in the address bar or in the history.
const clearAddress = `history.replaceState(null, '', location.pathname);`;

// Without a fragment there is nothing to send: the service did not send the browser here.
const forwardFragment = `
const fragment = location.hash.slice(1);
${clearAddress}
const show = ({ heading, text }) => {
  document.title = heading;
  document.querySelector('h1').textContent = heading;
  document.querySelector('p').textContent = text;
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

const hashOf = (source: string) => `'sha256-${createHash('sha256').update(source).digest('base64')}'`;

const policy = (formAction: string) =>
  [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    `script-src ${hashOf(clearAddress)} ${hashOf(forwardFragment)}`,
    "connect-src 'self'",
    "base-uri 'none'",
    `form-action ${formAction}`,
    "frame-ancestors 'none'",
  ].join('; ');

/** Headers of every page: no other style or script, no framing, no referrer. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': policy("'none'"),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** The start page posts a form to this machine, and the listener checks the origin of the post. */
export const startPageHeaders: Readonly<Record<string, string>> = {
  ...pageHeaders,
  'content-security-policy': policy("'self'"),
  'referrer-policy': 'same-origin',
};

export type Html = ReturnType<typeof html>;

interface PageParts {
  readonly head?: Html;
  readonly body?: Html;
  readonly script?: string;
}

export const page = async ({ heading, text }: PageText, { head, body, script }: PageParts) =>
  String(
    await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${heading}</title>
<style>${raw(style)}</style>
${head}
</head>
<body>
<main>
<h1>${heading}</h1>
<p role="status">${text}</p>
${body}
<footer>budget-mcp, on this computer</footer>
</main>
${script && html`<script>${raw(script)}</script>`}
</body>
</html>
`,
  );

/** Asks for the code from the terminal. Works without scripts. */
export const startPage = (problem?: string) =>
  page(
    { heading: 'Sign in', text: 'The terminal in which you started the sign-in shows a code. Type it here.' },
    {
      body: html`<form method="post">
${problem && html`<p role="alert">${problem}</p>`}
<label for="code">Code from the terminal</label>
<input id="code" name="code" required autofocus autocomplete="off" spellcheck="false" autocapitalize="characters">
<button>Continue</button>
</form>`,
    },
  );

/** Goes on to the service at once. It is a page because a redirect would have to be allowed by the form's policy. */
export const continuePage = (url: string) =>
  page(
    { heading: 'Going on to the service', text: 'You sign in and decide there.' },
    {
      head: html`<meta http-equiv="refresh" content="0; url=${url}">`,
      body: html`<p><a href="${url}">Continue</a></p>`,
    },
  );

export const resultPage = (text: PageText) => page(text, { script: clearAddress });

/** Reads the token from the fragment, which only a script of this page can see (docs/interface.md, Implicit grant). */
export const fragmentForwardingPage = () =>
  page({ heading: 'Signing in', text: '' }, { body: WITHOUT_SCRIPTS, script: forwardFragment });

const WITHOUT_SCRIPTS = html`<noscript><p>The service sent the token in a part of the address that only a script can
read. Allow scripts for this address and reload the page, or cancel in the terminal and sign in with a personal access
token or with --oauth.</p></noscript>`;
