/**
 * A listener on this machine for the start page and for one callback (RFC 8252, section 7.3). It knows HTTP, the expected
 * `state` and the pages. It does not know what a callback means.
 */
import { randomInt } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import type { Clock } from '../base/clock.ts';
import { BudgetError } from '../base/errors.ts';
import {
  closeListener,
  isSame,
  listenLocally,
  readBody,
  sendJson,
  sendPage,
  sendResult,
  targetOf,
} from './local-listener.ts';
import type { Authorization } from './oauth.ts';
import {
  continuePage,
  fragmentForwardingPage,
  type PageText,
  startPage,
  startPageHeaders,
} from './redirect-pages.ts';

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

/** No other user may know it. */
type AuthorizationRequest = Pick<Authorization, 'url' | 'state'>;

type Reply = (status: number, text: PageText) => Promise<void>;

interface Expected extends AuthorizationRequest {
  arrive(callback: URLSearchParams, reply: Reply): void;
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
export async function listenForRedirect({ clock, uri, inFragment = false }: LoopbackOptions) {
  const address = new URL(uri ?? 'http://127.0.0.1:0/callback');
  const { server, port } = await listenLocally(Number(address.port || 80));
  if (uri === undefined) address.port = String(port);
  const { origin, host, pathname } = address;
  // Never `localhost`: another user of this machine could listen on that name too.
  const startUrl = new URL(`http://127.0.0.1:${port}${pathname.replace(/\/?$/, '/start')}`);
  const start = new StartPage(startUrl.href);
  /** Aborted when nothing is waited for any more. */
  const finished = new AbortController();
  let expected: Expected | undefined;
  /** Whether a callback has arrived, or none is expected any more. */
  let hasArrived = false;

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const target = targetOf(request, origin);
    if (expected && request.headers.host === startUrl.host && target?.pathname === startUrl.pathname)
      return start.answer(request, response, expected);
    // A page of another site whose name points to this machine (DNS rebinding) sends its own name as the host.
    if (request.headers.host !== host) return sendResult(response, 421, UNEXPECTED_CALLBACK);
    if (target?.pathname !== pathname) return sendResult(response, 404, UNEXPECTED_CALLBACK);
    if (request.method === 'POST' && inFragment) {
      if (request.headers.origin !== origin) return sendJson(response, 403, UNEXPECTED_CALLBACK);
      const body = await readBody(request);
      return accept(new URLSearchParams(body), (status, text) => sendJson(response, status, text));
    }
    if (request.method !== 'GET') return sendResult(response, 405, UNEXPECTED_CALLBACK);
    if (inFragment && !target.searchParams.has('state'))
      return sendPage(response, 200, await fragmentForwardingPage());
    return accept(target.searchParams, (status, text) => sendResult(response, status, text));
  };

  const accept = async (callback: URLSearchParams, reply: Reply): Promise<void> => {
    if (!expected || !isSame(callback.get('state') ?? '', expected.state))
      return reply(400, UNEXPECTED_CALLBACK);
    if (hasArrived) return reply(409, REPEATED_CALLBACK);
    hasArrived = true;
    expected.arrive(callback, reply);
  };

