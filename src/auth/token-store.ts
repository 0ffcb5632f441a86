/**
 * Stores of one thing for each profile, of secret texts as well as of the sign-ins that are made of them, and the format of a
 * stored sign-in. They do not know how one is created, renewed or used.
 */
import { z } from 'zod';
import { BudgetError } from '../base/errors.ts';
import { parseJson } from '../base/json.ts';
import { bearerToken, serviceAddress } from './service-address.ts';

/**
 * If a store cannot be read, it throws a `BudgetError` with the cause and the remedy. A failure is never reported as "nothing
 * stored": the user would sign in again and overwrite a valid token.
 */
export interface ProfileStore<Content> {
  /** In words for a person, such as "the keychain of this computer". */
  readonly place: string;
  /** Undefined only if the profile has none. */
  read(profile: string): Promise<Content | undefined>;
  /**
   * Replaces the content of the profile as a whole: after a crash the store has either the old one or the new one. Content that
   * cannot be read is not replaced, because it may be valid. `mayReplace` is called as late as possible, and nothing is written
   * if it throws. Returns whether the content was written.
   */
  write(profile: string, content: Content, mayReplace?: CanReplace<Content>): Promise<boolean>;
  /** Returns whether there was any. Reads again to make sure that it was removed. */
  remove(profile: string): Promise<boolean>;
}

/** Decides whether the content that is stored now may be replaced. */
export type CanReplace<Content> = (stored: Content | undefined) => boolean;

export type SecretStore = ProfileStore<string>;

const common = {
  /** Created at the sign-in and kept by every refresh. Another id means that the user has signed in again. */
  id: z.string(),
  /** The one address that the token may be sent to, with the version segment, without a trailing slash. */
  baseUrl: serviceAddress,
  accessToken: bearerToken,
  /** The id of the default budget, if the person has chosen one. */
  budget: z.string().min(1).exactOptional(),
};

/** Milliseconds since the epoch, in the range of a `Date`. */
const instant = z.number().min(0).max(8.64e15);

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

export type TokenStore = ProfileStore<SignIn>;

/**
 * Stores sign-ins as secrets, wherever those are stored. A stored text that is not a sign-in is not replaced, because it may be
 * valid for another version of the program.
 */
export function signInStore(secrets: SecretStore): TokenStore {
  const parse = (stored: string | undefined) =>
    stored === undefined ? undefined : parseSignIn(stored, secrets.place);
  return {
    get place() {
      return secrets.place;
    },
    read: async (profile) => parse(await secrets.read(profile)),
    write: (profile, signIn, mayReplace = () => true) =>
      secrets.write(profile, JSON.stringify(signIn), (stored) => mayReplace(parse(stored))),
    remove: (profile) => secrets.remove(profile),
  };
}
