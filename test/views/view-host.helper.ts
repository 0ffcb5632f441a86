/**
 * Shows views as a host does: in a real browser, in a double frame on two origins, with the default content policy of the
 * specification as an HTTP header, through the library's AppBridge and a real MCP client.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Browser, Frame, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { openBrowser } from '../browser.helper.ts';

/** The policy that a host has to use for a page that declares no other one (SEP-1865, Content Security Policy). */
const DEFAULT_POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; connect-src 'none'";

const pages = fileURLToPath(new URL('page/', import.meta.url));

/** The part of an MCP client of either era that a view needs. */
export interface ViewClient {
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  readResource(params: { uri: string }): Promise<unknown>;
  listTools(): Promise<{ tools: readonly { name: string; _meta?: unknown }[] }>;
}

export interface Look {
  readonly width?: number;
  readonly theme?: 'light' | 'dark';
  readonly locale?: string;
  readonly reducedMotion?: boolean;
  readonly canCall?: boolean;
  /** Changes a result before the view gets it. */
  readonly change?: (result: Result) => Result;
}

export const resultSchema = z.looseObject({
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
  isError: z.boolean().optional(),
  _meta: z.record(z.string(), z.unknown()).optional(),
});
export type Result = z.output<typeof resultSchema>;

const listed = z.object({ ui: z.object({ resourceUri: z.string() }), 'ui/resourceUri': z.string() });
const resource = z.object({ contents: z.tuple([z.object({ text: z.string(), mimeType: z.string() })]) });

async function script(file: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [`${pages}${file}.helper.ts`],
    bundle: true,
    write: false,
    format: 'iife',
    logLevel: 'warning',
  });
  return outputFiles[0]?.text ?? '';
}

/** A web server with one page and its script. Returns its port. */
async function serve(code: string, head: string, headers: Readonly<Record<string, string>>): Promise<number> {
  const server = createServer(({ url }, response) => {
    if (url === '/script.js') response.writeHead(200, { 'content-type': 'text/javascript' }).end(code);
    else
      response
        .writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers })
        .end(
          `<!doctype html><html lang="en"><title>Host</title>${head}<body><script src="/script.js"></script>`,
        );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening on a port');
  return address.port;
}

/** A browser and the two web servers, for any number of views of one test. */
export class ViewHost {
  readonly #browser: Browser;
  readonly #hostPort: number;
  readonly #sandboxPort: number;

  private constructor(browser: Browser, hostPort: number, sandboxPort: number) {
    this.#browser = browser;
    this.#hostPort = hostPort;
    this.#sandboxPort = sandboxPort;
  }

  static async start(): Promise<ViewHost> {
    const browser = await openBrowser();
    const [host, sandbox] = await Promise.all([script('host'), script('sandbox')]);
    const style =
      '<style>html{color-scheme:light dark}body{margin:0}iframe{display:block;border:0;width:100%;height:10px}</style>';
    return new ViewHost(
      browser,
      await serve(host, style, {}),
      await serve(sandbox, '<style>html,body{margin:0;height:100%}</style>', {
        'content-security-policy': DEFAULT_POLICY,
      }),
    );
  }

  /** Shows the view of a tool, and lets it draw the result of a call. */
  async show(
    client: ViewClient,
    tool: string,
    args: Record<string, unknown>,
    look: Look = {},
  ): Promise<ShownView> {
    const view = await this.open(client, tool, look);
    await view.call(args);
    return view;
  }

  /** Shows the view of a tool, which has no result yet. */
  async open(client: ViewClient, tool: string, look: Look = {}): Promise<ShownView> {
    const { tools } = await client.listTools();
    const { ui } = listed.parse(tools.find(({ name }) => name === tool)?._meta);
    const { contents } = resource.parse(await client.readResource({ uri: ui.resourceUri }));
    return ShownView.create(this.#browser, client, tool, contents[0].text, look, {
      host: `http://127.0.0.1:${this.#hostPort}/`,
      sandbox: `http://localhost:${this.#sandboxPort}/`,
    });
  }
}