  server.on('request', (request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  return {
    /** The exact redirect URI for the authorization request. */
    uri: uri ?? address.href,
    /** The page to open in the browser. */
    start,
    /**
     * Sends the browser to `authorization.url` once the code of the start page is typed, waits for the callback with
     * `authorization.state`, and shows the page that `finish` returns. Rejects if `finish` rejects.
     * Throws `sign_in_failed` if no callback comes in time or too many wrong codes are typed, `cancelled` if the signal is
     * aborted or the listener is closed.
     */
    receive: (
      authorization: AuthorizationRequest,
      finish: (callback: URLSearchParams) => Promise<PageText>,
      signal: AbortSignal,
    ) =>
      new Promise<void>((resolve, reject) => {
        const arrive = (callback: URLSearchParams, reply: Reply) => {
          resolve(showOutcome(finish(callback), reply));
          finished.abort();
        };
        const fail = (error: BudgetError) => {
          hasArrived = true;
          reject(error);
          finished.abort();
        };
        expected = { ...authorization, arrive, fail };
        const minutes = CALLBACK_TIMEOUT_MS / 60_000;
        const late = `The browser did not come back within ${minutes} minutes.`;
        clock.sleep(CALLBACK_TIMEOUT_MS, AbortSignal.any([signal, finished.signal])).then(
          () => fail(new BudgetError('sign_in_failed', late)),
          () => fail(new BudgetError('cancelled', 'The sign-in was cancelled.')),
        );
      }),
    async close(): Promise<void> {
      finished.abort();
      await closeListener(server);
    },
  };
}

async function showOutcome(finishing: Promise<PageText>, reply: Reply): Promise<void> {
  try {
    await reply(200, await finishing);
  } catch (error) {
    await reply(200, { heading: 'You are not signed in', text: explain(error) });
    throw error;
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

/** Letters that are easy to distinguish and to type, and that do not form words (RFC 8628, section 6.1). */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';

/** There are 20 to the power of 8 codes, so this many guesses are useless (RFC 8628, section 5.1). */
const MAX_WRONG_CODES = 5;

/**
 * The first page of a sign-in in the browser. It asks for a code from the terminal and only then goes on to the service.
 *
 * Why: every user of this machine can read the command line of the program that opens the browser, and often that of
 * the browser itself. A user who reads the authorization URL there knows its `state` and challenge, and can sign in with
 * another account and deliver the callback. `state` and PKCE do not help against that. So no command line contains the
 * authorization URL, only the address of this page. A page that can be opened only once is not enough: another user's
 * program can read the address, open it before the browser has started, and deliver its callback before the person sees
 * that the page was used. A file that only this user can read is not enough either: many browsers run in a sandbox and
 * cannot read it. The code is shown in the terminal only, so there is no race.
 */
class StartPage {
  readonly url: string;
  /** Such as `WDJB-MJHT`. Shown in the terminal only. */
  readonly code: string;
  #wrongCodes = 0;

  constructor(url: string) {
    this.url = url;
    const letters = Array.from({ length: 8 }, () => LETTERS.charAt(randomInt(LETTERS.length))).join('');
    this.code = `${letters.slice(0, 4)}-${letters.slice(4)}`;
  }

  /** Answers a request to the path of this page, with any method. */
  async answer(request: IncomingMessage, response: ServerResponse, outcome: Expected): Promise<void> {
    if (request.method === 'GET') return sendPage(response, 200, await startPage(), startPageHeaders);
    if (request.method !== 'POST') return sendResult(response, 405, WRONG_SOURCE);
    // A page of another site must not use up the wrong codes that are allowed.
    if (request.headers.origin !== new URL(this.url).origin) return sendResult(response, 403, WRONG_SOURCE);
    const typed = new URLSearchParams(await readBody(request)).get('code') ?? '';
    if (this.#wrongCodes >= MAX_WRONG_CODES) return sendResult(response, 403, TOO_MANY_WRONG_CODES);
    if (lettersOf(typed) === lettersOf(this.code))
      return sendPage(response, 200, await continuePage(outcome.url));
    this.#wrongCodes += 1;
    if (this.#wrongCodes < MAX_WRONG_CODES)
      return sendPage(response, 403, await startPage(WRONG_CODE), startPageHeaders);
    await sendResult(response, 403, TOO_MANY_WRONG_CODES);
    outcome.fail(
      new BudgetError(
        'sign_in_failed',
        `A wrong code was typed ${MAX_WRONG_CODES} times at ${this.url}. If that was not you, another user or program of this computer tried to sign in here.`,
      ),
    );
  }
}

const lettersOf = (code: string) => code.toUpperCase().replace(/[^A-Z]/g, '');

const WRONG_CODE = 'That is not the code in the terminal. Type it again.';

const TOO_MANY_WRONG_CODES = {
  heading: 'This sign-in has ended',
  text: 'A wrong code was typed too often. Start the sign-in again in the terminal.',
};

const WRONG_SOURCE = {
  heading: 'This request does not come from the start page',
  text: 'Open the address that the terminal shows and type the code there.',
};
