/** `budget-mcp status`: shows which sign-in is stored, its kind and when it ends, but never the token. */
import { describeBudgets } from '../../auth/checked-sign-in.ts';
import type { SignIn, TokenStore } from '../../auth/token-store.ts';
import { BudgetError } from '../../base/errors.ts';
import type { SignInContext } from './sign-in-context.ts';
import { describeTime, signInKinds } from './sign-in-descriptions.ts';

export interface StatusDeps
  extends Pick<SignInContext, 'loginCommand' | 'clock' | 'budgets' | 'providedToken' | 'signal'> {
  readonly store: Pick<TokenStore, 'place' | 'read'>;
  readonly io: Pick<SignInContext['io'], 'stdout'>;
}

/** Throws a `BudgetError` if the store cannot be read, which is not the same as not being signed in. */
export async function runStatus({ profile }: { profile: string }, deps: StatusDeps): Promise<void> {
  const { store, loginCommand, clock, budgets, providedToken, io, signal } = deps;
  const provided = await providedToken();
  const rows = provided
    ? [['token', `provided by ${provided.place}, used instead of every stored sign-in`], await accessRow()]
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
