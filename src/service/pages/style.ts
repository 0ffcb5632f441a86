/** The style sheet of the service's pages, with a light and a dark theme. */
export const style = `
:root {
  color-scheme: light dark;
  --ground: #f3f5f2; --sheet: #ffffff; --ink: #1b241f; --faint: #55625b; --line: #cdd5cf; --field: #7c8a82;
  --accent: #0c6b4c; --on-accent: #ffffff; --quiet: #e6f1ec; --alarm: #a3231d; --alarm-ground: #fcecea;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #121714; --sheet: #1b221e; --ink: #e8eeea; --faint: #a5b3ab; --line: #36413b; --field: #7f8f86;
    --accent: #6fd6ac; --on-accent: #06261a; --quiet: #21352c; --alarm: #ffa59c; --alarm-ground: #3b1d1b;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; padding: 2rem 1rem; background: var(--ground); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere;
}
header, main { max-width: 30rem; margin: 0 auto; }
.wide header, .wide main { max-width: 46rem; }
header { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: center; gap: 0 1rem; padding-bottom: 1rem; color: var(--faint); }
header form { margin: 0; }
.brand { margin: 0; font-weight: 650; color: var(--accent); }
main { padding: 2rem; background: var(--sheet); border: 1px solid var(--line); border-radius: .75rem; }
h1 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.25; }
h2 { margin: 2.5rem 0 .5rem; font-size: 1.125rem; }
h1 + h2, p + h2.near { margin-top: 1.25rem; }
h3 { margin: 1.5rem 0 .5rem; font-size: 1rem; }
p { margin: .5rem 0; }
.faint { color: var(--faint); font-size: .9375rem; }
label, legend { display: block; padding: 0; font-weight: 600; }
label.choice { display: flex; gap: .625rem; align-items: center; min-height: 2.5rem; font-weight: 400; cursor: pointer; }
input, textarea {
  font: inherit; color: inherit; accent-color: var(--accent);
}
input:not([type=radio], [type=checkbox]), textarea {
  display: block; width: 100%; min-height: 2.75rem; margin: .25rem 0 1rem; padding: .5rem .75rem;
  background: transparent; border: 1px solid var(--field); border-radius: .375rem;
}
input[type=radio], input[type=checkbox] { flex: none; width: 1.15rem; height: 1.15rem; margin: 0; }
fieldset { margin: 1.5rem 0; padding: 0; border: 0; }
button {
  min-height: 2.75rem; padding: .5rem 1.25rem; font: inherit; font-weight: 600; cursor: pointer;
  color: var(--accent); background: transparent; border: 1px solid var(--accent); border-radius: .375rem;
}
button.main { color: var(--on-accent); background: var(--accent); }
button.alarm { color: var(--alarm); border-color: var(--alarm); }
button.plain { min-height: 0; padding: 0; font-weight: 400; border: 0; text-decoration: underline; }
.buttons { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.5rem; }
.buttons button { flex: 1 1 9rem; }
form + .faint { margin: 1rem 0 0; }
.permits + .faint { margin-top: 1rem; }
a { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
ul { margin: .5rem 0; padding: 0; list-style: none; }
.permits li { padding-left: 1.75rem; position: relative; margin: .375rem 0; }
.permits li::before { content: '✓' / ''; position: absolute; left: .25rem; color: var(--accent); font-weight: 700; }
.permits li.not::before { content: '✕' / ''; color: var(--alarm); }
.rows li {
  display: flex; flex-wrap: wrap; justify-content: space-between; align-items: center; gap: .5rem 1rem;
  padding: .75rem 0; border-top: 1px solid var(--line);
}
.rows li > div { flex: 1 1 16rem; }
.rows p { margin: 0; }
.notice, .alarm-notice { margin: 0 0 1.5rem; padding: .75rem 1rem; border-left: .25rem solid var(--accent); background: var(--quiet); }
.alarm-notice { border-color: var(--alarm); background: var(--alarm-ground); }
code { font: .9375rem/1.5 ui-monospace, monospace; user-select: all; }
dl { margin: .5rem 0; } dt { font-weight: 600; } dd { margin: 0 0 .5rem; }
`;