type Ask = (name: string, args: Record<string, unknown>) => Promise<Result>;

interface Watched {
  /** What the browser has complained about, such as breaches of the content policy. */
  readonly problems: readonly string[];
  /** The calls of the view. */
  readonly calls: readonly { readonly name: string; readonly args: Record<string, unknown> }[];
}

export class ShownView implements Watched {
  readonly page: Page;
  /** The frame of the view. */
  readonly frame: Frame;
  readonly problems: Watched['problems'];
  readonly calls: Watched['calls'];
  readonly #tool: string;
  readonly #ask: Ask;

  private constructor(page: Page, frame: Frame, tool: string, ask: Ask, { problems, calls }: Watched) {
    this.page = page;
    this.frame = frame;
    this.problems = problems;
    this.calls = calls;
    this.#tool = tool;
    this.#ask = ask;
  }

  static async create(
    browser: Browser,
    client: ViewClient,
    tool: string,
    html: string,
    look: Look,
    origins: { readonly host: string; readonly sandbox: string },
  ): Promise<ShownView> {
    const { width = 720, theme = 'light', locale = 'en-US', reducedMotion = false, canCall = true } = look;
    const { change = (each) => each } = look;
    const page = await browser.newPage({
      viewport: { width, height: 900 },
      colorScheme: theme,
      reducedMotion: reducedMotion ? 'reduce' : 'no-preference',
      timezoneId: 'UTC',
    });
    const problems: string[] = [];
    const calls: { name: string; args: Record<string, unknown> }[] = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) problems.push(message.text());
    });
    page.on('pageerror', (error) => problems.push(error.message));
    const ask: Ask = async (name, args) =>
      change(resultSchema.parse(await client.callTool({ name, arguments: args })));
    await page.exposeFunction('callTool', (name: string, args: Record<string, unknown>) => {
      calls.push({ name, args });
      return ask(name, args);
    });
    await page.goto(origins.host);
    const toShow = { sandbox: origins.sandbox, html, canCall, context: { theme, locale } };
    await page.evaluate(`window.host.show(${JSON.stringify(toShow)})`);
    const frame = page.frames().at(-1);
    if (!frame) throw new Error('The view has no frame.');
    return new ShownView(page, frame, tool, ask, { problems, calls });
  }

  /** Calls the tool as the model of a host would, and gives the view the arguments and the result. */
  async call(args: Record<string, unknown>): Promise<Result> {
    const answer = await this.#ask(this.#tool, args);
    await this.give(args, answer);
    return answer;
  }

  /** Gives the view these arguments and this result. */
  async give(args: Record<string, unknown>, answer: Result): Promise<void> {
    await this.send('sendToolInput', { arguments: args });
    await this.send('sendToolResult', answer);
    await this.settled();
  }

  /** Sends a message of the host to the view. */
  async send(method: string, params: object): Promise<unknown> {
    return this.page.evaluate(`window.host.bridge.${method}(${JSON.stringify(params)})`);
  }

  /** Resolves when the view loads nothing. */
  async settled(): Promise<void> {
    await this.frame.locator('main[aria-busy="false"]').waitFor();
  }

  /** Makes the page as high as the view. */
  async fitPage(): Promise<void> {
    const { width = 0 } = this.page.viewportSize() ?? {};
    const height = await this.frame.evaluate<number>(
      'document.documentElement.getBoundingClientRect().height',
    );
    await this.page.setViewportSize({ width, height: Math.ceil(height) });
    // The first frame that is drawn at this size.
    await this.frame.evaluate(
      'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))',
    );
  }

  /** What the view has told the model. */
  contexts(): Promise<string[]> {
    return this.page.evaluate('window.host.contexts');
  }

  heights(): Promise<number[]> {
    return this.page.evaluate('window.host.heights');
  }
}
