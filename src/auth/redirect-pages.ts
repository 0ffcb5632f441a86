/**
 * What the person's browser shows at the start and at the end of a sign-in. Each page stands alone: nothing is fetched, nothing may be
 * added, and its scripts are known by their hashes.
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
input { width: 100%; margin: .25rem 0 1rem; letter-spacing: .15em; text-transform: uppercase; }
button { font-weight: 600; cursor: pointer; }
a { color: inherit; }
footer { margin-top: 1.75rem; color: var(--soft); font-size: .875rem; }
`;

// The address holds the code, or the token: neither stays where somebody could read it off or go back to it.
const forget = `history.replaceState(null, '', location.pathname);`;

// Without a fragment nothing is handed over: this is not where the service sent the browser.
const handOver = `
const handed = location.hash.slice(1);
${forget}
const say = ({ heading, text }) => {
  document.title = heading;
  document.querySelector('h1').textContent = heading;
  document.querySelector('p').textContent = text;
};
if (handed)
  fetch(location.pathname, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: handed,
  }).then((answer) => answer.json()).then(say).catch(() => say({
    heading: 'Nobody is waiting any more',
    text: 'budget-mcp has stopped waiting for this sign-in. Start it again in the terminal.',
  }));
else say({ heading: 'Nothing to hand over', text: 'This is not where a sign-in ends. You can close this tab.' });
`;

const hashOf = (source: string) => `'sha256-${createHash('sha256').update(source).digest('base64')}'`;

const policy = (formAction: string) =>
  [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    `script-src ${hashOf(forget)} ${hashOf(handOver)}`,
    "connect-src 'self'",
    "base-uri 'none'",
    `form-action ${formAction}`,
    "frame-ancestors 'none'",
  ].join('; ');

/** Of every page: no other style or script, no framing, no address told to anybody. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': policy("'none'"),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** Its form comes back to this machine, and tells by its origin that it does. */
export const startPageHeaders: Readonly<Record<string, string>> = {
  ...pageHeaders,
  'content-security-policy': policy("'self'"),
  'referrer-policy': 'same-origin',
};

type Html = ReturnType<typeof html>;

interface Parts {
  /** In the head of the document. */
  readonly head?: Html;
  /** Below the text. */
  readonly body?: Html;
  readonly script?: string;
}

const page = async ({ heading, text }: PageText, { head, body, script }: Parts) =>
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

/** Goes on to the service at once. It is a page, since a redirection would count as a target of the form before it. */
export const continuePage = (url: string) =>
  page(
    { heading: 'Going on to the service', text: 'You sign in and decide there.' },
    {
      head: html`<meta http-equiv="refresh" content="0; url=${url}">`,
      body: html`<p><a href="${url}">Continue</a></p>`,
    },
  );

/** The page on which a sign-in ends, well or badly. */
export const resultPage = (words: PageText) => page(words, { script: forget });

/** Takes the token out of the fragment, where only a script of this page can see it (specification, Implicit grant). */
export const fragmentForwardingPage = () =>
  page({ heading: 'Signing in', text: '' }, { body: WITHOUT_SCRIPTS, script: handOver });

const WITHOUT_SCRIPTS = html`<noscript><p>The service sent its answer in a part of the address that only a script can
read. Allow scripts for this address and reload the page, or cancel in the terminal and sign in with a personal access
token or with --oauth.</p></noscript>`;
