/**
 * Where the token of a call comes from. The client asks before every request and keeps nothing, so that a token can
 * be renewed or taken away while the server runs.
 */
import { BudgetError } from '../errors.ts';

/** A token and the one address that it may be sent to. */
export interface Credential {
  /** With the version segment, without a trailing slash. */
  readonly baseUrl: string;
  readonly token: string;
  /** The sign-in that it is of: a refresh keeps it, signing in anew does not. */
  readonly signIn: string;
  /** Undefined where only the service knows (specification, Authorization request). */
  readonly scope?: Scope;
  /** When it ends, in milliseconds since the epoch, where that is soon and only the user can renew it. */
  readonly endsAt?: number;
}

export type Scope = 'full' | 'read-only';

/** What may be told about a token, which is never the token itself. */
export interface TokenStatus {
  /** `given`: handed in at the start, so that only its giver knows. */
  readonly kind: 'given' | 'personal' | 'authorization_code' | 'implicit';
  readonly scope?: Scope;
  /** Milliseconds since the epoch. */
  readonly expiresAt?: number;
  /** Where it is kept, for a person. */
  readonly place: string;
}

export interface TokenProvider {
  /** What the next request is sent with; a `BudgetError` that says how to sign in where there is nothing. */
  credential(signal?: AbortSignal): Promise<Credential>;
  /**
   * What to send instead of a credential that the service has refused; undefined where there is nothing else, or a
   * `BudgetError` that says how to renew the sign-in.
   */
  renewed(refused: Credential, signal?: AbortSignal): Promise<Credential | undefined>;
  describe(): Promise<TokenStatus>;
}

/** What was handed in at the start, be it whole, half or nothing. */
export function fixedCredential({
  baseUrl,
  token,
  place = 'the environment',
}: {
  baseUrl?: string | undefined;
  token?: string | undefined;
  place?: string;
}): TokenProvider {
  const credential = async () => {
    if (baseUrl !== undefined && token !== undefined) return { baseUrl, token, signIn: 'given' };
    const missing = [token === undefined && 'access token', baseUrl === undefined && 'base URL'];
    throw new BudgetError('not_signed_in', `This server has no ${missing.filter(Boolean).join(' and no ')}.`);
  };
  return {
    credential,
    renewed: async () => undefined,
    async describe() {
      await credential();
      return { kind: 'given', place };
    },
  };
}
