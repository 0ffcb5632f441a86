/**
 * Stores sign-ins between two runs of the program: one interface for every kind of store. A store knows profiles and the
 * format of a sign-in. It does not know how a sign-in is created, renewed or used.
 */
import { z } from 'zod';
import { BudgetError } from '../base/errors.ts';
import { parseJson } from '../base/json.ts';
import { bearerToken } from './bearer-token.ts';
import type { SecretStore } from './secret-store.ts';
import { serviceAddress } from './service-address.ts';

const MAX_INSTANT = 8.64e15;

const common = {
  /** Created at the sign-in and kept by every refresh. Another id means that the user has signed in again. */
  id: z.string(),
  /** The one address that the token may be sent to, with the version segment, without a trailing slash. */
  baseUrl: serviceAddress,
  accessToken: bearerToken,
};

/** Milliseconds since the epoch, in the range of a `Date`. */
const instant = z.number().min(0).max(MAX_INSTANT);

const granted = {
  ...common,
  appUrl: serviceAddress,
  clientId: z.string().min(1),
  /** When the access token was granted and when it ends. */
  grantedAt: instant,
  expiresAt: instant,
  scope: z.enum(['full', 'read-only']),
};

/**
 * A sign-in (docs/interface.md, Authentication). Another program can write to a store, so the same rules apply as for
 * settings.
 */
export const signInSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('personal'), ...common, appUrl: serviceAddress.exactOptional() }),
  z.object({
    kind: z.literal('authorization_code'),
    ...granted,
    clientSecret: z.string().min(1),
    refreshToken: z.string().min(1),
  }),
  z.object({ kind: z.literal('implicit'), ...granted }),
]);

export type SignIn = z.output<typeof signInSchema>;

/** Parses a stored sign-in. Throws `sign_in_unreadable` for anything else. */
export function parseSignIn(text: string, where: string): SignIn {
  const parsed = signInSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new BudgetError(
    'sign_in_unreadable',
    `The sign-in in ${where} is not one that this version of budget-mcp can read.`,
  );
}

/** Decides whether the sign-in that is stored now may be replaced. */
export type CanReplace = (stored: SignIn | undefined) => boolean;

/**
 * If a store cannot be read, it throws a `BudgetError` with the cause and the remedy. A failure is never reported as "not
 * signed in": the user would sign in again and overwrite a valid token.
 */
export interface TokenStore {
  /** In words for a person, such as "the keychain of this computer". */
  readonly place: string;
  /** Undefined only if the profile has no sign-in. */
  read(profile: string): Promise<SignIn | undefined>;
  /**
   * Replaces the profile's sign-in as a whole: after a crash the store has either the old one or the new one. Content that
   * cannot be read is not replaced, because it may be valid. `mayReplace` is called as late as possible. Returns whether
   * the sign-in was written.
   */
  write(profile: string, signIn: SignIn, mayReplace?: CanReplace): Promise<boolean>;
  /** Returns whether there was a sign-in. Reads again to make sure that it was removed. */
  remove(profile: string): Promise<boolean>;
}

/** Stores sign-ins as secrets, wherever those are stored. */
export class SignInStore implements TokenStore {
  readonly #secrets: SecretStore;

  constructor(secrets: SecretStore) {
    this.#secrets = secrets;
  }

  get place(): string {
    return this.#secrets.place;
  }

  async read(profile: string): Promise<SignIn | undefined> {
    return this.#parse(await this.#secrets.read(profile));
  }

  /** A stored text that is not a sign-in is not replaced, because it may be valid for another version of the program. */
  write(profile: string, signIn: SignIn, mayReplace: CanReplace = () => true): Promise<boolean> {
    return this.#secrets.write(profile, JSON.stringify(signIn), (stored) => mayReplace(this.#parse(stored)));
  }

  remove(profile: string): Promise<boolean> {
    return this.#secrets.remove(profile);
  }

  #parse(stored: string | undefined): SignIn | undefined {
    return stored === undefined ? undefined : parseSignIn(stored, this.place);
  }
}
