/** `budget-mcp status`: shows which sign-in is stored, its kind and when it ends, but never the token. */
import { describeBudgets } from '../../auth/checked-sign-in.ts';
import type { SignIn, TokenStore } from '../../auth/token-store.ts';
import type { Clock } from '../../base/clock.ts';
import { BudgetError } from '../../base/errors.ts';
import type { DescribeProvidedToken } from './login.ts';
import { describeTime, signInKinds } from './sign-in-descriptions.ts';

export interface StatusDeps {
  readonly store: TokenStore;
  /** The command with which the person signs in. */
  readonly loginCommand: string;
  readonly clock: Clock;
  /** Reads the names of the budgets that the server has access to, with one request. */
  readonly budgets: (signal: AbortSignal) => Promise<readonly string[]>;
  readonly describeProvidedToken: DescribeProvidedToken;
  readonly io: { readonly stdout: NodeJS.WritableStream };
  readonly signal: AbortSignal;
}

/** Throws a `BudgetError` if the store cannot be read, which is not the same as not being signed in. */
export async function runStatus({ profile }: { profile: string }, deps: StatusDeps): Promise<void> {
  const { store, loginCommand, clock, budgets, describeProvidedToken, io, signal } = deps;
  const provided = await describeProvidedToken();
  const rows = provided
    ? [['token', `provided by ${provided}, used instead of every stored sign-in`], await accessRow()]
    : await storedRows();
  io.stdout.write(rows.map(([name = '', value = '']) => `${name.padEnd(9)}${value}\n`).join(''));

  async function accessRow(): Promise<string[]> {
    return ['access', await budgets(signal).then(describeBudgets, describeFailure)];
  }

  async function storedRows(): Promise<string[][]> {
    const place = ['stored', `in ${store.place}`];
    if (!(await store.read(profile)))
      return [['profile', `${profile}, not signed in; run \`${loginCommand}\``], place];
    const access = await accessRow();
    // The request may have refreshed the sign-in.
    const signIn = await store.read(profile);
    return [['profile', profile], ...(signIn ? signInRows(signIn, clock.now()) : []), place, access];
  }
}

function signInRows(signIn: SignIn, now: number): string[][] {
  const where = ['service', signIn.baseUrl];
  const kind = ['kind', signInKinds[signIn.kind]];
  if (signIn.kind === 'personal')
    return [where, kind, ['scope', 'full'], ['ends', 'when it is revoked at the service']];
  const renewal = {
    authorization_code: 'renewed automatically',
    implicit: 'sign in again then',
  }[signIn.kind];
  return [
    where,
    kind,
    ['scope', signIn.scope],
    ['ends', `${describeTime(signIn.expiresAt, now)}; ${renewal}`],
  ];
}

function describeFailure(error: unknown): string {
  if (!(error instanceof BudgetError)) throw error;
  return `could not be checked: ${error.explanation}`;
}
