/** The end of `budget-mcp install`: a server without a sign-in cannot answer, so the person is asked to sign in now. */
import { type Config, type Flags, loadConfig } from '../config/load-config.ts';
import type { SettingName } from '../config/settings.ts';
import { BudgetError } from '../errors.ts';
import { runLogin } from './login.ts';
import { type ProcessContext, type SignInContext, withSignInContext } from './sign-in-context.ts';
import { promptYes } from './yes-prompt.ts';

/** The settings of the server that say where its token comes from. */
const settings: readonly SettingName[] = ['service', 'baseUrl', 'profile', 'insecureStorage', 'tokenFile'];

/** `flags` are those of the server. Throws what `login` throws, if the person agrees to sign in. */
export async function offerSignIn(flags: Flags, process: ProcessContext): Promise<void> {
  const given = Object.fromEntries(settings.flatMap((name) => (name in flags ? [[name, flags[name]]] : [])));
  // The host starts the server without the variables of this terminal.
  const config = loadConfig(given, undefined, []);
  const missing = await withSignInContext(config, process, findMissing);
  if (missing === undefined) return;
  const { io, signal } = process;
  const insecureStorage = missing.place === 'file';
  const command = `${missing.loginCommand}${insecureStorage ? ' --insecure-storage' : ''}`;
  io.stdout.write('The server cannot answer about your budget before you have signed in.\n');
  const question = `Sign in now${insecureStorage ? ', and store the sign-in unencrypted in a file' : ''}?`;
  if (io.stdin.isTTY && (await promptYes(question, { ...io, signal })))
    await withSignInContext({ ...config, insecureStorage }, process, (config, context) =>
      runLogin({}, config, context),
    );
  else io.stdout.write(`To sign in, run \`${command}\` in a terminal.\n`);
}

/** Where a sign-in would be stored, and by which command. Undefined if none is needed, or if it cannot be known whether there is one. */
async function findMissing(
  { profile, insecureStorage }: Config,
  { describeProvidedToken, store, loginCommand, io }: SignInContext,
): Promise<{ readonly place: 'file' | 'keychain'; readonly loginCommand: string } | undefined> {
  if (await describeProvidedToken()) return undefined;
  try {
    if (await store.read(profile)) return undefined;
    return { place: insecureStorage ? 'file' : 'keychain', loginCommand };
  } catch (error) {
    if (!(error instanceof BudgetError)) throw error;
    if (error.code === 'keychain_unavailable') return { place: 'file', loginCommand };
    io.stdout.write(`${error.explanation}\n`);
    return undefined;
  }
}
