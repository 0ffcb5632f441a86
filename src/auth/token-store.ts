/**
 * Where a sign-in rests between two runs of the program: one interface for every place. A store knows profiles and
 * what a sign-in looks like; it must not know how one is made, renewed or used.
 */
import { z } from 'zod';
import { BudgetError } from '../errors.ts';
import { parseJson } from '../platform/json.ts';
import { bearerToken } from './bearer-token.ts';
import { serviceAddress } from './service-address.ts';

const MAX_INSTANT = 8.64e15;

const common = {
  /** Made at the sign-in and kept by every refresh: another one means that somebody has signed in anew. */
  id: z.string(),
  /** The one address that the token may be sent to, with the version segment, without a trailing slash. */
  baseUrl: serviceAddress,
  accessToken: bearerToken,
};

/** Milliseconds since the epoch, as far as a `Date` can tell it. */
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
 * What a person has signed in with (specification, Authentication). A store is a door: what another program has put
 * there goes by the same rules as what a person configures.
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

/** The sign-in that a store has kept as JSON; `sign_in_unreadable` for anything else. */
export function parseSignIn(text: string, where: string): SignIn {
  const parsed = signInSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new BudgetError(
    'sign_in_unreadable',
    `What is kept in ${where} is not a sign-in that this version of budget-mcp can read.`,
  );
}

/** Told what is there now. */
export type CanReplace = (there: SignIn | undefined) => boolean;

/**
 * A store that cannot be asked throws a `BudgetError` that names the cause and the ways out: a failure is never "not
 * signed in", since the reader would sign in again over a token that is good.
 */
export interface TokenStore {
  /** For a person, such as "the keychain of this computer". */
  readonly place: string;
  /** Undefined only where the profile has no sign-in. */
  read(profile: string): Promise<SignIn | undefined>;
  /**
   * Replaces the profile's sign-in as a whole: a crash leaves the old one or the new one. What is there and cannot be
   * read is not replaced: it may be good. Nor is what `mayReplace` refuses; it is asked as shortly before as can be.
   * Whether it was written.
   */
  write(profile: string, signIn: SignIn, mayReplace?: CanReplace): Promise<boolean>;
  /** Whether there was one. When it resolves there is none, which has been seen by reading again. */
  remove(profile: string): Promise<boolean>;
}
