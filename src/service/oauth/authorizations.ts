/**
 * The authorizations that users gave and their tokens: refresh tokens, Restricted Mode, revocation
 * (docs/interface.md, OAuth applications). Independent of HTTP and of the pages.
 *
 * A refresh token can be used once. It is revoked when the new access token is first used. Until then the client may
 * not have received the new pair, so the old refresh token is accepted again: the service issues a fresh pair and
 * revokes the unused one. Use of the new refresh token also shows that the pair arrived.
 */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { Access, Grant, IssuedToken } from '../access.ts';
import { digestOf, newSecret } from '../secrets.ts';
import type { Application } from './applications.ts';
import { OAuthError } from './oauth-error.ts';

/**
 * The number of tokens for users other than the owner in Restricted Mode (docs/interface.md, OAuth applications).
 */
export const RESTRICTED_MODE_TOKENS = 25;

/** The permissions that a user agreed to give. */
export interface Consent extends Pick<Grant, 'user' | 'scope' | 'defaultBudgetId'> {
  readonly application: Application;
}

/** A consent that is in force as long as one of its tokens is valid. */
export interface Authorization {
  /** UUID. */
  readonly id: string;
  readonly consent: Consent;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Milliseconds since the epoch. Absent if a refresh token can renew it. */
  readonly expiresAt?: number;
}

/** The token response. It is also the fragment of the implicit grant, which has no refresh token. */
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

interface StoredAuthorization extends Authorization {
  readonly accessTokens: IssuedToken[];
  /** Digests of the newest refresh token, and of the one that it was issued for. */
  newest?: string;
  previous?: string;
}

export class Authorizations {
  readonly #access: Access;
  readonly #clock: Clock;
  readonly accessTokenSeconds: number;
  readonly #authorizations = new Map<string, StoredAuthorization>();
  /** By the digest of every refresh token that was issued. */
  readonly #byRefreshToken = new Map<string, StoredAuthorization>();
  readonly #countForOthers = new WeakMap<Application, number>();

  /**
   * How often an old refresh token was used again: `accepted` while the new pair was unused, `refused` once it was
   * revoked. For the operator. Both are 0 with a client that stores its tokens correctly.
   */
  readonly refreshReuses = { accepted: 0, refused: 0 };

  constructor({ access, clock, accessTokenSeconds }: AuthorizationsOptions) {
    this.#access = access;
    this.#clock = clock;
    this.accessTokenSeconds = accessTokenSeconds;
  }

  /** False when the limit of Restricted Mode for users other than the owner is reached. */
  canGrant({ application, user }: Consent): boolean {
    if (!application.restricted || user === application.owner) return true;
    return (this.#countForOthers.get(application) ?? 0) < RESTRICTED_MODE_TOKENS;
  }

  /**
   * The implicit grant: one access token that cannot be renewed. Throws the `OAuthError` `access_denied` if the
   * limit of Restricted Mode is reached.
   */
  grantToken(consent: Consent): TokenResponse {
    const expiresAt = this.#clock.now() + this.accessTokenSeconds * 1_000;
    return this.#issueAccessToken(this.#create(consent, { expiresAt }));
  }

  /**
   * The authorization code grant: an access token and a refresh token. Throws the `OAuthError` `access_denied` if
   * the limit of Restricted Mode is reached.
   */
  grantPair(consent: Consent): { authorization: Authorization; tokens: RefreshableTokenResponse } {
    const authorization = this.#create(consent);
    return { authorization, tokens: this.#issuePair(authorization) };
  }

  /** Throws the `OAuthError` `invalid_grant` if the refresh token is revoked or belongs to another application. */
  refresh(application: Application, refreshToken: string): RefreshableTokenResponse {
    const presented = digestOf(refreshToken);
    const authorization = this.#byRefreshToken.get(presented);
    if (authorization?.consent.application !== application) {
      throw new OAuthError('invalid_grant', 'The refresh token is unknown or its authorization was revoked.');
    }
    if (presented !== authorization.newest) {
      const newestAccess = authorization.accessTokens.at(-1);
      if (presented !== authorization.previous || newestAccess === undefined || newestAccess.used) {
        this.refreshReuses.refused += 1;
        throw new OAuthError('invalid_grant', 'The refresh token was used before.');
      }
      this.refreshReuses.accepted += 1;
      this.#access.revoke(newestAccess.id);
    }
    authorization.previous = presented;
    return this.#issuePair(authorization);
  }

  /** The user's authorizations that are in force, oldest first. */
  of(user: Grant['user']): Authorization[] {
    this.#removeExpired();
    return [...this.#authorizations.values()].filter(({ consent }) => consent.user === user);
  }

  /** Revokes every token of an authorization. Revoking again does nothing. */
  revoke(id: string): void {
    const authorization = this.#authorizations.get(id);
    if (!authorization) return;
    this.#authorizations.delete(id);
    for (const token of authorization.accessTokens) this.#access.revoke(token.id);
    for (const [key, other] of this.#byRefreshToken)
      if (other === authorization) this.#byRefreshToken.delete(key);
  }

  #create(consent: Consent, lifetime: { expiresAt?: number } = {}): StoredAuthorization {
    const { application, user } = consent;
    if (!this.canGrant(consent)) {
      throw new OAuthError(
        'access_denied',
        'The application is in Restricted Mode and has reached its limit.',
      );
    }
    if (user !== application.owner) {
      this.#countForOthers.set(application, (this.#countForOthers.get(application) ?? 0) + 1);
    }
    this.#removeExpired();
    const authorization = {
      id: randomUUID(),
      consent,
      createdAt: this.#clock.now(),
      accessTokens: [],
      ...lifetime,
    };
    this.#authorizations.set(authorization.id, authorization);
    return authorization;
  }

  #issuePair(authorization: StoredAuthorization): RefreshableTokenResponse {
    const refreshToken = newSecret();
    authorization.newest = digestOf(refreshToken);
    this.#byRefreshToken.set(authorization.newest, authorization);
    return { ...this.#issueAccessToken(authorization), refresh_token: refreshToken };
  }

  #issueAccessToken(authorization: StoredAuthorization): TokenResponse {
    const { application: _, user, ...terms } = authorization.consent;
    const expiresAt = this.#clock.now() + this.accessTokenSeconds * 1_000;
    const token = this.#access.issueToken(user, { ...terms, expiresAt });
    const issued = this.#access.find(token);
    if (issued) authorization.accessTokens.push(issued);
    return { access_token: token, token_type: 'bearer', expires_in: this.accessTokenSeconds };
  }

  #removeExpired(): void {
    const now = this.#clock.now();
    for (const [id, { expiresAt = Infinity }] of this.#authorizations)
      if (expiresAt <= now) this.#authorizations.delete(id);
  }
}
