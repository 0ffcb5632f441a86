/** `budget-mcp status`: who is signed in, how and until when; never the token. */
import type { SignIn, TokenStore } from '../auth/token-store.ts';
import { BudgetError } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { DescribeProvidedToken } from './login.ts';
import { describeBudgets, describeTime, signInKinds } from './sign-in-descriptions.ts';

export interface StatusDeps {
  readonly store: TokenStore;
  readonly clock: Clock;
  /** The names of the budgets that the server would answer about, asked with one request. */
  readonly budgets: (signal: AbortSignal) => Promise<readonly string[]>;
  readonly describeProvidedToken: DescribeProvidedToken;
  readonly io: { readonly stdout: NodeJS.WritableStream };
  readonly signal: AbortSignal;
}

/** Throws a `BudgetError` where the store cannot be asked, which is not the same as not being signed in. */
export async function runStatus({ profile }: { profile: string }, parts: StatusDeps): Promise<void> {
  const { store, clock, budgets, describeProvidedToken, io, signal } = parts;
  const handed = await describeProvidedToken();
  const rows = handed
    ? [['token', `handed in by ${handed}, which is used whatever profiles hold`], await opens()]
    : await kept();
  io.stdout.write(rows.map(([name = '', value = '']) => `${name.padEnd(9)}${value}\n`).join(''));

  async function opens(): Promise<string[]> {
    return ['opens', await budgets(signal).then(describeBudgets, unasked)];
  }

  async function kept(): Promise<string[][]> {
    const place = ['kept in', store.place];
    if (!(await store.read(profile)))
      return [['profile', `${profile}, not signed in: \`budget-mcp login\` does it`], place];
    const opened = await opens();
    // To ask may have refreshed it.
    const signIn = await store.read(profile);
    return [['profile', profile], ...(signIn ? about(signIn, clock.now()) : []), place, opened];
  }
}

function about(signIn: SignIn, now: number): string[][] {
  const where = ['service', signIn.baseUrl];
  const kind = ['kind', signInKinds[signIn.kind]];
  if (signIn.kind === 'personal')
    return [where, kind, ['scope', 'full'], ['ends', 'when it is revoked at the service']];
  const renewal = {
    authorization_code: 'renewed by itself',
    implicit: 'sign in again then',
  }[signIn.kind];
  return [
    where,
    kind,
    ['scope', signIn.scope],
    ['ends', `${describeTime(signIn.expiresAt, now)}; ${renewal}`],
  ];
}

function unasked(error: unknown): string {
  if (!(error instanceof BudgetError)) throw error;
  return `could not be asked: ${error.explanation}`;
}
