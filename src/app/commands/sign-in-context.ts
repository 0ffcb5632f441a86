/** Creates and closes what the commands for a sign-in need. */
import { type Clock, systemClock } from '../../base/clock.ts';
import { composeSignIn, type SignInOptions } from '../compose/sign-in.ts';
import type { Config } from '../config/load-config.ts';
import type { Terminal } from './prompts.ts';

export interface ProcessContext {
  readonly io: Pick<Terminal, 'stdin' | 'stderr'> & { readonly stdout: NodeJS.WritableStream };
  readonly signal: AbortSignal;
  /** The directory of the built program. */
  readonly program: URL;
}

export type SignInContext = ReturnType<typeof composeSignIn> & Pick<ProcessContext, 'io' | 'signal'>;

/** Throws a `BudgetError` for the person who typed the command. */
export async function withSignInContext<Result>(
  config: Config,
  { program, ...process }: ProcessContext,
  run: (config: Config, context: SignInContext) => Promise<Result>,
  { clock = systemClock, ...options }: Partial<SignInOptions> & { clock?: Clock } = {},
): Promise<Result> {
  const warn = (message: string) => process.io.stderr.write(`budget-mcp: ${message}\n`);
  const context = composeSignIn(config, { clock, program }, { signal: process.signal, warn, ...options });
  try {
    return await run(config, { ...context, ...process });
  } finally {
    await context.close();
  }
}
