/** Stores a new sign-in after one request has shown what it gives access to. It does not know how a person signs in. */
import { BudgetError } from '../base/errors.ts';
import { quote } from '../base/quote.ts';
import type { StoredTokensOptions } from './stored-tokens.ts';
import type { Credential } from './token-provider.ts';
import type { SignIn } from './token-store.ts';

/** Reads the names of the budgets that a credential gives access to, with one request. */
export type BudgetsOf = (
  credential: Pick<Credential, 'baseUrl' | 'token'>,
  signal: AbortSignal,
) => Promise<readonly string[]>;

export interface StoringDeps extends Pick<StoredTokensOptions, 'store' | 'profile' | 'lock'> {
  readonly budgetsOf: BudgetsOf;
  readonly signal: AbortSignal;
}

/**
 * Replaces the sign-in of the profile, and returns the names of the budgets. Throws the `BudgetError` of the request or of
 * the store, or `cancelled`; the earlier sign-in is still stored then.
 */
export async function storeChecked(signIn: SignIn, { store, profile, lock, budgetsOf, signal }: StoringDeps) {
  const budgets = await budgetsOf({ baseUrl: signIn.baseUrl, token: signIn.accessToken }, signal);
  if (signal.aborted) throw new BudgetError('cancelled', 'The sign-in was cancelled; nothing was stored.');
  await lock(profile, () => store.write(profile, signIn), signal);
  return budgets;
}

/** The names are quoted: users typed them. */
export const describeBudgets = (budgets: readonly string[]) =>
  budgets.length === 0 ? 'no budget' : `the budgets ${budgets.map(quote).join(', ')}`;
