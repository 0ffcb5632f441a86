/**
 * The layout of the pages for a person's browser, on this machine and on a hosted server, and the headers that restrict what a
 * browser may do with them. A page loads nothing.
 */
import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';

export type Html = ReturnType<typeof html>;

const style = `
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5a6472; --paper: #f4f5f7; --card: #fff; --line: #dfe3e8;
  --accent: #1f5fbf; --on-accent: #fff; --alarm: #b3261e; --done: #1c6b3a; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8ebef; --soft: #a3adba; --paper: #14181d; --card: #1d232a; --line: #323a44;
    --accent: #8ab8ff; --on-accent: #10151b; --alarm: #ffb4ab; --done: #7fd6a0; }
}
body { margin: 0; min-height: 100vh; display: grid; grid-template-columns: 100%; place-items: center;
  background: var(--paper); color: var(--ink); font: 1.0625rem/1.6 system-ui, sans-serif; }
main { box-sizing: border-box; width: min(36rem, 100% - 2rem); margin: 1rem; padding: clamp(1.25rem, 6vw, 2.5rem);
  background: var(--card); border: 1px solid var(--line); border-radius: 14px; overflow-wrap: break-word; }
h1 { margin: 0 0 .75rem; font-size: 1.5rem; line-height: 1.25; }
h2 { margin: 2rem 0 .5rem; font-size: 1.25rem; }
h3 { margin: 0; font-size: 1.0625rem; }
p, dl, ul { margin: .75rem 0; }
ul { padding-left: 1.25rem; }
section, fieldset { margin: 1rem 0; padding: 1rem; border: 1px solid var(--line); border-radius: 10px; }
summary { margin-top: .5rem; color: var(--accent); cursor: pointer; }
a { color: var(--accent); }
code { display: inline-block; max-width: 100%; }
label, legend { font-weight: 600; }
input, select { box-sizing: border-box; width: 100%; min-height: 2.75rem; padding: .5rem; font: inherit; color: inherit;
  background: var(--paper); border: 1px solid var(--soft); border-radius: 6px; }
[type=radio], [type=checkbox] { width: auto; min-height: 0; margin: 0 .5rem 0 0; }
.choice { display: block; margin-top: .5rem; font-weight: 400; }
.code { letter-spacing: .15em; text-transform: uppercase; }
dt { color: var(--soft); font-size: .875rem; }
dd { margin: 0 0 .5rem; font-weight: 600; }
section dd { font-weight: 400; }
.buttons { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.5rem; }
.buttons > * { flex: 1 1 9rem; }
.column { display: grid; gap: .75rem; }
button, .button { box-sizing: border-box; display: block; width: 100%; min-height: 2.75rem; padding: .5rem 1rem; font: inherit;
  font-weight: 600; line-height: 1.6; text-align: center; text-decoration: none; cursor: pointer;
  color: var(--accent); background: transparent; border: 1px solid currentcolor; border-radius: 6px; }
.main { color: var(--on-accent); background: var(--accent); }
.alarm, .problem { color: var(--alarm); }
.notice { color: var(--done); }
.notice, .problem { display: block; margin-top: .25rem; font-weight: 600; }
.lines { white-space: pre-line; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.soft { color: var(--soft); font-size: .9375rem; }
`;

/** The source of a script or a style in a content security policy. */
export const sourceOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const styleSource = sourceOf(style);

/**
 * The address of a page and its forms contain secrets, so nothing is cached or sent as a referrer. `formAction` says where the
 * forms may lead, and `scripts` what else the policy allows, such as `script-src 'sha256-…'; `.
 */
export const layoutHeaders = (formAction: string, scripts = ''): Record<string, string> => ({
  'cache-control': 'no-store',
  'content-security-policy': `default-src 'none'; style-src ${styleSource}; ${scripts}form-action ${formAction}; base-uri 'none'; frame-ancestors 'none'`,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
});

export interface PageContent {
  readonly title: string;
  readonly body: Html;
  /** Where the browser goes on by itself. */
  readonly continuesAt?: string;
  readonly script?: string;
}

export const pageHtml = ({ title, body, continuesAt, script }: PageContent) => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
${continuesAt !== undefined && html`<meta http-equiv="refresh" content="0; url=${continuesAt}">`}
<title>${title} – Budget MCP</title>
<style>${raw(style)}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
${script && html`<script>${raw(script)}</script>`}
</body>
</html>
`;
