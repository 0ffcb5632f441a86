/**
 * The front door of the service's pages: lets users in by email address and password, on whichever page they came to,
 * and takes only forms that our own pages sent. Behind it a page knows its user. It must not know any page.
 */
import type { Context } from 'hono';
import { html } from 'hono/html';
import { z } from 'zod';
import type { Clock } from '../../platform/clock.ts';
import type { Access, User } from '../access.ts';
import { Password } from '../password.ts';
import { newSecret } from '../secrets.ts';
import { Attempts } from './attempts.ts';
import { csrfField, page } from './page.ts';
import { Sessions } from './sessions.ts';

/** A user on a page. */
export interface Visit {
  readonly user: User;
  readonly email: string;
  readonly csrfToken: string;
  /** The fields of the form that was sent, if one was. */
  readonly form?: Form;
}

export type Form = Readonly<Record<string, string>>;

const formSchema = z.record(z.string(), z.string());

const WRONG = 'The email address or the password is wrong.';
const TOO_MANY = 'Too many attempts. Wait 15 minutes and try again.';

export class FrontDoor {
  readonly #access: Access;
  readonly #sessions: Sessions;
  readonly #attempts: Attempts;
  /** Tried in place of a user who does not exist, which takes as long. */
  #nobody: Password | undefined;

  constructor({ access, clock }: { access: Access; clock: Clock }) {
    this.#access = access;
    this.#sessions = new Sessions(clock);
    this.#attempts = new Attempts(clock);
  }

  /**
   * The visit of a user who has signed in, or else what the visitor is shown first. `reason` is why they have to sign
   * in, as in "to use your budgets".
   */
  async enter(c: Context, reason: string): Promise<Visit | Response> {
    const visitor = this.#sessions.visitor(c);
    const form = c.req.method === 'POST' ? await formOf(c) : undefined;
    if (form && !this.#sessions.isOwn(visitor, form['csrf'])) return outdated(c);

    if (form?.['intent'] === 'sign-out') {
      this.#sessions.signOut(c);
      return again(c);
    }
    if (form?.['intent'] === 'sign-in') return this.#signIn(c, reason, visitor.csrfToken, form);
    if (visitor.user?.signIn === undefined) {
      const alarm = form && 'You have been signed out. Sign in and try again.';
      return signInPage(c, { reason, alarm, csrfToken: visitor.csrfToken });
    }
    const { user, csrfToken } = visitor;
    return { user, email: visitor.user.signIn.email, csrfToken, ...(form && { form }) };
  }

  /** What is wrong when a user has to confirm by their password; undefined when nothing is. */
  async refusal({ user, email }: Visit, password: string): Promise<string | undefined> {
    const outcome = await this.#recognise(email, password);
    if (outcome === user) return undefined;
    return outcome === 'too many' ? TOO_MANY : 'The password is wrong.';
  }

  async #signIn(c: Context, reason: string, csrfToken: string, form: Form): Promise<Response> {
    const email = (form['email'] ?? '').trim();
    const outcome = await this.#recognise(email, form['password'] ?? '');
    if (outcome === 'wrong') return signInPage(c, { reason, csrfToken, email, alarm: WRONG, status: 422 });
    if (outcome === 'too many') {
      return signInPage(c, { reason, csrfToken, email, alarm: TOO_MANY, status: 429 });
    }
    this.#sessions.signIn(c, outcome);
    return again(c);
  }

  async #recognise(email: string, password: string): Promise<User | 'wrong' | 'too many'> {
    const address = email.toLowerCase();
    if (!this.#attempts.take(address)) return 'too many';
    const user = this.#access.users.find(({ signIn }) => signIn?.email === address);
    this.#nobody ??= new Password(newSecret());
    const matches = await (user?.signIn?.password ?? this.#nobody).matches(password);
    if (!user || !matches) return 'wrong';
    this.#attempts.forget(address);
    return user;
  }
}

/** Empty when it cannot be read, so that it is nobody's. */
async function formOf(c: Context): Promise<Form> {
  const fields = formSchema.safeParse(await c.req.parseBody().catch(() => ({})));
  return fields.success ? fields.data : {};
}

/** The same address anew, as a visit that sends nothing. */
function again(c: Context): Response {
  const { pathname, search } = new URL(c.req.url);
  return c.redirect(pathname + search, 303);
}

function outdated(c: Context): Response | Promise<Response> {
  return page(c, {
    title: 'This page is out of date',
    status: 403,
    alarm: 'The form was not sent from a page of this browser session. Nothing was done.',
    body: html`<p>Go back, load the page again and repeat what you did.</p>`,
  });
}

interface SignInPage {
  reason: string;
  csrfToken: string;
  email?: string;
  alarm?: string | undefined;
  status?: 422 | 429;
}

function signInPage(c: Context, { reason, csrfToken, email = '', alarm, status }: SignInPage) {
  return page(c, {
    title: 'Sign in',
    alarm,
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
