/**
 * Who sits before the browser: a cookie that no script can read, and for each visitor a token that only our own pages
 * know and put into their forms. It must not know how a user proves who they are.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import type { Clock } from '../../platform/clock.ts';
import type { User } from '../access.ts';
import { digestOf, newSecret } from '../secrets.ts';

const COOKIE = 'budget_session';
const LIFETIME_MS = 3_600_000;

export interface Visitor {
  readonly csrfToken: string;
  /** Absent until they have signed in. */
  readonly user?: User;
}

export class Sessions {
  readonly #clock: Clock;
  readonly #csrfKey = randomBytes(32);
  /** By digest of the cookie's value, of those who have signed in. */
  readonly #signedIn = new Map<string, { user: User; expiresAt: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Recognises a visitor, or gives a new one a cookie to be recognised by. */
  visitor(c: Context): Visitor {
    const value = getCookie(c, COOKIE) ?? this.#give(c);
    const session = this.#signedIn.get(digestOf(value));
    const isLive = session !== undefined && this.#clock.now() < session.expiresAt;
    return { csrfToken: this.#csrfToken(value), ...(isLive && { user: session.user }) };
  }

  /** Whether a form carries the token of the visitor's own pages. */
  isOwn({ csrfToken }: Visitor, presented = ''): boolean {
    const [expected, given] = [Buffer.from(csrfToken), Buffer.from(presented)];
    return expected.length === given.length && timingSafeEqual(expected, given);
  }

  /** Under a new cookie, so that nobody can have known it before. */
  signIn(c: Context, user: User): void {
    const now = this.#clock.now();
    for (const [key, { expiresAt }] of this.#signedIn) if (expiresAt <= now) this.#signedIn.delete(key);
    this.#signedIn.set(digestOf(this.#give(c)), { user, expiresAt: now + LIFETIME_MS });
  }

  signOut(c: Context): void {
    this.#signedIn.delete(digestOf(getCookie(c, COOKIE) ?? ''));
    this.#give(c);
  }

  #give(c: Context): string {
    const value = newSecret();
    setCookie(c, COOKIE, value, { httpOnly: true, sameSite: 'Lax', path: '/' });
    return value;
  }

  #csrfToken(value: string): string {
    return createHmac('sha256', this.#csrfKey).update(value).digest('base64url');
  }
}
