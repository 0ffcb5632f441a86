/**
 * Tokens that are provided when the server is started, instead of a stored sign-in. This file knows the ways to provide a
 * token and which of them is used. It does not know where the settings come from or what the token is used for.
 */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from '../base/errno.ts';
import { invalidConfig, unusableFile } from '../base/errors.ts';
import { readSecretLines, type Warn } from './secret-file.ts';
import { bearerToken } from './service-address.ts';

export interface ProvidedTokenSettings {
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
