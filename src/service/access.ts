/**
 * Who may ask: the users, the budgets that are theirs, the state of their subscription, and the access tokens that
 * act for them (specification, Authentication). It must not know HTTP: how a token is sent is the business of
 * `authentication`, how often it may be used that of `rate-limit`.
 *
 * Only the SHA-256 digest of a token is kept. A token is found by its digest, so how long the look-up takes tells
 * nothing about the tokens that exist.
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Ledger } from './ledger.ts';

/** Active, or the name of the error that every request of the user gets (specification, Errors, 403.1 and 403.2). */
export type Subscription = 'active' | 'subscription_lapsed' | 'trial_expired';

export interface User {
  /** UUID. */
  readonly id: string;
  readonly ledgers: Ledger[];
  subscription: Subscription;
}

/** What a token allows. */
export interface Grant {
  readonly user: User;
  /** Milliseconds since the epoch; absent for personal access tokens, which do not expire. */
  readonly expiresAt?: number;
  /**
   * What the budget id `default` stands for. Absent unless the token belongs to an OAuth application with default
   * budget selection; null when the user chose none (specification, Endpoints).
   */
  readonly defaultBudgetId?: string | null;
  /** Present when the token was granted for reading only (specification, Authorization request). */
  readonly scope?: 'read-only';
}

export class Access {
  readonly #clock: Clock;
  readonly #users: User[] = [];
  readonly #grants = new Map<string, Grant>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get users(): readonly User[] {
    return this.#users;
  }

  addUser(ledgers: Ledger[]): User {
    const user: User = { id: randomUUID(), ledgers, subscription: 'active' };
    this.#users.push(user);
    return user;
  }

  /**
   * Issues a token and returns it: the only time that it can be seen. Without terms it is a personal access token.
   * @param token the token itself, where the operator wants to choose it; otherwise a random one
   * @throws Error when the chosen token could not be sent as a bearer token (RFC 6750, section 2.1)
   */
  issueToken(
    user: User,
    terms: Omit<Grant, 'user'> = {},
    token = randomBytes(32).toString('base64url'),
  ): string {
    if (!/^[\w\-.~+/]+=*$/.test(token)) {
      throw new Error('An access token consists of letters, digits and -._~+/, with = only at its end.');
    }
    this.#forgetExpired();
    this.#grants.set(digest(token), { ...terms, user });
    return token;
  }

  revokeToken(token: string): void {
    this.#grants.delete(digest(token));
  }

  /** The grant of a token; undefined when the token is unknown, revoked or expired. */
  grantOf(token: string): Grant | undefined {
    const grant = this.#grants.get(digest(token));
    return grant && this.#isLive(grant) ? grant : undefined;
  }

  #isLive({ expiresAt = Infinity }: Grant): boolean {
    return this.#clock.now() < expiresAt;
  }

  #forgetExpired(): void {
    for (const [key, grant] of this.#grants) if (!this.#isLive(grant)) this.#grants.delete(key);
  }
}

function digest(token: string): string {
  return createHash('sha256').update(token).digest('base64');
}
