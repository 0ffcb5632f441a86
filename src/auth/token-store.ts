/** The format of a stored sign-in, and the stores of sign-ins. They do not know how one is created, renewed or used. */
import { z } from 'zod';
import { BudgetError } from '../base/errors.ts';
import { parseJson } from '../base/json.ts';
import { bearerToken } from './bearer-token.ts';
import type { ProfileStore, SecretStore } from './secret-store.ts';
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
