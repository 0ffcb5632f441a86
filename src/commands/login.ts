/**
 * `budget-mcp login`: signs a person in and keeps the sign-in. It knows in which order this is safe: what is new is
 * checked with one request before it takes the place of what was there. It must not know how arguments are parsed, how
 * a process ends, or what a store is made of.
 */
import { randomUUID } from 'node:crypto';
import type { WithRefreshLock } from '../auth/refresh-lock.ts';
import type { Credential } from '../auth/token-provider.ts';
import type { SignIn, TokenStore } from '../auth/token-store.ts';
import { BudgetError } from '../errors.ts';
import { type BrowserSignInDeps, signInThroughBrowser } from './browser-sign-in.ts';
import { type LoginConfig, type LoginOptions, planSignIn } from './login-options.ts';
import { promptSecret, type Terminal } from './secret-prompt.ts';
import { describeBudgets, describeTime } from './sign-in-descriptions.ts';

/** The names of the budgets that a credential opens, asked with one request. */
export type BudgetsOf = (
  credential: Pick<Credential, 'baseUrl' | 'token'>,
  signal: AbortSignal,
) => Promise<readonly string[]>;

/** Where a token is handed in, for a person: it is used instead of what is kept. */
export type DescribeProvidedToken = () => Promise<string | undefined>;

export interface LoginDeps extends Omit<BrowserSignInDeps, 'terminal'> {
  readonly store: TokenStore;
  /** Runs what changes a profile while no other process of the user does. */
  readonly lock: WithRefreshLock;
  readonly budgetsOf: BudgetsOf;
  readonly describeProvidedToken: DescribeProvidedToken;
  readonly io: Pick<Terminal, 'stdin' | 'stderr'> & { readonly stdout: NodeJS.WritableStream };
  readonly signal: AbortSignal;
}

/**
 * Results go to `io.stdout`, what is asked and the address to open to `io.stderr`. What was granted is kept before the
 * browser shows so.
 * Throws a `BudgetError` whose message and advice are for the person who typed the command.
 */
export async function runLogin(options: LoginOptions, config: LoginConfig, parts: LoginDeps): Promise<void> {
  const { store, lock, budgetsOf, clock, describeProvidedToken, io, signal } = parts;
  const terminal = { ...io, signal };
  // A store that cannot be asked says so before anybody types anything.
  const before = await store.read(config.profile);
  const wanted = planSignIn(options, config, before);
  const instead = await describeProvidedToken();

  const keep = async (signIn: SignIn): Promise<string> => {
    const budgets = await budgetsOf({ baseUrl: signIn.baseUrl, token: signIn.accessToken }, signal);
    if (signal.aborted) throw new BudgetError('cancelled', 'The sign-in was cancelled; nothing was kept.');
    await lock(wanted.profile, () => store.write(wanted.profile, signIn), signal);
    const gained = describeAccess(signIn, budgets, clock.now());
    const lines = [
      `You are signed in. ${gained}`,
      `It is kept in ${store.place} as profile "${wanted.profile}", and is sent to ${signIn.baseUrl} only.`,
      ...(before ? [REPLACED] : []),
      ...(instead ? [`As long as a token is handed in by ${instead}, that one is used instead.`] : []),
    ];
    io.stdout.write(lines.map((line) => `${line}\n`).join(''));
    return gained;
  };

  if (wanted.kind === 'personal') {
    const accessToken = await promptSecret('Personal access token', terminal);
    const { kind, baseUrl, appUrl } = wanted;
    await keep({ kind, id: randomUUID(), baseUrl, accessToken, ...(appUrl !== undefined && { appUrl }) });
  } else {
    await signInThroughBrowser(wanted, { ...parts, terminal }, (granted) =>
      keep({ id: randomUUID(), baseUrl: wanted.baseUrl, ...granted }),
    );
  }
}

const REPLACED =
  'It replaces the sign-in that was there; the service accepts the token of that one until you revoke it there.';

function describeAccess(signIn: SignIn, budgets: readonly string[], now: number): string {
  const reading = signIn.kind !== 'personal' && signIn.scope === 'read-only' ? ', for reading only' : '';
  const end =
    signIn.kind === 'implicit'
      ? ` It ends ${describeTime(signIn.expiresAt, now)}, and cannot be renewed: sign in again then.`
      : '';
  return `The token opens ${describeBudgets(budgets)}${reading}.${end}`;
}
