/** The page at the root of a hosted server, for a person who opens its address in a browser. */
import { Hono } from 'hono';
import { html } from 'hono/html';
import { visible } from '../platform/quote.ts';
import { page } from './page.ts';

export interface HomePageOptions {
  /** The public address of the server, without a path. */
  readonly issuer: string;
  /** Where people sign in. */
  readonly appUrl: string;
}

/** Only browsers ask for HTML. Other clients get the same answer as at any unknown path. */
export const homeRoutes = ({ issuer, appUrl }: HomePageOptions): Hono =>
  new Hono().get('/', (c, next) =>
    c.req.header('accept')?.includes('text/html')
      ? page(c, {
          title: 'Budget MCP',
          body: html`<p>This server, <b>${new URL(issuer).host}</b>, lets AI assistants read and keep your budgets at
${visible(new URL(appUrl).host)}, if you allow them to.</p>
<p><a class="button main" href="/account">Your account</a></p>
<p class="soft">Which applications may use your budgets, what they have changed, your settings, and how to end it all.</p>
<h2>Connect an assistant</h2>
<p>Give it this address. It then sends you here to allow it.</p>
<p><code>${issuer}/mcp</code></p>`,
        })
      : next(),
  );
