/**
 * Tokens that whoever starts the server hands in, instead of one that a person has signed in with. It knows the ways in
 * which a token is handed in and which of them counts; it must not know where the settings come from, nor what the
 * token is used for.
 */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { BudgetError } from '../errors.ts';
import { bearerToken } from './bearer-token.ts';
import { errnoOf, readSecretFile, unusableFileError, type Warn } from './secret-file.ts';

/** The settings that hand in a token. */
export interface ProvidedTokenSettings {
  readonly tokenFile?: string;
  /** Of systemd; it counts where it holds a credential for us. */
  readonly credentialsDirectory?: string;
  readonly token?: string;
}

export interface ProvidedToken {
  /** For a person, such as "the file /run/secrets/token". */
  readonly place: string;
  /** The token as it is now: a file is read each time, so that a secret which was exchanged is noticed. */
  read(): Promise<string>;
}

/** What `LoadCredential=` has to name it. */
const CREDENTIAL = 'budget-mcp-token';

// Docker mounts secrets as 0444, Kubernetes as 0644 and by symbolic links: others may read, which gives a warning, but
// not write.
const RULES = { forbidden: 0o022, own: false, limit: 8 * 2 ** 10 };

/**
 * The token that counts; undefined where none is handed in. A token file comes before systemd's credential, which it
 * may name; `invalid_configuration` where either meets a token in the environment, since nobody knows which is meant.
 * `warn` is called once at most.
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
  throw new BudgetError(
    'invalid_configuration',
    `A token is handed in twice: by ${file.place} and by the environment variable BUDGET_MCP_TOKEN.`,
  );
}

async function credential(directory: string | undefined, warn: Warn): Promise<ProvidedToken | undefined> {
  if (directory === undefined) return undefined;
  const path = join(directory, CREDENTIAL);
  // One that is there but cannot be read is still the one that is meant.
  const isMissing = await access(path).then(
    () => false,
    (error: unknown) => ['ENOENT', 'ENOTDIR'].includes(errnoOf(error)),
  );
  return isMissing ? undefined : { place: `systemd's credential ${path}`, read: () => readToken(path, warn) };
}

async function readToken(path: string, warn: Warn): Promise<string> {
  const text = (await readSecretFile(path, { ...RULES, warn }))?.replace(/[\r\n]+$/, '');
  if (text === undefined) throw unusableFileError(path, 'does not exist');
  if (text === '') throw unusableFileError(path, 'is empty');
  const token = bearerToken.safeParse(text);
  if (!token.success)
    throw unusableFileError(path, 'holds something else than one word of visible ASCII characters');
  return token.data;
}
