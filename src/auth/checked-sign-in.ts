/**
 * Stores a new sign-in after one request has shown what it gives access to, and then the default budget that the person has chosen.
 * It does not know how a person signs in or chooses.
 */
import {
  type BudgetChoice,
  type BudgetList,
  defaultBudgetOf,
  describeDefault,
  isUnchosen,
} from '../base/default-budget.ts';
import { BudgetError } from '../base/errors.ts';
import { quote } from '../base/quote.ts';
import type { StoredTokensOptions } from './stored-tokens.ts';
import type { Credential } from './token-provider.ts';
import type { SignIn } from './token-store.ts';

/** Reads the budgets that a credential gives access to, with one request. */
export type BudgetsOf = (
  credential: Pick<Credential, 'baseUrl' | 'token'>,
  signal: AbortSignal,
) => Promise<BudgetList>;

export interface StoringDeps extends Pick<StoredTokensOptions, 'store' | 'profile' | 'lock'> {
  readonly budgetsOf: BudgetsOf;
  readonly signal: AbortSignal;
}

/** The sign-in with the budget that was chosen before, if that is among those that it gives access to. */
export interface StoredSignIn {
  readonly signIn: SignIn;
  readonly list: BudgetList;
}

/**
 * Replaces the sign-in of the profile. A default budget that was chosen before stays, if the same service has one with this id. Throws the
 * `BudgetError` of the request or of the store, or `cancelled`; the earlier sign-in is still stored then.
 */
export async function storeChecked(
  signIn: SignIn,
  { store, profile, lock, budgetsOf, signal }: StoringDeps,
): Promise<StoredSignIn> {
  const list = await budgetsOf({ baseUrl: signIn.baseUrl, token: signIn.accessToken }, signal);
  if (signal.aborted) throw new BudgetError('cancelled', 'The sign-in was cancelled; nothing was stored.');
  return lock(
    profile,
    async () => {
      const before = await store.read(profile);
      const chosen = before?.baseUrl === signIn.baseUrl ? before.budget : undefined;
      const isThere = list.budgets.some(({ id }) => id === chosen);
      const checked = { ...signIn, ...(chosen !== undefined && isThere && { budget: chosen }) };
      await store.write(profile, checked);
      return { signIn: checked, list };
    },
    signal,
  );
}

/** Stores a budget as the default one, by its id. Changes nothing if the person has signed in again or out since. */
export const storeChoice = (
  { id }: SignIn,
  budget: string,
  { store, profile, lock, signal }: Omit<StoringDeps, 'budgetsOf'>,
) =>
  lock(
    profile,
    async () => {
      const stored = await store.read(profile);
      if (stored?.id !== id) return;
      await store.write(
        profile,
        { ...stored, budget },
        (latest) => latest?.accessToken === stored.accessToken,
      );
    },
    signal,
  );

/** The budget that a person has chosen at the sign-in. */
export const choiceIn = (signIn: SignIn | undefined): BudgetChoice | undefined =>
  signIn?.budget === undefined ? undefined : { by: 'sign-in', budget: signIn.budget };

/** The names are quoted: users typed them. */
export const describeBudgets = ({ budgets }: BudgetList) =>
  budgets.length === 0 ? 'no budget' : `the budgets ${budgets.map(({ name }) => quote(name)).join(', ')}`;

/** The default budget, and how to choose another one. */
export function describeDefaultOf(list: BudgetList, choice: BudgetChoice | undefined): string {
  const found = defaultBudgetOf(list, choice);
  if (found) {
    const text = describeDefault({ name: found.budget.name, by: found.by });
    return isUnchosen(found) ? `${text}; \`budget-mcp login\` or --budget chooses another one` : text;
  }
  if (!choice) return 'none';
  return `${quote(choice.budget)}, which does not exist; \`budget-mcp login\` or --budget chooses another one`;
}
