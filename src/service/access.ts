/**
 * Users, their budgets, the state of their subscription, and the access tokens that act for them (docs/interface.md,
 * Authentication). Independent of HTTP: `authentication` reads the token of a request, `rate-limit` counts requests,
 * and `oauth` issues tokens to applications.
 */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import type { Ledger } from './ledger.ts';
import { Password } from './password.ts';
import { digestOf, newSecret } from './secrets.ts';

/**
 * Active, or the name of the error that every request of the user gets (docs/interface.md, Errors, 403.1 and 403.2).
 */
export type Subscription = 'active' | 'subscription_lapsed' | 'trial_expired';

export interface User {
  /** UUID. */
  readonly id: string;
  readonly ledgers: Ledger[];
  subscription: Subscription;
  /** Email address and password for the service's pages. A user without them uses tokens only. */
  readonly signIn?: { readonly email: string; readonly password: Password };
}

/** The permissions of a token. */
export interface Grant {
  readonly user: User;
  /** Milliseconds since the epoch. Absent for personal access tokens, which do not expire. */
  readonly expiresAt?: number;
  /**
   * The budget that the budget id `default` refers to. Absent unless the token belongs to an OAuth application with
   * default budget selection. Null when the user chose no budget (docs/interface.md, Endpoints).
   */
  readonly defaultBudgetId?: string | null;
  /** Present when the token is read-only (docs/interface.md, Authorization request). */
  readonly scope?: 'read-only';
}

/** The part of a token that can be shown after it was issued. */
export interface IssuedToken {
  /** UUID. */
  readonly id: string;
  readonly grant: Grant;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** The name that the owner gave the token. */
  readonly label?: string;
  /** The last four characters. Empty for a short token, because they would reveal too much of it. */
  readonly ending: string;
  /** Whether the token was used in a request. */
  used: boolean;
}

export class Access {
  readonly #clock: Clock;
  readonly #users: User[] = [];
  /** By digest, in order of issue. */
  readonly #tokens = new Map<string, IssuedToken>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get users(): readonly User[] {
    return this.#users;
  }

  /** `signIn` is the email address, in lower case, and the password for the service's pages. */
  addUser(ledgers: Ledger[], signIn?: { email: string; password: string }): User {
    const user: User = {
      id: randomUUID(),
      ledgers,
      subscription: 'active',
      ...(signIn && { signIn: { email: signIn.email, password: new Password(signIn.password) } }),
    };
    this.#users.push(user);
    return user;
  }

  /**
   * Issues a token and returns it. The token cannot be read again later. Without terms it is a personal access
   * token. It is random unless the operator passes one. Throws if the passed token is not a valid bearer token (RFC
   * 6750, section 2.1).
   */
  issueToken(
    user: User,
    { label, ...terms }: Omit<Grant, 'user'> & { label?: string } = {},
    token = newSecret(),
  ): string {
    if (!/^[\w\-.~+/]+=*$/.test(token)) {
      throw new Error('An access token consists of letters, digits and -._~+/, with = only at its end.');
    }
    this.#removeExpired();
    this.#tokens.set(digestOf(token), {
      id: randomUUID(),
      grant: { ...terms, user },
      createdAt: this.#clock.now(),
      ...(label !== undefined && { label }),
      ending: token.length > 16 ? token.slice(-4) : '',
      used: false,
    });
    return token;
  }

  /**
   * Revokes a token by its value. For tests: it has the effect of a user who revokes the token in the developer
   * settings.
   */
  revokeToken(token: string): void {
    this.#tokens.delete(digestOf(token));
  }

  /** Revokes by the id of an issued token. Revoking again does nothing. */
  revoke(id: string): void {
    for (const [key, token] of this.#tokens) if (token.id === id) this.#tokens.delete(key);
  }

  /** Undefined when the token is unknown, revoked or expired. */
  find(token: string): IssuedToken | undefined {
    const issued = this.#tokens.get(digestOf(token));
    return issued && this.#isValid(issued) ? issued : undefined;
  }

  /** The user's personal access tokens, oldest first. */
  personalTokensOf(user: User): IssuedToken[] {
    return [...this.#tokens.values()].filter(
      ({ grant }) => grant.user === user && grant.expiresAt === undefined,
    );
  }

  #isValid({ grant: { expiresAt = Infinity } }: IssuedToken): boolean {
    return this.#clock.now() < expiresAt;
  }

  #removeExpired(): void {
    for (const [key, token] of this.#tokens) if (!this.#isValid(token)) this.#tokens.delete(key);
  }
}
