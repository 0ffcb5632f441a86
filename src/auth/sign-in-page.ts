/**
 * A page of this machine on which a person signs in, for hosts that open it in a browser. It works for ten minutes, for one
 * browser and for one sign-in. The token goes from the browser to this process, and never to the host or its model.
 *
 * Why one browser: every user of this machine can read the command line with which a host opens the browser, and with it the
 * address. Where a second browser opens the page, it ends, and says so to the person (docs/limits.md).
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ageOf, type Clock, momentOf } from '../base/clock.ts';
import { BudgetError } from '../base/errors.ts';
import {
  choiceIn,
  describeBudgets,
  describeDefaultOf,
  type StoredSignIn,
  type StoringDeps,
  storeChecked,
  storeChoice,
} from './checked-sign-in.ts';
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
  budgetForm,
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

interface StoredIn extends StoredSignIn {
  readonly store: TokenStore;
}

export type SignInPage = Awaited<ReturnType<typeof openSignInPage>>;

export async function openSignInPage({ files, onSignedIn, checksCertificates, ...deps }: SignInPageDeps) {
  const { clock, send, profile, service, readOnly } = deps;
  const { server, port } = await listenLocally(0);
  // The page does not keep the program running.
  server.unref();
  const url = `http://127.0.0.1:${port}/sign-in/${randomBytes(32).toString('base64url')}`;
  const { origin, host, pathname } = new URL(url);
  const redirectUri = `${origin}/callback`;
  const openedAt = momentOf(clock);
  const closed = new AbortController();
  /** Aborted with the end of the page: nothing is stored afterwards. */
  const stop = new AbortController();
  /** The text of the page after its end. Undefined while it can be used. */
  let end: PageText | undefined;
  /** The cookie of the browser that has opened the page. */
  let browser: string | undefined;
  /** The authorization that the browser has gone to, and where its tokens belong. */
  let pending: { authorization: Authorization; baseUrl: string; inFile: boolean } | undefined;
  /** The sign-in that was stored, while the person chooses a default budget. */
  let stored: StoredIn | undefined;

  const endWith = (text: PageText) => {
    end ??= text;
    stop.abort();
  };

  const isOpen = () => {
    if (ageOf(clock, openedAt) >= PAGE_MS) endWith(EXPIRED);
    return end === undefined;
  };

  const close = async () => {
    endWith(EXPIRED);
    closed.abort();
    await closeListener(server);
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    // A page of another site whose name points to this machine (DNS rebinding) sends its own name as the host.
    if (request.headers.host !== host) return sendResult(response, 421, NOT_HERE);
    const target = targetOf(request, origin);
    const isCallback = request.method === 'GET' && target?.pathname === '/callback';
    if (!isCallback && !isSame(target?.pathname ?? '', pathname)) return sendResult(response, 404, NOT_HERE);
    if (!isOpen()) return sendResult(response, 410, end ?? EXPIRED);
    if (isCallback) return receiveCallback(target.searchParams, response);
    const cookie = /(?:^|; )sign-in=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1] ?? '';
    const isOwn = browser !== undefined && isSame(cookie, browser);
    if (request.method === 'GET') return show(response, isOwn);
    if (request.method !== 'POST') return sendResult(response, 405, NOT_HERE);
    if (request.headers.origin !== origin || !isOwn) return sendResult(response, 403, NOT_HERE);
    return receiveForm(readForm(await readBody(request)), response);
  };

  const show = async (response: ServerResponse, isOwn: boolean): Promise<void> => {
    const form = stored ? await budgetForm(stored, pathname) : await signInForm(await readFacts());
    // Without the form, a browser has not opened the page: it comes again without a cookie.
    if (response.destroyed) return;
    if (browser !== undefined && !isOwn) {
      endWith(stored ? USED : OPENED_TWICE);
      return sendResult(response, 410, end ?? OPENED_TWICE);
    }
    browser ??= randomBytes(32).toString('base64url');
    const cookie = `sign-in=${browser}; HttpOnly; SameSite=Lax; Path=${pathname}`;
    return sendPage(response, 200, form, { ...startPageHeaders, 'set-cookie': cookie });
  };

  /** Throws a `BudgetError` if a sign-in could not be stored, before the person enters anything. */
  const readFacts = async (): Promise<FormFacts> => {
    try {
      return { before: await deps.store.read(profile), needsFile: false, service, readOnly };
    } catch (error) {
      if (!(error instanceof BudgetError) || error.code !== 'keychain_unavailable') throw error;
      return { before: await files.read(profile), needsFile: true, service, readOnly };
    }
  };

  const receiveForm = async (entered: Entered | undefined, response: ServerResponse): Promise<void> => {
    if (!entered) return sendResult(response, 400, NOT_HERE);
    if (stored) return choose(entered.budget, stored, response);
    if (entered.way === 'cancel') {
      endWith(CANCELLED);
      return sendResult(response, 200, CANCELLED);
    }
    const facts = await readFacts();
    try {
      const chosen = chosenService(entered, facts);
      const { baseUrl, appUrl } = chosen;
      const inFile = agreedToFile(entered, facts);
      if (entered.way === 'browser') {
        const application = enteredApplication(entered, chosen, facts);
        checkAddress(application.appUrl);
        const authorization = await new OAuth({ send, clock }).authorization(application, redirectUri);
        pending = { authorization, baseUrl, inFile };
        return await sendPage(response, 200, await continuePage(authorization.url));
      }
      const { accessToken, id = randomUUID() } = enteredToken(entered, chosen, facts);
      const signIn = { kind: 'personal' as const, id, baseUrl, accessToken };
      return await save({ ...signIn, ...(appUrl !== undefined && { appUrl }) }, inFile, response);
    } catch (error) {
      if (!(error instanceof BudgetError)) throw error;
      return sendPage(response, 422, await signInForm(facts, entered, mistakeOf(error)), startPageHeaders);
    }
  };

  const receiveCallback = async (callback: URLSearchParams, response: ServerResponse): Promise<void> => {
    const begun = pending;
    if (!begun || !isSame(callback.get('state') ?? '', begun.authorization.state))
      return sendResult(response, 400, NOT_HERE);
    pending = undefined;
    try {
      const granted = await begun.authorization.granted(callback, stop.signal);
      const signIn = { id: randomUUID(), baseUrl: begun.baseUrl, ...granted };
      return await save(signIn, begun.inFile, response);
    } catch (error) {
      return sendResult(response, 422, notSignedIn(error));
    }
  };

  const checkAddress = (address: string) => {
    if (!checksCertificates) refuseUncheckedCertificate(address);
  };

  /** Stores the sign-in, and shows the last page, or the choice of a default budget if there are several. */
  const save = async (signIn: SignIn, inFile: boolean, response: ServerResponse): Promise<void> => {
    checkAddress(signIn.baseUrl);
    const store = inFile ? files : deps.store;
    const saved = await storeChecked(signIn, { ...deps, store, signal: stop.signal });
    await onSignedIn();
    if (saved.list.budgets.length < 2) return finish({ ...saved, store }, response);
    stored = { ...saved, store };
    return sendPage(response, 200, await budgetForm(saved, pathname), startPageHeaders);
  };

  const choose = async (budget: string, saved: StoredIn, response: ServerResponse): Promise<void> => {
    const { signIn, list, store } = saved;
    if (!list.budgets.some(({ id }) => id === budget))
      return sendPage(response, 422, await budgetForm(saved, pathname), startPageHeaders);
    await storeChoice(signIn, budget, { ...deps, store, signal: stop.signal });
    await onSignedIn();
    return finish({ ...saved, signIn: { ...signIn, budget } }, response);
  };

  const finish = async ({ signIn, list, store }: StoredIn, response: ServerResponse): Promise<void> => {
    endWith(USED);
    return sendResult(response, 200, {
      heading: 'You are signed in',
      text: `The token gives access to ${describeBudgets(list)}. It is stored in ${store.place}, and sent to ${signIn.baseUrl} only.\n\nA question that names no budget is about ${describeDefaultOf(list, choiceIn(signIn))}.\n\nGo back to your assistant. You can close this tab.`,
    });
  };

  server.on('request', (request, response) => {
    answer(request, response)
      .catch((error: unknown) => sendResult(response, 503, notSignedIn(error)))
      .catch(() => response.destroy());
  });
  clock.sleep(PAGE_MS, closed.signal, true).then(close, () => {});
  return {
    url,
    get isOpen() {
      return isOpen();
    },
    /** Resolves when the person has signed in or cancelled, or when the page has ended. */
    ended: once(stop.signal, 'abort').then(() => {}),
    close,
  };
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
