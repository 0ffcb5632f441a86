/**
 * A listener on this machine for the start page and for one callback (RFC 8252, section 7.3). It knows HTTP, the expected
 * `state` and the pages. It does not know what a callback means.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { z } from 'zod';
import type { Clock } from '../base/clock.ts';
import { BudgetError } from '../base/errors.ts';
import { closeListener, isSame, listenLocally, targetOf } from './local-listener.ts';
import { readBody, sendJson, sendPage, sendResult } from './page-exchange.ts';
import { fragmentForwardingPage, type PageText } from './redirect-pages.ts';
import { StartPage } from './start-page.ts';

/** How long a person may take. */
export const CALLBACK_TIMEOUT_MS = 300_000;

/** A redirect URI that a person may register, instead of any free port. Some services require the name `localhost`. */
export const redirectUri = z
  .string()
  .regex(
    /^http:\/\/(127\.0\.0\.1|localhost):[1-9]\d{0,4}\/[\w\-./]*$/,
    'must be http://127.0.0.1:PORT/… or http://localhost:PORT/…, without a query',
  )
  .refine((uri) => URL.canParse(uri), 'must have a port up to 65535');

/** The expected callback, and the browser that waits for the result. */
interface ReceivedCallback {
  readonly callback: URLSearchParams;
  show(text: PageText): Promise<void>;
}

/** The authorization request. No other user may know it. */
interface AuthorizationRequest {
  readonly url: string;
  readonly state: string;
}

interface Expected extends AuthorizationRequest {
  arrive(received: ReceivedCallback): void;
  fail(error: BudgetError): void;
}

export interface LoopbackOptions {
  readonly clock: Clock;
  /** The registered redirect URI, for a service that compares it exactly. By default any free port is used. */
  readonly uri?: string | undefined;
  /** The parameters come in the fragment (docs/interface.md, Implicit grant). */
  readonly inFragment?: boolean;
}

/**
 * Listens on 127.0.0.1 until it is closed.
 * Throws `sign_in_failed` if the port is in use.
 */
export async function listenForRedirect(options: LoopbackOptions): Promise<LoopbackRedirect> {
  const uri = new URL(options.uri ?? 'http://127.0.0.1:0/callback');
  const { server, port } = await listenLocally(Number(uri.port || 80));
  if (options.uri === undefined) uri.port = String(port);
  return new LoopbackRedirect(server, options.uri ?? uri.href, options);
}

export class LoopbackRedirect {
  /** The exact redirect URI for the authorization request. */
  readonly uri: string;
  /** The page to open in the browser. */
  readonly start: StartPage;
  readonly #server: Server;
  readonly #clock: Clock;
  readonly #inFragment: boolean;
  /** Aborted when nothing is waited for any more. */
  readonly #finished = new AbortController();
  #expected: Expected | undefined;
  /** Whether a callback has arrived, or none is expected any more. */
  #arrived = false;

  constructor(server: Server, uri: string, { clock, inFragment = false }: Omit<LoopbackOptions, 'uri'>) {
    this.uri = uri;
    const { port, pathname } = new URL(uri);
    // Never `localhost`: another user of this machine could listen on that name too.
    const start = new URL(`http://127.0.0.1:${port || 80}${pathname.replace(/\/?$/, '/start')}`);
    this.start = new StartPage(start.href);
    this.#server = server;
    this.#clock = clock;
    this.#inFragment = inFragment;
    server.on('request', (request, response) => {
      this.#answer(request, response).catch(() => response.destroy());
    });
  }

  /**
   * Sends the browser to `authorization.url` once the code of the start page is typed, waits for the callback with
   * `authorization.state`, and shows the page that `finish` returns. Rejects if `finish` rejects.
   * Throws `sign_in_failed` if no callback comes in time or too many wrong codes are typed, `cancelled` if the signal is
   * aborted or the listener is closed.
   */
  async receive(
    authorization: AuthorizationRequest,
    finish: (callback: URLSearchParams) => Promise<PageText>,
    signal: AbortSignal,
  ): Promise<void> {
    const { callback, show } = await this.#waitForCallback(authorization, signal);
    try {
      await show(await finish(callback));
    } catch (error) {
      await show({ heading: 'You are not signed in', text: explain(error) });
      throw error;
    }
  }

  /** Ends every connection. */
  async close(): Promise<void> {
    this.#finished.abort();
    await closeListener(this.#server);
  }

  #waitForCallback(authorization: AuthorizationRequest, signal: AbortSignal): Promise<ReceivedCallback> {
    return new Promise((resolve, reject) => {
      const arrive = (received: ReceivedCallback) => {
        resolve(received);
        this.#finished.abort();
      };
      const fail = (error: BudgetError) => {
        this.#arrived = true;
        reject(error);
        this.#finished.abort();
      };
      this.#expected = { ...authorization, arrive, fail };
      const minutes = CALLBACK_TIMEOUT_MS / 60_000;
      this.#clock.sleep(CALLBACK_TIMEOUT_MS, AbortSignal.any([signal, this.#finished.signal])).then(
        () =>
          reject(
            new BudgetError('sign_in_failed', `The browser did not come back within ${minutes} minutes.`),
          ),
        () => reject(new BudgetError('cancelled', 'The sign-in was cancelled.')),
      );
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { origin, host, pathname } = new URL(this.uri);
    const target = targetOf(request, origin);
    const start = new URL(this.start.url);
    if (this.#expected && request.headers.host === start.host && target?.pathname === start.pathname)
      return this.start.answer(request, response, this.#expected);
    // A page of another site whose name points to this machine (DNS rebinding) sends its own name as the host.
    if (request.headers.host !== host) return sendResult(response, 421, UNEXPECTED_CALLBACK);
    if (target?.pathname !== pathname) return sendResult(response, 404, UNEXPECTED_CALLBACK);
    if (request.method === 'POST' && this.#inFragment) {
      if (request.headers.origin !== origin) return sendJson(response, 403, UNEXPECTED_CALLBACK);
      const body = await readBody(request);
      return this.#accept(new URLSearchParams(body), (status, text) => sendJson(response, status, text));
    }
    if (request.method !== 'GET') return sendResult(response, 405, UNEXPECTED_CALLBACK);
    if (this.#inFragment && !target.searchParams.has('state'))
      return sendPage(response, 200, await fragmentForwardingPage());
    return this.#accept(target.searchParams, (status, text) => sendResult(response, status, text));
  }

  async #accept(
    callback: URLSearchParams,
    reply: (status: number, text: PageText) => Promise<void>,
  ): Promise<void> {
    if (!this.#expected || !isSame(callback.get('state') ?? '', this.#expected.state))
      return reply(400, UNEXPECTED_CALLBACK);
    if (this.#arrived) return reply(409, REPEATED_CALLBACK);
    this.#arrived = true;
    this.#expected.arrive({ callback, show: (text) => reply(200, text) });
  }
}

const UNEXPECTED_CALLBACK: PageText = {
  heading: 'This is not the expected answer',
  text: 'It does not belong to the sign-in in progress, which continues. You can close this tab.',
};

const REPEATED_CALLBACK: PageText = {
  heading: 'This sign-in was already answered',
  text: 'The terminal shows the result. You can close this tab.',
};

const explain = (error: unknown) =>
  error instanceof BudgetError ? error.explanation : 'An internal error occurred. The terminal shows more.';
