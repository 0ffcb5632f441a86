/**
 * A page of this machine on which a person signs in, for hosts that open it in a browser. It works for ten minutes, for one
 * browser and for one sign-in. The token goes from the browser to this process, and never to the host or its model.
 *
 * Why one browser: every user of this machine can read the command line with which a host opens the browser, and with it the
 * address. Where a second browser opens the page, it ends, and says so to the person (docs/limits.md).
 */
import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { ageOf, type Clock, type Moment, momentOf } from '../base/clock.ts';
import { BudgetError } from '../base/errors.ts';
import { describeBudgets, type StoringDeps, storeChecked } from './checked-sign-in.ts';
import {
  closeListener,
  isSame,
  listenLocally,
  readBody,
  sendPage,
  sendResult,
  targetOf,
} from './local-listener.ts';
import { type Authorization, OAuth, type Send } from './oauth.ts';
import { continuePage, type PageText, startPageHeaders } from './redirect-pages.ts';
import { refuseUncheckedCertificate } from './service-address.ts';
import {
  agreedToFile,
  chosenService,
  type Entered,
  enteredApplication,
  enteredToken,
  type FormFacts,
  readForm,
  type Service,
  signInForm,
} from './sign-in-form.ts';
import type { SignIn, TokenStore } from './token-store.ts';

export const PAGE_MS = 10 * 60_000;

export interface SignInPageDeps extends Omit<StoringDeps, 'signal'> {
  readonly clock: Clock;
  readonly send: Send;
  /** Where the sign-in is stored if `store` is a keychain that cannot be used, and the person agrees. */
  readonly files: TokenStore;
  readonly service?: Service | undefined;
  readonly readOnly: boolean;
  readonly checksCertificates: boolean;
  /** Called after the sign-in was stored. */
  readonly onSignedIn: () => Promise<void>;
}

/** An authorization that the browser has gone to, and where its tokens belong. */
interface PendingAuthorization {
  readonly authorization: Authorization;
  readonly baseUrl: string;
  readonly inFile: boolean;
}

export async function openSignInPage(deps: SignInPageDeps): Promise<SignInPage> {
  const { server, port } = await listenLocally(0);
  // The page does not keep the program running.
  server.unref();
  return new SignInPage(server, port, deps);
}

export class SignInPage {
  readonly url: string;
  /** Resolves when the person has signed in or cancelled, or when the page has ended. */
  readonly ended: Promise<void>;
  readonly #server: Server;
  readonly #deps: SignInPageDeps;
  readonly #openedAt: Moment;
  readonly #closed = new AbortController();
  /** Aborted with the end of the page: nothing is stored afterwards. */
  readonly #stop = new AbortController();
  #resolveEnded = () => {};
  /** The text of the page after its end. Undefined while it can be used. */
  #end: PageText | undefined;
  /** The cookie of the browser that has opened the page. */
  #browser: string | undefined;
  #pending: PendingAuthorization | undefined;

  constructor(server: Server, port: number, deps: SignInPageDeps) {
    this.#server = server;
    this.#deps = deps;
    this.url = `http://127.0.0.1:${port}/sign-in/${randomBytes(32).toString('base64url')}`;
    this.#openedAt = momentOf(deps.clock);
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
    server.on('request', (request, response) => {
      this.#answer(request, response)
        .catch((error: unknown) => sendResult(response, 503, notSignedIn(error)))
        .catch(() => response.destroy());
    });
    deps.clock.sleep(PAGE_MS, this.#closed.signal, true).then(
      () => this.close(),
      () => {},
    );
  }

