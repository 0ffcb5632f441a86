/**
 * Authorization codes (docs/interface.md, Authorization code grant; RFC 6749, section 4.1; RFC 7636). A code is
 * short-lived and can be used once. It is bound to the application, to the redirect URI and, if the client sent a
 * challenge, to the client's verifier. A second use means that the code was stolen, so the tokens issued for it are
 * revoked.
 */
import { createHash } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { digestOf, newSecret } from '../secrets.ts';
import type { Application } from './applications.ts';
import type { Authorization, Authorizations, Consent, RefreshableTokenResponse } from './authorizations.ts';
import { OAuthError } from './oauth-error.ts';

const LIFETIME_MS = 60_000;

/** The values of the authorization request that the token request has to match. */
export interface CodeTerms {
  readonly consent: Consent;
  readonly redirectUri: string;
  /** Method S256. */
  readonly codeChallenge?: string | undefined;
}

export interface PresentedCode {
  readonly code: string;
  readonly redirectUri: string;
  readonly codeVerifier?: string | undefined;
}

interface Code extends CodeTerms {
  readonly expiresAt: number;
  presented: boolean;
  authorization?: Authorization;
}

export class AuthorizationCodes {
  readonly #authorizations: Authorizations;
  readonly #clock: Clock;
  /** By digest. Used codes are kept, to detect a second use. */
  readonly #codes = new Map<string, Code>();

  constructor(authorizations: Authorizations, clock: Clock) {
    this.#authorizations = authorizations;
    this.#clock = clock;
  }

  issue(terms: CodeTerms): string {
    const now = this.#clock.now();
    for (const [key, { presented, expiresAt }] of this.#codes) {
      if (!presented && expiresAt <= now) this.#codes.delete(key);
    }
    const code = newSecret();
    this.#codes.set(digestOf(code), { ...terms, expiresAt: now + LIFETIME_MS, presented: false });
    return code;
  }

  /**
   * Issues tokens for a code. A code is used up by the first attempt of its application, even if the attempt fails.
   * Throws the `OAuthError` `invalid_grant`, also if the limit of Restricted Mode was reached after the code was
   * issued.
   */
  redeem(
    application: Application,
    { code, redirectUri, codeVerifier }: PresentedCode,
  ): RefreshableTokenResponse {
    const issued = this.#codes.get(digestOf(code));
    if (issued?.consent.application !== application) {
      throw new OAuthError('invalid_grant', 'The authorization code is unknown or expired.');
    }
    if (issued.presented) {
      if (issued.authorization) this.#authorizations.revoke(issued.authorization.id);
      throw new OAuthError('invalid_grant', 'The authorization code was used before.');
    }
    issued.presented = true;
    if (this.#clock.now() >= issued.expiresAt) {
      throw new OAuthError('invalid_grant', 'The authorization code is unknown or expired.');
    }
    if (redirectUri !== issued.redirectUri) {
      throw new OAuthError('invalid_grant', 'The redirect_uri is not that of the authorization request.');
    }
    const challenge = codeVerifier === undefined ? undefined : challengeOf(codeVerifier);
    if (challenge !== issued.codeChallenge) {
      throw new OAuthError('invalid_grant', 'The code_verifier does not match the code_challenge.');
    }
    if (!this.#authorizations.canGrant(issued.consent)) {
      throw new OAuthError(
        'invalid_grant',
        'The application is in Restricted Mode and has reached its limit.',
      );
    }
    const { authorization, tokens } = this.#authorizations.grantPair(issued.consent);
    issued.authorization = authorization;
    return tokens;
  }
}

/** RFC 7636, section 4.2. */
const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url');
