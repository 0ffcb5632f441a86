/** The end of `budget-mcp install`: a server without a sign-in cannot answer, so the person is asked to sign in now. */
import { BudgetError } from '../../base/errors.ts';
import { type Config, type Flags, loadConfig } from '../config/load-config.ts';
import { runLogin } from './login.ts';
import { promptYes } from './prompts.ts';
import { type ProcessContext, type SignInContext, withSignInContext } from './sign-in-context.ts';

/** `flags` are those of the server. Throws what `login` throws, if the person agrees to sign in. */
export async function offerSignIn(flags: Flags, process: ProcessContext): Promise<void> {
  // That is said of the server: a sign-in with a personal access token is never for reading only.
  const { readOnly: _, ...given } = flags;
  // The host starts the server without the variables of this terminal.
  const config = loadConfig(given, undefined, []);
  const missing = await withSignInContext(config, process, findMissing);
  if (missing === undefined) return;
  const { io, signal } = process;
  const { insecureStorage, loginCommand } = missing;
  io.stdout.write('The server cannot answer about your budget before you have signed in.\n');
  const question = `Sign in now${insecureStorage ? ', and store the sign-in unencrypted in a file' : ''}?`;
  if (io.stdin.isTTY && (await promptYes(question, { ...io, signal })))
    await withSignInContext({ ...config, insecureStorage }, process, (config, context) =>
      runLogin({}, config, context),
    );
  else io.stdout.write(`To sign in, run \`${loginCommand}\` in a terminal.\n`);
}

interface MissingSignIn {
  readonly insecureStorage: boolean;
  readonly loginCommand: string;
}

/** Undefined if no sign-in is needed, or if it cannot be known whether there is one. */
async function findMissing(
  { profile, insecureStorage }: Config,
  { providedToken, store, loginCommand, io }: SignInContext,
): Promise<MissingSignIn | undefined> {
  if (await providedToken()) return undefined;
  try {
    if (await store.read(profile)) return undefined;
    return { insecureStorage, loginCommand };
  } catch (error) {
    if (!(error instanceof BudgetError)) throw error;
    if (error.code === 'keychain_unavailable')
      return { insecureStorage: true, loginCommand: `${loginCommand} --insecure-storage` };
    io.stdout.write(`${error.explanation}\n`);
    return undefined;
  }
}
