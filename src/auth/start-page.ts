/**
 * Where the browser begins a sign-in: a page on this machine that asks for a code from the terminal and only then goes
 * on to the service. It knows the code and how often it may be mistyped; it must not know what a callback is.
 *
 * Why: every user of this machine can read the command line of the program that opens the browser, and often that of
 * the browser itself. Whoever reads the authorization URL there knows its `state` and challenge, can sign in with an
 * account of their own and deliver the callback; `state` and PKCE do not help against that. So the authorization URL
 * is on no command line, only the address of this page is. A page that can be opened only once would not do: another
 * user's program reads the address and opens it before a browser has started, and has delivered its callback before
 * the person sees that the page is used up. A file that only this user can read would not do either: many browsers are
 * confined so that they cannot read it. The code is in the terminal only, so nobody has to win a race.
 */
import { randomInt } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { BudgetError } from '../errors.ts';
import { bodyOf, sendPage, sendWords } from './page-exchange.ts';
import { continuePage, startPage, startPageHeaders } from './redirect-pages.ts';

/** Easy to tell apart and to type, and no words come of them (RFC 8628, section 6.1). */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';

/** With 20 to the power of 8 codes, that many guesses are worth nothing (RFC 8628, section 5.1). */
const MAX_WRONG_CODES = 5;

/** What the right code leads to, and what too many wrong ones do. */
export interface Started {
  /** Where the browser goes on. */
  readonly url: string;
  fail(error: BudgetError): void;
}

export class StartPage {
  readonly url: string;
  /** Such as `WDJB-MJHT`, for the terminal and nothing else. */
  readonly code: string;
  #wrongCodes = 0;

  constructor(url: string) {
    this.url = url;
    const letters = Array.from({ length: 8 }, () => LETTERS.charAt(randomInt(LETTERS.length))).join('');
    this.code = `${letters.slice(0, 4)}-${letters.slice(4)}`;
  }

  /** The path is the start page's, whatever the rest of the request. */
  async answer(request: IncomingMessage, response: ServerResponse, started: Started): Promise<void> {
    if (request.method === 'GET') return sendPage(response, 200, await startPage(), startPageHeaders);
    if (request.method !== 'POST') return sendWords(response, 405, NOT_FROM_HERE);
    // A page from elsewhere must not use up the codes that may be mistyped.
    if (request.headers.origin !== new URL(this.url).origin) return sendWords(response, 403, NOT_FROM_HERE);
    const typed = new URLSearchParams(await bodyOf(request)).get('code') ?? '';
    if (this.#wrongCodes >= MAX_WRONG_CODES) return sendWords(response, 403, SPENT);
    if (lettersOf(typed) === lettersOf(this.code))
      return sendPage(response, 200, await continuePage(started.url));
    this.#wrongCodes += 1;
    if (this.#wrongCodes < MAX_WRONG_CODES)
      return sendPage(response, 403, await startPage(WRONG_CODE), startPageHeaders);
    await sendWords(response, 403, SPENT);
    started.fail(
      new BudgetError(
        'sign_in_failed',
        `A wrong code was typed ${MAX_WRONG_CODES} times at ${this.url}. If that was not you, another user or program of this computer tried to sign in here.`,
      ),
    );
  }
}

const lettersOf = (code: string) => code.toUpperCase().replace(/[^A-Z]/g, '');

const WRONG_CODE = 'That is not the code in the terminal. Type it again.';

const SPENT = {
  heading: 'This sign-in has ended',
  text: 'A wrong code was typed too often. Start the sign-in again in the terminal.',
};

const NOT_FROM_HERE = {
  heading: 'This does not come from the start page',
  text: 'Open the address that the terminal shows and type the code there.',
};
