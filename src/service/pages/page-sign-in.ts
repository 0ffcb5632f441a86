/**
 * Signs users in on the service's pages, with email address and password, on whichever page they opened. Forms are
 * accepted only with the CSRF token of one of our pages. A page after the sign-in knows its user.
 */
import type { Context } from 'hono';
import { html } from 'hono/html';
import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import type { Access, User } from '../access.ts';
import { Password } from '../password.ts';
import { newSecret } from '../secrets.ts';
import { csrfField, page } from './page.ts';
import { Sessions } from './sessions.ts';
import { SignInAttempts } from './sign-in-attempts.ts';

/** A request to a page by a user who is signed in. */
export interface PageRequest {
  readonly user: User;
  readonly email: string;
  readonly csrfToken: string;
  /** The fields of the form, if one was sent. */
  readonly form?: Form;
}

export type Form = Readonly<Record<string, string>>;

const formSchema = z.record(z.string(), z.string());

const WRONG = 'The email address or the password is wrong.';
const TOO_MANY = 'Too many attempts. Wait 15 minutes and try again.';

export class PageSignIn {
  readonly #access: Access;
  readonly #sessions: Sessions;
  readonly #attempts: SignInAttempts;
  /** Compared with the password of an unknown user, so that the response takes as long as for a known one. */
  #dummyPassword: Password | undefined;

  constructor({ access, clock }: { access: Access; clock: Clock }) {
    this.#access = access;
    this.#sessions = new Sessions(clock);
    this.#attempts = new SignInAttempts(clock);
  }

  /**
   * Returns the request of a user who is signed in, or the response to send instead, such as the sign-in page. The
   * sign-in page shows `reason`, as in "to use your budgets".
   */
  async requireUser(c: Context, reason: string): Promise<PageRequest | Response> {
    const session = this.#sessions.sessionOf(c);
    const form = c.req.method === 'POST' ? await readForm(c) : undefined;
    if (form && !this.#sessions.isValidCsrfToken(session, form['csrf'])) return invalidFormPage(c);

    if (form?.['intent'] === 'sign-out') {
      this.#sessions.signOut(c);
      return redirectToSamePage(c);
    }
    if (form?.['intent'] === 'sign-in') return this.#signIn(c, reason, session.csrfToken, form);
    if (session.user?.signIn === undefined) {
      const errorMessage = form && 'You have been signed out. Sign in and try again.';
      return signInPage(c, { reason, errorMessage, csrfToken: session.csrfToken });
    }
    const { user, csrfToken } = session;
    return { user, email: session.user.signIn.email, csrfToken, ...(form && { form }) };
  }

  /**
   * Checks the password of a user who is signed in. Returns the error message, or undefined if the password is
   * right.
   */
  async passwordError({ user, email }: PageRequest, password: string): Promise<string | undefined> {
    const outcome = await this.#checkCredentials(email, password);
    if (outcome === user) return undefined;
    return outcome === 'too many' ? TOO_MANY : 'The password is wrong.';
  }

  async #signIn(c: Context, reason: string, csrfToken: string, form: Form): Promise<Response> {
    const email = (form['email'] ?? '').trim();
    const outcome = await this.#checkCredentials(email, form['password'] ?? '');
    if (outcome === 'wrong')
      return signInPage(c, { reason, csrfToken, email, errorMessage: WRONG, status: 422 });
    if (outcome === 'too many') {
      return signInPage(c, { reason, csrfToken, email, errorMessage: TOO_MANY, status: 429 });
    }
    this.#sessions.signIn(c, outcome);
    return redirectToSamePage(c);
  }

  async #checkCredentials(email: string, password: string): Promise<User | 'wrong' | 'too many'> {
    const address = email.toLowerCase();
    if (!this.#attempts.take(address)) return 'too many';
    const user = this.#access.users.find(({ signIn }) => signIn?.email === address);
    this.#dummyPassword ??= new Password(newSecret());
    const matches = await (user?.signIn?.password ?? this.#dummyPassword).matches(password);
    if (!user || !matches) return 'wrong';
    this.#attempts.reset(address);
    return user;
  }
}

/** Empty if the form is invalid. It then fails the check of its CSRF token. */
async function readForm(c: Context): Promise<Form> {
  const fields = formSchema.safeParse(await c.req.parseBody().catch(() => ({})));
  return fields.success ? fields.data : {};
}

/** Redirects to the same address with GET. */
function redirectToSamePage(c: Context): Response {
  const { pathname, search } = new URL(c.req.url);
  return c.redirect(pathname + search, 303);
}

function invalidFormPage(c: Context): Response | Promise<Response> {
  return page(c, {
    title: 'This page is out of date',
    status: 403,
    errorMessage: 'The form was not sent from a page of this browser session. Nothing was done.',
    body: html`<p>Go back, load the page again and repeat what you did.</p>`,
  });
}

interface SignInPage {
  reason: string;
  csrfToken: string;
  email?: string;
  errorMessage?: string | undefined;
  status?: 422 | 429;
}

function signInPage(c: Context, { reason, csrfToken, email = '', errorMessage, status }: SignInPage) {
  return page(c, {
    title: 'Sign in',
    errorMessage,
    ...(status && { status }),
    body: html`<p>Sign in ${reason}.</p>
<form method="post">
${csrfField(csrfToken)}
<p><label for="email">Email address</label>
<input id="email" name="email" type="email" autocomplete="username" required value="${email}"></p>
<p><label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required></p>
<p class="buttons"><button class="main" name="intent" value="sign-in">Sign in</button></p>
</form>`,
  });
}
