/** Measures how long a host waits for the first picture of a view, compared with an empty view in the same browser. */
import { readFileSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { chromium, type Page } from 'playwright-core';
import { inTurns } from './rounds.ts';
import { ms, type Row, size } from './table.ts';

const ROUNDS = { rounds: 15, warmUp: 3 };

const calls = [
  ['report', 'report', { of: 'spending', by: 'category' }],
  ['month', 'check_month', {}],
  ['transactions', 'find_transactions', {}],
  ['write', 'move_budgeted', { from: 'New Bicycle', to: 'Hobbies', dry_run: true }],
] as const;

/** The handshake of a view that draws the text of a result as one line. */
const emptyView = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Empty</title><body><p></p><script>
const send = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
addEventListener('message', ({ data: { id, method, params } }) => {
  if (id === 1) send({ method: 'ui/notifications/initialized', params: {} });
  if (method === 'ui/notifications/tool-result') document.querySelector('p').textContent = params.content[0].text;
});
send({ id: 1, method: 'ui/initialize', params: {} });
</script>`;

/** In the browser: shows a view, gives it a result, and resolves in the frame after the one in which it has drawn that. */
const showView = `([html, result]) => new Promise((resolve) => {
  const frame = document.createElement('iframe');
  const reply = (message) => frame.contentWindow.postMessage({ jsonrpc: '2.0', ...message }, '*');
  const listener = ({ source, data: { id, method } }) => {
    if (source !== frame.contentWindow) return;
    if (method === 'ui/initialize')
      reply({ id, result: { hostContext: { theme: 'light', locale: 'en' }, hostCapabilities: { serverTools: {} } } });
    if (method === 'ui/notifications/initialized') {
      reply({ method: 'ui/notifications/tool-input', params: { arguments: {} } });
      reply({ method: 'ui/notifications/tool-result', params: result });
      removeEventListener('message', listener);
      requestAnimationFrame(look);
    }
  };
  const look = () => {
    if (!frame.contentDocument.querySelector('h1:not(.unseen), body > p:not(:empty):not([role])'))
      return requestAnimationFrame(look);
    requestAnimationFrame(() => {
      frame.remove();
      resolve();
    });
  };
  addEventListener('message', listener);
  frame.srcdoc = html;
  document.body.append(frame);
})`;

const show = (page: Page, html: string, result: unknown) =>
  page.evaluate(`(${showView})(${JSON.stringify([html, result])})`);

export async function views(): Promise<Row[]> {
  const client = new Client(
    { name: 'bench', version: '0.0.0' },
    {
      capabilities: {
        extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
      },
    },
  );
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: ['test/.built/main.js', 'serve', '--demo'] }),
  );
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    const rows: Row[] = [];
    for (const [view, name, args] of calls) {
      const result = await client.callTool({ name, arguments: args });
      const html = readFileSync(`test/.built/views/${view}.html`, 'utf8');
      const times = await inTurns(
        { view: () => show(page, html, result), empty: () => show(page, emptyView, result) },
        ROUNDS,
      );
      const [ours, empty] = [times('view').median, times('empty').median];
      rows.push({
        what: `the first picture of the view \`${view}\`, ${size(Buffer.byteLength(html))}`,
        measured: `${(ours / empty).toFixed(2)} times as long: ${ms(ours)}`,
        beside: `an empty view with the same result: ${ms(empty)}`,
        target: 'at most 3 times',
        met: ours <= 3 * empty,
      });
    }
    return rows;
  } finally {
    await browser.close();
    await client.close();
  }
}
