/**
 * Browser sessions: a cookie that scripts cannot read, and a CSRF token for each session. `page-sign-in` checks the
 * passwords.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import type { Clock } from '../../base/clock.ts';
import type { User } from '../access.ts';
import { digestOf, newSecret } from '../secrets.ts';

const COOKIE = 'budget_session';
const LIFETIME_MS = 3_600_000;

export interface PageSession {
  readonly csrfToken: string;
  /** Absent until the user has signed in. */
  readonly user?: User;
}

export class Sessions {
  readonly #clock: Clock;
  readonly #csrfKey = randomBytes(32);
  /** Sessions that are signed in, by the digest of the cookie value. */
  readonly #signedIn = new Map<string, { user: User; expiresAt: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The session of the cookie. A new visitor gets a new cookie. */
  sessionOf(c: Context): PageSession {
    const value = getCookie(c, COOKIE) ?? this.#setCookie(c);
    const session = this.#signedIn.get(digestOf(value));
    const isSignedIn = session !== undefined && this.#clock.now() < session.expiresAt;
    return { csrfToken: this.#csrfToken(value), ...(isSignedIn && { user: session.user }) };
  }

  /** Whether a form carries the CSRF token of the session. */
  isValidCsrfToken({ csrfToken }: PageSession, presented = ''): boolean {
    const [expected, actual] = [Buffer.from(csrfToken), Buffer.from(presented)];
    return expected.length === actual.length && timingSafeEqual(expected, actual);
  }

  /** Sets a new cookie, to prevent session fixation. */
  signIn(c: Context, user: User): void {
    const now = this.#clock.now();
    for (const [key, { expiresAt }] of this.#signedIn) if (expiresAt <= now) this.#signedIn.delete(key);
    this.#signedIn.set(digestOf(this.#setCookie(c)), { user, expiresAt: now + LIFETIME_MS });
  }

  signOut(c: Context): void {
    this.#signedIn.delete(digestOf(getCookie(c, COOKIE) ?? ''));
    this.#setCookie(c);
  }

  #setCookie(c: Context): string {
    const value = newSecret();
    setCookie(c, COOKIE, value, { httpOnly: true, sameSite: 'Lax', path: '/' });
    return value;
  }

  #csrfToken(value: string): string {
    return createHmac('sha256', this.#csrfKey).update(value).digest('base64url');
  }
}
