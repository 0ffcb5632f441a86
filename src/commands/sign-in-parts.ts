/** What the commands about signing in share: the parts that they work with, wired together and taken down again. */
import { systemClock } from '../clock.ts';
import { composeSignIn } from '../compose.ts';
import type { Config } from '../config/load-config.ts';
import type { LoginParts } from './login.ts';

/** What the program has of the process that it runs in. */
export type Host = Pick<LoginParts, 'io' | 'signal'> & {
  /** Where it lies, as it was built. */
  readonly program: URL;
};

export type SignInParts = ReturnType<typeof composeSignIn> & Pick<Host, 'io' | 'signal'>;

/** Throws a `BudgetError` for the person who typed the command. */
export async function withSignInParts(
  config: Config,
  { program, ...host }: Host,
  run: (config: Config, parts: SignInParts) => Promise<void>,
): Promise<void> {
  const warn = (message: string) => host.io.stderr.write(`budget-mcp: ${message}\n`);
  const parts = composeSignIn(config, { clock: systemClock, program }, { signal: host.signal, warn });
  try {
    await run(config, { ...parts, ...host });
  } finally {
    await parts.close();
  }
}
