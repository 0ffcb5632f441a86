/** What the commands about signing in share: the parts that they work with, wired together and taken down again. */

import { composeSignIn } from '../compose.ts';
import type { Config } from '../config/load-config.ts';
import { systemClock } from '../platform/clock.ts';
import type { LoginDeps } from './login.ts';

/** What the program has of the process that it runs in. */
export type ProcessContext = Pick<LoginDeps, 'io' | 'signal'> & {
  /** Where it lies, as it was built. */
  readonly program: URL;
};

export type SignInContext = ReturnType<typeof composeSignIn> & Pick<ProcessContext, 'io' | 'signal'>;

/** Throws a `BudgetError` for the person who typed the command. */
export async function withSignInContext(
  config: Config,
  { program, ...host }: ProcessContext,
  run: (config: Config, parts: SignInContext) => Promise<void>,
): Promise<void> {
  const warn = (message: string) => host.io.stderr.write(`budget-mcp: ${message}\n`);
  const parts = composeSignIn(config, { clock: systemClock, program }, { signal: host.signal, warn });
  try {
    await run(config, { ...parts, ...host });
  } finally {
    await parts.close();
  }
}
