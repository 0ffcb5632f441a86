/**
 * Where the token of a call comes from. The client asks before every request and stores nothing, so that a token can
 * be renewed or removed while the server runs.
 */
import { hkdfSync } from 'node:crypto';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from '../base/errno.ts';
import { BudgetError, invalidConfig, unusableFile } from '../base/errors.ts';
import { readSecretLines, type Warn } from './secret-file.ts';
import { bearerToken } from './service-address.ts';

/** A token and the one address that it may be sent to. */
export interface Credential {
  /** With the version segment, without a trailing slash. */
  readonly baseUrl: string;
  readonly token: string;
  /**
   * The id of the sign-in. A refresh keeps it; a new sign-in has another id. Processes with the same provided token, or the
   * same stored sign-in, have the same id.
   */
  readonly signIn: string;
  /** Undefined if only the service knows it (docs/interface.md, Authorization request). */
  readonly scope?: Scope;
  /** The id of the default budget that the person has chosen. */
  readonly budget?: string;
  /** When the token ends, in milliseconds since the epoch. Set only if that is soon and only the user can renew it. */
  readonly endsAt?: number;
}

export type Scope = 'full' | 'read-only';

/** The public facts about a token. The token itself is never shown. */
export interface TokenStatus {
  /** `given`: provided at the start, so its kind is not known. */
  readonly kind: 'given' | 'personal' | 'authorization_code' | 'implicit';
  readonly scope?: Scope;
  /** Milliseconds since the epoch. */
  readonly expiresAt?: number;
  /** Where it is stored, in words for a person. */
  readonly place: string;
}

export interface TokenProvider {
  /** The credential for the next request. Throws a `BudgetError` that says how to sign in if there is no token. */
  credential(signal?: AbortSignal): Promise<Credential>;
  /**
   * The credential to use instead of one that the service has refused. Undefined if there is no other token; or throws a
   * `BudgetError` that says how to renew the sign-in.
   */
  renewed(refused: Credential, signal?: AbortSignal): Promise<Credential | undefined>;
  describe(): Promise<TokenStatus>;
}

/** A token that was provided. If its source later has another token, that counts as another sign-in. */
export function staticTokenProvider({
  baseUrl,
  place,
  read,
}: ProvidedToken & { readonly baseUrl: string | undefined }): TokenProvider {
  let known: { readonly token: string; readonly signIn: string } | undefined;
  const renew = async () => {
    const token = await read();
    if (token !== known?.token) known = { token, signIn: signInOfToken(token) };
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

/** Wraps a provider and refuses tokens that are also valid for another purpose. */
export function rejectTokens(tokens: TokenProvider, isRejected: (token: string) => boolean): TokenProvider {
  const checked = (credential: Credential) => {
    if (!isRejected(credential.token)) return credential;
    throw invalidConfig(
      'The token of the budgeting service is also a token for this HTTP server: every caller would have full access to the service.',
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

export const fixedTokenProvider = (credential: Pick<Credential, 'baseUrl' | 'token'>): TokenProvider =>
  staticTokenProvider({
    ...credential,
    place: 'the program that provided it',
    read: async () => credential.token,
  });

// What is derived from a provided token (HKDF, RFC 5869) is the same in every process, and shows nothing of the token.
const derive = (token: string, purpose: string, bytes: number) =>
  new Uint8Array(hkdfSync('sha256', token, '', `budget-mcp ${purpose}`, bytes));

/** The key that seals the shared state, of 32 bytes. */
export const keyOfToken = (token: string): Uint8Array => derive(token, 'state key', 32);

/** The id of the sign-in. */
export const signInOfToken = (token: string): string =>
  Buffer.from(derive(token, 'sign-in id', 16)).toString('hex');

// The ways to provide a token when the server is started, instead of a stored sign-in.

interface ProvidedTokenSettings {
  readonly tokenFile?: string;
  /** The directory of systemd's credentials. Used if it contains a credential for this program. */
  readonly credentialsDirectory?: string;
  readonly token?: string;
}

export interface ProvidedToken {
  /** In words for a person, such as "the file /run/secrets/token". */
  readonly place: string;
  /** The current token. A file is read each time, so that a replaced secret is noticed. */
  read(): Promise<string>;
}

/** The name that `LoadCredential=` has to give it. */
const CREDENTIAL = 'budget-mcp-token';

/**
 * The provided token. Undefined if none is provided. A token file is used before systemd's credential, because it may name
 * that credential. Throws `invalid_configuration` if the environment has a token too. Calls `warn` at most once.
 */
export async function findProvidedToken(
  { tokenFile, credentialsDirectory, token }: ProvidedTokenSettings,
  warn: Warn = () => {},
): Promise<ProvidedToken | undefined> {
  let hasWarned = false;
  const warnOnce: Warn = (message) => {
    if (!hasWarned) warn(message);
    hasWarned = true;
  };
  const file =
    tokenFile === undefined
      ? await credential(credentialsDirectory, warnOnce)
      : { place: `the file ${tokenFile}`, read: () => readToken(tokenFile, warnOnce) };
  if (token === undefined) return file;
  if (!file) return { place: 'the environment variable BUDGET_MCP_TOKEN', read: async () => token };
  throw invalidConfig(
    `A token is provided twice: by ${file.place} and by the environment variable BUDGET_MCP_TOKEN.`,
  );
}

async function credential(directory: string | undefined, warn: Warn): Promise<ProvidedToken | undefined> {
  if (directory === undefined) return undefined;
  const path = join(directory, CREDENTIAL);
  // A credential that exists but cannot be read must be reported, not ignored.
  const isMissing = await access(path).then(
    () => false,
    (error: unknown) => ['ENOENT', 'ENOTDIR'].includes(errnoOf(error)),
  );
  return isMissing ? undefined : { place: `systemd's credential ${path}`, read: () => readToken(path, warn) };
}

async function readToken(path: string, warn: Warn): Promise<string> {
  const lines = await readSecretLines(path, warn);
  if (lines.length === 0) throw unusableFile(path, 'is empty');
  const token = bearerToken.safeParse(lines.join('\n'));
  if (!token.success)
    throw unusableFile(path, 'does not contain exactly one word of visible ASCII characters');
  return token.data;
}
