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

export interface StaticTokenOptions {
  readonly baseUrl: string | undefined;
  /** Where it comes from, for a person. */
  readonly place: string;
  /** The token as it is now. */
  readonly read: () => Promise<string>;
}

/** A token that was handed in. It may be exchanged where it lies, and is then taken to be somebody else's. */
export function staticTokenProvider({ baseUrl, place, read }: StaticTokenOptions): TokenProvider {
  let known: { readonly token: string; readonly signIn: string } | undefined;
  let count = 0;
  const renew = async () => {
    const token = await read();
    if (token !== known?.token) {
      count += 1;
      known = { token, signIn: `handed in ${count}` };
    }
    return known;
  };
  const credential = async () => {
    if (baseUrl !== undefined) return { baseUrl, ...(known ?? (await renew())) };
    throw new BudgetError('no_base_url', `There is a token, from ${place}, but no base URL.`);
  };
  return {
    credential,
    async renewed(refused) {
      await renew();
      const current = await credential();
      return current.token === refused.token ? undefined : current;
    },
    async describe() {
      await credential();
      return { kind: 'given', place };
    },
  };
}

/** The same, but for tokens that open something else as well: they are not used. */
export function rejectTokens(tokens: TokenProvider, isOther: (token: string) => boolean): TokenProvider {
  const checked = (credential: Credential) => {
    if (!isOther(credential.token)) return credential;
    throw new BudgetError(
      'invalid_configuration',
      'The token of the budgeting service is also one that opens this server by HTTP: whoever calls it would hold the budget itself.',
    );
  };
  return {
    credential: async (signal) => checked(await tokens.credential(signal)),
    async renewed(refused, signal) {
      const credential = await tokens.renewed(refused, signal);
      return credential && checked(credential);
    },
    describe: () => tokens.describe(),
  };
}

/** A token that never changes. */
export const fixedTokenProvider = (credential: Pick<Credential, 'baseUrl' | 'token'>): TokenProvider =>
  staticTokenProvider({ ...credential, place: 'its giver', read: async () => credential.token });
