/**
 * What users have authorized, and the tokens issued for it: refresh tokens, Restricted Mode, the end of an
 * authorization (specification, OAuth applications). It must not know how a user was asked, or HTTP.
 *
 * A refresh token is single use, and is revoked the first time that the new access token is used. Until then the
 * client may not have received its new pair, so that the old refresh token still gives one: a fresh pair, and the one
 * that nobody used is revoked. To use the new refresh token shows as well that the pair arrived.
 */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import type { Access, Grant, IssuedToken } from '../access.ts';
import { digestOf, newSecret } from '../secrets.ts';
import type { Application } from './applications.ts';
import { OAuthError } from './oauth-error.ts';

/** Specification, OAuth applications. */
export const TOKENS_FOR_OTHERS = 25;

/** What a user agreed to. */
export interface Consent extends Pick<Grant, 'user' | 'scope' | 'defaultBudgetId'> {
  readonly application: Application;
}

/** A consent in force, for as long as a token of it lives. */
export interface Authorization {
  /** UUID. */
  readonly id: string;
  readonly consent: Consent;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Milliseconds since the epoch; absent where a refresh token renews it. */
  readonly expiresAt?: number;
}

/** The token response, or the fragment of the implicit grant, which has no refresh token. */
export interface TokenResponse {
  access_token: string;
  token_type: 'bearer';
  /** Seconds. */
  expires_in: number;
}

export interface RefreshableTokenResponse extends TokenResponse {
  refresh_token: string;
}

export interface AuthorizationsOptions {
  access: Access;
  clock: Clock;
  accessTokenSeconds: number;
}

interface Held extends Authorization {
  readonly accessTokens: IssuedToken[];
  /** Digests of the refresh token that was issued last, and of the one that it was issued for. */
  newest?: string;
  previous?: string;
}

export class Authorizations {
  readonly #access: Access;
  readonly #clock: Clock;
  readonly accessTokenSeconds: number;
  readonly #held = new Map<string, Held>();
  /** By the digest of every refresh token that was ever issued for it. */
  readonly #byRefreshToken = new Map<string, Held>();
  readonly #countForOthers = new WeakMap<Application, number>();

  /**
   * How often a refresh token came again: `forgiven` while its new pair was unused, `refused` once it was revoked.
   * For the operator; a client that keeps its tokens well causes neither.
   */
  readonly refreshReuses = { forgiven: 0, refused: 0 };

  constructor({ access, clock, accessTokenSeconds }: AuthorizationsOptions) {
    this.#access = access;
    this.#clock = clock;
    this.accessTokenSeconds = accessTokenSeconds;
  }

  /** False when Restricted Mode lets the application have no more tokens for users other than its owner. */
  isOpenTo({ application, user }: Consent): boolean {
    if (!application.restricted || user === application.owner) return true;
    return (this.#countForOthers.get(application) ?? 0) < TOKENS_FOR_OTHERS;
  }

  /**
   * The implicit grant: one access token and nothing after it. Throws the `OAuthError` `access_denied` where
   * Restricted Mode has no room.
   */
  grantToken(consent: Consent): TokenResponse {
    const expiresAt = this.#clock.now() + this.accessTokenSeconds * 1_000;
    return this.#issueAccessToken(this.#open(consent, { expiresAt }));
  }

  /**
   * The authorization code grant: an access token and the refresh token that renews it. Throws the `OAuthError`
   * `access_denied` where Restricted Mode has no room.
   */
  grantPair(consent: Consent): { authorization: Authorization; tokens: RefreshableTokenResponse } {
    const held = this.#open(consent);
    return { authorization: held, tokens: this.#issuePair(held) };
  }

  /** Throws the `OAuthError` `invalid_grant` where the refresh token is not the application's, or is revoked. */
  refresh(application: Application, refreshToken: string): RefreshableTokenResponse {
    const presented = digestOf(refreshToken);
    const held = this.#byRefreshToken.get(presented);
    if (held?.consent.application !== application) {
      throw new OAuthError('invalid_grant', 'The refresh token is unknown or its authorization was revoked.');
    }
    if (presented !== held.newest) {
      const newestAccess = held.accessTokens.at(-1);
      if (presented !== held.previous || newestAccess === undefined || newestAccess.used) {
        this.refreshReuses.refused += 1;
        throw new OAuthError('invalid_grant', 'The refresh token was used before.');
      }
      this.refreshReuses.forgiven += 1;
      this.#access.revoke(newestAccess.id);
    }
    held.previous = presented;
    return this.#issuePair(held);
  }

  /** What the user has authorized and is still in force, the oldest first. */
  of(user: Grant['user']): Authorization[] {
    this.#forgetExpired();
    return [...this.#held.values()].filter(({ consent }) => consent.user === user);
  }

  /** Revokes every token of an authorization. Revoking again does nothing. */
  revoke(id: string): void {
    const held = this.#held.get(id);
    if (!held) return;
    this.#held.delete(id);
    for (const token of held.accessTokens) this.#access.revoke(token.id);
    for (const [key, other] of this.#byRefreshToken) if (other === held) this.#byRefreshToken.delete(key);
  }

  #open(consent: Consent, end: { expiresAt?: number } = {}): Held {
    const { application, user } = consent;
    if (!this.isOpenTo(consent)) {
      throw new OAuthError(
        'access_denied',
        'The application is in Restricted Mode and has reached its limit.',
      );
    }
    if (user !== application.owner) {
      this.#countForOthers.set(application, (this.#countForOthers.get(application) ?? 0) + 1);
    }
    this.#forgetExpired();
    const held = { id: randomUUID(), consent, createdAt: this.#clock.now(), accessTokens: [], ...end };
    this.#held.set(held.id, held);
    return held;
  }

  #issuePair(held: Held): RefreshableTokenResponse {
    const refreshToken = newSecret();
    held.newest = digestOf(refreshToken);
    this.#byRefreshToken.set(held.newest, held);
    return { ...this.#issueAccessToken(held), refresh_token: refreshToken };
  }

  #issueAccessToken(held: Held): TokenResponse {
    const { application: _, user, ...terms } = held.consent;
    const expiresAt = this.#clock.now() + this.accessTokenSeconds * 1_000;
    const token = this.#access.issueToken(user, { ...terms, expiresAt });
    const issued = this.#access.find(token);
    if (issued) held.accessTokens.push(issued);
    return { access_token: token, token_type: 'bearer', expires_in: this.accessTokenSeconds };
  }

  #forgetExpired(): void {
    const now = this.#clock.now();
    for (const [id, { expiresAt = Infinity }] of this.#held) if (expiresAt <= now) this.#held.delete(id);
  }
}
