/**
 * `budget-mcp login`: signs a person in and stores the sign-in. The new sign-in is checked with one request before it
 * replaces the old one. This file knows nothing about argument parsing, process exit or the kind of store.
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

/** Reads the names of the budgets that a credential gives access to, with one request. */
export type BudgetsOf = (
  credential: Pick<Credential, 'baseUrl' | 'token'>,
  signal: AbortSignal,
) => Promise<readonly string[]>;

/** Where a token is provided, in words for a person. It is used instead of the stored sign-in. */
export type DescribeProvidedToken = () => Promise<string | undefined>;

export interface LoginDeps extends Omit<BrowserSignInDeps, 'terminal'> {
  readonly store: TokenStore;
  /** Runs work that changes a profile while no other process of the user changes it. */
  readonly lock: WithRefreshLock;
  readonly budgetsOf: BudgetsOf;
  readonly describeProvidedToken: DescribeProvidedToken;
  readonly io: Pick<Terminal, 'stdin' | 'stderr'> & { readonly stdout: NodeJS.WritableStream };
  readonly signal: AbortSignal;
}

/**
 * Writes results to `io.stdout`, prompts and the address to open to `io.stderr`. The sign-in is stored before the browser
 * shows success.
 * Throws a `BudgetError` whose message and advice are for the person who typed the command.
 */
export async function runLogin(options: LoginOptions, config: LoginConfig, deps: LoginDeps): Promise<void> {
  const { store, lock, budgetsOf, clock, describeProvidedToken, io, signal } = deps;
  const terminal = { ...io, signal };
  // If the store cannot be read, this fails before the person types anything.
  const before = await store.read(config.profile);
  const plan = planSignIn(options, config, before);
  const provided = await describeProvidedToken();

  const save = async (signIn: SignIn): Promise<string> => {
    const budgets = await budgetsOf({ baseUrl: signIn.baseUrl, token: signIn.accessToken }, signal);
    if (signal.aborted) throw new BudgetError('cancelled', 'The sign-in was cancelled; nothing was stored.');
    await lock(plan.profile, () => store.write(plan.profile, signIn), signal);
    const access = describeAccess(signIn, budgets, clock.now());
    const lines = [
      `You are signed in. ${access}`,
      `The sign-in is stored in ${store.place} as profile "${plan.profile}". The token is sent to ${signIn.baseUrl} only.`,
      ...(before ? [REPLACED] : []),
      ...(provided ? [`While a token is provided by ${provided}, that token is used instead.`] : []),
    ];
    io.stdout.write(lines.map((line) => `${line}\n`).join(''));
    return access;
  };

  if (plan.kind === 'personal') {
    const accessToken = await promptSecret('Personal access token', terminal);
    const { kind, baseUrl, appUrl } = plan;
    await save({ kind, id: randomUUID(), baseUrl, accessToken, ...(appUrl !== undefined && { appUrl }) });
  } else {
    await signInThroughBrowser(plan, { ...deps, terminal }, (granted) =>
      save({ id: randomUUID(), baseUrl: plan.baseUrl, ...granted }),
    );
  }
}

const REPLACED =
  'It replaces the earlier sign-in. The service accepts the earlier token until you revoke it there.';

function describeAccess(signIn: SignIn, budgets: readonly string[], now: number): string {
  const scope = signIn.kind !== 'personal' && signIn.scope === 'read-only' ? ', for reading only' : '';
  const end =
    signIn.kind === 'implicit'
      ? ` It ends ${describeTime(signIn.expiresAt, now)}, and cannot be renewed: sign in again then.`
      : '';
  return `The token gives access to ${describeBudgets(budgets)}${scope}.${end}`;
}
