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
}

export interface TokenProvider {
  /** What the next request is sent with; a `BudgetError` that says how to sign in where there is nothing. */
  credential(): Promise<Credential>;
}

/** What was handed in at the start, be it whole, half or nothing. */
export function fixedCredential({ baseUrl, token }: { baseUrl?: string; token?: string }): TokenProvider {
  return {
    async credential() {
      if (baseUrl !== undefined && token !== undefined) return { baseUrl, token };
      const missing = [token === undefined && 'access token', baseUrl === undefined && 'base URL'];
      throw new BudgetError(
        'not_signed_in',
        `This server has no ${missing.filter(Boolean).join(' and no ')}.`,
      );
    },
  };
}
