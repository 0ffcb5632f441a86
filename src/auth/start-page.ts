/**
 * The first page of a sign-in in the browser. It runs on this machine, asks for a code from the terminal and only then
 * goes on to the service. This file knows the code and how often it may be mistyped. It knows nothing about callbacks.
 *
 * Why: every user of this machine can read the command line of the program that opens the browser, and often that of
 * the browser itself. A user who reads the authorization URL there knows its `state` and challenge, and can sign in with
 * another account and deliver the callback. `state` and PKCE do not help against that. So no command line contains the
 * authorization URL, only the address of this page. A page that can be opened only once is not enough: another user's
 * program can read the address, open it before the browser has started, and deliver its callback before the person sees
 * that the page was used. A file that only this user can read is not enough either: many browsers run in a sandbox and
 * cannot read it. The code is shown in the terminal only, so there is no race.
 */
import { randomInt } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { BudgetError } from '../base/errors.ts';
import { readBody, sendPage, sendResult } from './local-listener.ts';
import { continuePage, startPage, startPageHeaders } from './redirect-pages.ts';

/** Letters that are easy to distinguish and to type, and that do not form words (RFC 8628, section 6.1). */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';

/** There are 20 to the power of 8 codes, so this many guesses are useless (RFC 8628, section 5.1). */
const MAX_WRONG_CODES = 5;

export interface CodeOutcome {
  readonly url: string;
  fail(error: BudgetError): void;
}

export class StartPage {
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
  async answer(request: IncomingMessage, response: ServerResponse, outcome: CodeOutcome): Promise<void> {
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