  get isOpen(): boolean {
    if (ageOf(this.#deps.clock, this.#openedAt) >= PAGE_MS) this.#endWith(EXPIRED);
    return this.#end === undefined;
  }

  async close(): Promise<void> {
    this.#endWith(EXPIRED);
    this.#closed.abort();
    await closeListener(this.#server);
  }

  #endWith(text: PageText): void {
    this.#end ??= text;
    this.#stop.abort();
    this.#resolveEnded();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { origin, host, pathname } = new URL(this.url);
    // A page of another site whose name points to this machine (DNS rebinding) sends its own name as the host.
    if (request.headers.host !== host) return sendResult(response, 421, NOT_HERE);
    const target = targetOf(request, origin);
    const isCallback = request.method === 'GET' && target?.pathname === '/callback';
    if (!isCallback && !isSame(target?.pathname ?? '', pathname)) return sendResult(response, 404, NOT_HERE);
    if (!this.isOpen) return sendResult(response, 410, this.#end ?? EXPIRED);
    if (isCallback) return this.#receiveCallback(target.searchParams, response);
    const cookie = /(?:^|; )sign-in=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1] ?? '';
    const isOwn = this.#browser !== undefined && isSame(cookie, this.#browser);
    if (request.method === 'GET') return this.#show(response, isOwn);
    if (request.method !== 'POST') return sendResult(response, 405, NOT_HERE);
    if (request.headers.origin !== origin || !isOwn) return sendResult(response, 403, NOT_HERE);
    return this.#receiveForm(readForm(await readBody(request)), response);
  }

  async #show(response: ServerResponse, isOwn: boolean): Promise<void> {
    const form = await signInForm(await this.#facts());
    // Without the form, a browser has not opened the page: it comes again without a cookie.
    if (response.destroyed) return;
    if (this.#browser !== undefined && !isOwn) {
      this.#endWith(OPENED_TWICE);
      return sendResult(response, 410, OPENED_TWICE);
    }
    this.#browser ??= randomBytes(32).toString('base64url');
    const cookie = `sign-in=${this.#browser}; HttpOnly; SameSite=Lax; Path=${new URL(this.url).pathname}`;
    return sendPage(response, 200, form, { ...startPageHeaders, 'set-cookie': cookie });
  }

  /** Throws a `BudgetError` if a sign-in could not be stored, before the person enters anything. */
  async #facts(): Promise<FormFacts> {
    const { store, files, profile, service, readOnly } = this.#deps;
    try {
      return { before: await store.read(profile), needsFile: false, service, readOnly };
    } catch (error) {
      if (!(error instanceof BudgetError) || error.code !== 'keychain_unavailable') throw error;
      return { before: await files.read(profile), needsFile: true, service, readOnly };
    }
  }

  async #receiveForm(entered: Entered | undefined, response: ServerResponse): Promise<void> {
    if (!entered) return sendResult(response, 400, NOT_HERE);
    if (entered.way === 'cancel') {
      this.#endWith(CANCELLED);
      return sendResult(response, 200, CANCELLED);
    }
    const facts = await this.#facts();
    try {
      const service = chosenService(entered, facts);
      const inFile = agreedToFile(entered, facts);
      if (entered.way === 'browser') return await this.#continue(entered, service, inFile, facts, response);
      const { baseUrl, appUrl } = service;
      const accessToken = enteredToken(entered);
      const signIn = { kind: 'personal' as const, id: randomUUID(), baseUrl, accessToken };
      const text = await this.#save({ ...signIn, ...(appUrl !== undefined && { appUrl }) }, inFile);
      return await sendResult(response, 200, text);
    } catch (error) {
      if (!(error instanceof BudgetError)) throw error;
      return sendPage(response, 422, await signInForm(facts, entered, mistakeOf(error)), startPageHeaders);
    }
  }

  async #continue(
    entered: Entered,
    service: Service,
    inFile: boolean,
    facts: FormFacts,
    response: ServerResponse,
  ): Promise<void> {
    const { send, clock } = this.#deps;
    const application = enteredApplication(entered, service, facts);
    this.#checkAddress(application.appUrl);
    const redirectUri = new URL('/callback', this.url).href;
    const authorization = await new OAuth({ send, clock }).authorization(application, redirectUri);
    this.#pending = { authorization, baseUrl: service.baseUrl, inFile };
    return sendPage(response, 200, await continuePage(authorization.url));
  }

  async #receiveCallback(callback: URLSearchParams, response: ServerResponse): Promise<void> {
    const pending = this.#pending;
    if (!pending || !isSame(callback.get('state') ?? '', pending.authorization.state))
      return sendResult(response, 400, NOT_HERE);
    this.#pending = undefined;
    try {
      const granted = await pending.authorization.granted(callback, this.#stop.signal);
      const signIn = { id: randomUUID(), baseUrl: pending.baseUrl, ...granted };
      return await sendResult(response, 200, await this.#save(signIn, pending.inFile));
    } catch (error) {
      return sendResult(response, 422, notSignedIn(error));
    }
  }

  #checkAddress(url: string): void {
    if (!this.#deps.checksCertificates) refuseUncheckedCertificate(url);
  }

  /** Returns the last page. */
  async #save(signIn: SignIn, inFile: boolean): Promise<PageText> {
    const { files, onSignedIn, ...deps } = this.#deps;
    this.#checkAddress(signIn.baseUrl);
    const store = inFile ? files : deps.store;
    const budgets = await storeChecked(signIn, { ...deps, store, signal: this.#stop.signal });
    await onSignedIn();
    this.#endWith(USED);
    return {
      heading: 'You are signed in',
      text: `The token gives access to ${describeBudgets(budgets)}. It is stored in ${store.place}, and sent to ${signIn.baseUrl} only.\n\nGo back to your assistant. You can close this tab.`,
    };
  }
}

/** Errors that a person can correct on the page. */
function mistakeOf({ code, message, explanation }: BudgetError): string {
  if (code === 'not_authorized')
    return 'The service does not accept this token. Check that it is complete, or make a new one.';
  return code === 'invalid_input' ? message : explanation;
}

const notSignedIn = (error: unknown): PageText => ({
  heading: 'You are not signed in',
  text: `${error instanceof BudgetError ? error.explanation : 'An internal error occurred.'}\n\nYou can go back and try again.`,
});

const NOT_HERE: PageText = {
  heading: 'This is not the page for signing in',
  text: 'Open the address that your assistant shows.',
};

const EXPIRED: PageText = {
  heading: 'This page has expired',
  text: 'It works for ten minutes. Ask your assistant again to get a new one.',
};

const CANCELLED: PageText = {
  heading: 'You are not signed in',
  text: 'You have cancelled, and nothing was stored. You can close this tab.',
};

const USED: PageText = {
  heading: 'This page was used',
  text: 'It works for one sign-in. If that was not yours, another user of this computer may have signed in: run `budget-mcp logout`, and ask your assistant again.',
};

const OPENED_TWICE: PageText = {
  heading: 'This page has ended',
  text: 'It was opened in two browsers, one of which may be that of another user of this computer. Nothing was stored. Ask your assistant again to get a new page.',
};
