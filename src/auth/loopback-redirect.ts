/**
 * Where the browser starts from and comes back to after the person has decided: a listener on this machine for one
 * callback (RFC 8252, section 7.3). It knows HTTP, the `state` that it waits for and what the browser shows; what a
 * callback is worth it must not know.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { z } from 'zod';
import { BudgetError } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';
import { bodyOf, sendJson, sendPage, sendWords } from './page-exchange.ts';
import { fragmentForwardingPage, type PageText } from './redirect-pages.ts';
import { StartPage } from './start-page.ts';

/** How long a person may take, in milliseconds. */
export const CALLBACK_TIMEOUT_MS = 300_000;

/** What a person may register and name instead of any free port. `localhost`, since some services want it by that name. */
export const redirectUri = z
  .string()
  .regex(
    /^http:\/\/(127\.0\.0\.1|localhost):[1-9]\d{0,4}\/[\w\-./]*$/,
    'must be http://127.0.0.1:PORT/… or http://localhost:PORT/…, without a query',
  )
  .refine((uri) => URL.canParse(uri), 'must have a port up to 65535');

/** A callback that is ours, and the browser that waits for what became of it. */
interface Visit {
  readonly callback: URLSearchParams;
  show(words: PageText): Promise<void>;
}

/** What the browser is sent off with. Nobody but the person may know it. */
interface Asked {
  readonly url: string;
  readonly state: string;
}

interface Expected extends Asked {
  arrive(visit: Visit): void;
  fail(error: BudgetError): void;
}

export interface LoopbackOptions {
  readonly clock: Clock;
  /** As it is registered, where the service compares it exactly; by default any free port is taken. */
  readonly uri?: string | undefined;
  /** The parameters come in the fragment (specification, Implicit grant). */
  readonly inFragment?: boolean;
}

/**
 * Listens on 127.0.0.1 until it is closed.
 * Throws `sign_in_failed` where the port is taken.
 */
export async function listenForRedirect(options: LoopbackOptions): Promise<LoopbackRedirect> {
  const uri = new URL(options.uri ?? 'http://127.0.0.1:0/callback');
  const server = createServer();
  server.listen(Number(uri.port || 80), '127.0.0.1');
  await once(server, 'listening').catch((cause: unknown) => {
    throw new BudgetError('sign_in_failed', `Port ${uri.port || 80} of 127.0.0.1 cannot be listened on.`, {
      cause,
    });
  });
  const address = server.address();
  if (options.uri === undefined && address !== null && typeof address === 'object')
    uri.port = String(address.port);
  return new LoopbackRedirect(server, options.uri ?? uri.href, options);
}

export class LoopbackRedirect {
  /** To be named in the authorization request, exactly so. */
  readonly uri: string;
  /** Where the browser is to be opened. */
  readonly start: StartPage;
  readonly #server: Server;
  readonly #clock: Clock;
  readonly #inFragment: boolean;
  /** Ends the waiting. */
  readonly #over = new AbortController();
  #expected: Expected | undefined;
  /** A callback has come, or none is waited for any more. */
  #arrived = false;

  constructor(server: Server, uri: string, { clock, inFragment = false }: Omit<LoopbackOptions, 'uri'>) {
    this.uri = uri;
    const { port, pathname } = new URL(uri);
    // Never `localhost`: by that name another user of this machine could listen as well.
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
   * Sends whoever has the code of the start page to `asked.url`, waits for the callback with `asked.state` and shows in
   * the browser what `finish` makes of it; rejects as it does.
   * Throws `sign_in_failed` when nobody comes or the code is guessed at, `cancelled` when the signal is aborted or it is
   * closed.
   */
  async receive(
    asked: Asked,
    finish: (callback: URLSearchParams) => Promise<PageText>,
    signal: AbortSignal,
  ): Promise<void> {
    const { callback, show } = await this.#visit(asked, signal);
    try {
      await show(await finish(callback));
    } catch (error) {
      await show({ heading: 'You are not signed in', text: explain(error) });
      throw error;
    }
  }

  /** Ends every connection. */
  async close(): Promise<void> {
    this.#over.abort();
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  #visit(asked: Asked, signal: AbortSignal): Promise<Visit> {
    return new Promise((resolve, reject) => {
      const arrive = (visit: Visit) => {
        resolve(visit);
        this.#over.abort();
      };
      const fail = (error: BudgetError) => {
        this.#arrived = true;
        reject(error);
        this.#over.abort();
      };
      this.#expected = { ...asked, arrive, fail };
      const minutes = CALLBACK_TIMEOUT_MS / 60_000;
      this.#clock.sleep(CALLBACK_TIMEOUT_MS, AbortSignal.any([signal, this.#over.signal])).then(
        () => reject(new BudgetError('sign_in_failed', `Nobody came back within ${minutes} minutes.`)),
        () => reject(new BudgetError('cancelled', 'The sign-in was cancelled.')),
      );
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { origin, host, pathname } = new URL(this.uri);
    const target = URL.canParse(request.url ?? '', origin) ? new URL(request.url ?? '', origin) : undefined;
    const start = new URL(this.start.url);
    if (this.#expected && request.headers.host === start.host && target?.pathname === start.pathname)
      return this.start.answer(request, response, this.#expected);
    // A page of elsewhere whose name was made to point here (DNS rebinding) still has its own name as host.
    if (request.headers.host !== host) return sendWords(response, 421, UNEXPECTED_CALLBACK);
    if (target?.pathname !== pathname) return sendWords(response, 404, UNEXPECTED_CALLBACK);
    if (request.method === 'POST' && this.#inFragment) {
      if (request.headers.origin !== origin) return sendJson(response, 403, UNEXPECTED_CALLBACK);
      const handed = await bodyOf(request);
      return this.#take(new URLSearchParams(handed), (status, words) => sendJson(response, status, words));
    }
    if (request.method !== 'GET') return sendWords(response, 405, UNEXPECTED_CALLBACK);
    if (this.#inFragment && !target.searchParams.has('state'))
      return sendPage(response, 200, await fragmentForwardingPage());
    return this.#take(target.searchParams, (status, words) => sendWords(response, status, words));
  }

  async #take(
    callback: URLSearchParams,
    say: (status: number, words: PageText) => Promise<void>,
  ): Promise<void> {
    if (!this.#expected || !isSame(callback.get('state') ?? '', this.#expected.state))
      return say(400, UNEXPECTED_CALLBACK);
    if (this.#arrived) return say(409, REPEATED_CALLBACK);
    this.#arrived = true;
    this.#expected.arrive({ callback, show: (words) => say(200, words) });
  }
}

const UNEXPECTED_CALLBACK: PageText = {
  heading: 'This is not the answer that is waited for',
  text: 'It was not asked for by the sign-in that is under way, which goes on. You can close this tab.',
};

const REPEATED_CALLBACK: PageText = {
  heading: 'This sign-in has come back already',
  text: 'The terminal says how it ended. You can close this tab.',
};

/** In constant time, whatever the lengths. */
const isSame = (one: string, other: string) => timingSafeEqual(digest(one), digest(other));

const digest = (text: string) => createHash('sha256').update(text).digest();

const explain = (error: unknown) =>
  error instanceof BudgetError
    ? error.explanation
    : 'Something went wrong that should not have; the terminal says more.';
