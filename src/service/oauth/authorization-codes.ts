/**
 * Authorization codes: short-lived, single use, and bound to the application, to the redirect URI and, where the
 * client gave a challenge, to the client's verifier (specification, Authorization code grant; RFC 6749, section 4.1;
 * RFC 7636). A code that comes a second time has been stolen by somebody, so that the tokens issued for it are revoked.
 */
import { createHash } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import { digestOf, newSecret } from '../secrets.ts';
import type { Application } from './applications.ts';
import type { Authorization, Authorizations, Consent, RefreshableTokenResponse } from './authorizations.ts';
import { OAuthError } from './oauth-error.ts';

const LIFETIME_MS = 60_000;

/** What the authorization request said that the token request has to match. */
export interface CodeTerms {
  readonly consent: Consent;
  readonly redirectUri: string;
  /** By the method S256. */
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
  /** By digest. Those that were presented stay, so that a second time is noticed. */
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
   * Gives tokens for a code. Whether it does or not, the code is used up when its application has presented it.
   * Throws the `OAuthError` `invalid_grant`, also where Restricted Mode has filled up since the code was issued.
   */
  redeem(
    application: Application,
    { code, redirectUri, codeVerifier }: PresentedCode,
  ): RefreshableTokenResponse {
    const held = this.#codes.get(digestOf(code));
    if (held?.consent.application !== application) {
      throw new OAuthError('invalid_grant', 'The authorization code is unknown or expired.');
    }
    if (held.presented) {
      if (held.authorization) this.#authorizations.revoke(held.authorization.id);
      throw new OAuthError('invalid_grant', 'The authorization code was used before.');
    }
    held.presented = true;
    if (this.#clock.now() >= held.expiresAt) {
      throw new OAuthError('invalid_grant', 'The authorization code is unknown or expired.');
    }
    if (redirectUri !== held.redirectUri) {
      throw new OAuthError('invalid_grant', 'The redirect_uri is not that of the authorization request.');
    }
    const challenge = codeVerifier === undefined ? undefined : challengeOf(codeVerifier);
    if (challenge !== held.codeChallenge) {
      throw new OAuthError('invalid_grant', 'The code_verifier does not match the code_challenge.');
    }
    if (!this.#authorizations.isOpenTo(held.consent)) {
      throw new OAuthError(
        'invalid_grant',
        'The application is in Restricted Mode and has reached its limit.',
      );
    }
    const { authorization, tokens } = this.#authorizations.grantPair(held.consent);
    held.authorization = authorization;
    return tokens;
  }
}

/** RFC 7636, section 4.2. */
const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url');
