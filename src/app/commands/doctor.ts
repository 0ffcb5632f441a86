/** `budget-mcp doctor`: checks what the server needs on this machine, and says what to do. */
import { type Clock, systemClock } from '../../base/clock.ts';
import { BudgetError } from '../../base/errors.ts';
import type { Config } from '../config/load-config.ts';
import { type Check, checkOf, checkProxy, checkService, checkSignIn, checkState } from './doctor-checks.ts';
import { checkHosts } from './host-checks.ts';
import { thisMachine } from './install.ts';
import { type ProcessContext, type SignInContext, withSignInContext } from './sign-in-context.ts';

/** Prints a line for each check. Returns whether none failed. `load` may throw a `BudgetError` for the settings. */
export async function runDoctor(
  load: () => Config,
  context: ProcessContext,
  clock: Clock = systemClock,
): Promise<boolean> {
  let failed = 0;
  const report = (...checks: readonly Check[]) => {
    for (const { level, name, text } of checks) {
      context.io.stdout.write(`${level.padEnd(5)}${name.padEnd(9)}${text}\n`);
      if (level === 'fail') failed += 1;
    }
  };
  // An older one than the program needs has not come this far.
  report(checkOf('node', 'ok', `Node.js ${process.versions.node}`));
  const hosts = await checkHosts(thisMachine());
  report(...hosts.checks);
  let config: Config | undefined;
  try {
    config = load();
  } catch (error) {
    if (!(error instanceof BudgetError)) throw error;
    report(checkOf('settings', 'fail', error.explanation));
  }
  if (config) {
    const warn = (text: string) => report(checkOf('sign-in', 'warn', text));
    const run = (loaded: Config, signIn: SignInContext) =>
      checkMachine(loaded, signIn, hosts.isDemoOnly, report);
    await withSignInContext(config, context, run, { clock, warn, timeoutMs: TIMEOUT_MS });
  }
  context.io.stdout.write(failed === 0 ? '\nNo check failed.\n' : `\n${failed} of the checks failed.\n`);
  return failed === 0;
}

const NOT_NEEDED = checkOf(
  'sign-in',
  'ok',
  'none is needed, because the hosts use invented data only (--demo)',
);

/** A person waits for the result. A service that needs longer is reported as one that does not answer. */
const TIMEOUT_MS = 10_000;

async function checkMachine(
  config: Config,
  context: SignInContext,
  isDemoOnly: boolean,
  report: (...found: readonly Check[]) => void,
): Promise<void> {
  const { check, access } = await checkSignIn(config, context);
  const isNeeded = check.level === 'ok' || !isDemoOnly;
  report(isNeeded ? check : NOT_NEEDED, await checkState(config, context.clock), checkProxy(config));
  if (access) report(...(await checkService(context, access)));
  else report(checkOf('network', 'warn', 'not tried, because there is no token to ask with.'));
}
