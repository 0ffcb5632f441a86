/**
 * Who may ask: the users, the budgets that are theirs, the state of their subscription, and the access tokens that
 * act for them (specification, Authentication). It must not know HTTP: how a token is sent is the business of
 * `authentication`, how often it may be used that of `rate-limit`, how an application comes by one that of `oauth`.
 */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../platform/clock.ts';
import type { Ledger } from './ledger.ts';
import { Password } from './password.ts';
import { digestOf, newSecret } from './secrets.ts';

/** Active, or the name of the error that every request of the user gets (specification, Errors, 403.1 and 403.2). */
export type Subscription = 'active' | 'subscription_lapsed' | 'trial_expired';

export interface User {
  /** UUID. */
  readonly id: string;
  readonly ledgers: Ledger[];
  subscription: Subscription;
  /** How the user signs in on the service's pages; who has none uses tokens only. */
  readonly signIn?: { readonly email: string; readonly password: Password };
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

/** A token as it may be seen after it was issued. */
export interface IssuedToken {
  /** UUID. */
  readonly id: string;
  readonly grant: Grant;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** What its owner calls it. */
  readonly label?: string;
  /** Its last four characters; empty where they would be much of a short token. */
  readonly ending: string;
  /** Whether a request has come with it. */
  used: boolean;
}

export class Access {
  readonly #clock: Clock;
  readonly #users: User[] = [];
  /** By digest, in the order of their issue. */
  readonly #tokens = new Map<string, IssuedToken>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get users(): readonly User[] {
    return this.#users;
  }

  /** `signIn` is how the user signs in on the service's pages; the email address as it is typed in lower case. */
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
   * Issues a token and returns it: the only time that it can be seen. Without terms it is a personal access token, and
   * a random one unless the operator chooses it. Throws where the chosen one could not be sent as a bearer token
   * (RFC 6750, section 2.1).
   */
  issueToken(
    user: User,
    { label, ...terms }: Omit<Grant, 'user'> & { label?: string } = {},
    token = newSecret(),
  ): string {
    if (!/^[\w\-.~+/]+=*$/.test(token)) {
      throw new Error('An access token consists of letters, digits and -._~+/, with = only at its end.');
    }
    this.#forgetExpired();
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
   * Revokes by the token itself, as its user might in the developer settings, behind a client's back. For tests, which
   * hold the token and not its id.
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
    return issued && this.#isLive(issued) ? issued : undefined;
  }

  /** The user's personal access tokens, the oldest first. */
  personalTokensOf(user: User): IssuedToken[] {
    return [...this.#tokens.values()].filter(
      ({ grant }) => grant.user === user && grant.expiresAt === undefined,
    );
  }

  #isLive({ grant: { expiresAt = Infinity } }: IssuedToken): boolean {
    return this.#clock.now() < expiresAt;
  }

  #forgetExpired(): void {
    for (const [key, token] of this.#tokens) if (!this.#isLive(token)) this.#tokens.delete(key);
  }
}
