/** `budget-mcp logout`: removes a stored sign-in, and says what the user has to revoke at the service. */
import type { SignIn, TokenStore } from '../../auth/token-store.ts';
import { BudgetError } from '../../base/errors.ts';
import type { SignInContext } from './sign-in-context.ts';
import { developerSettings } from './sign-in-descriptions.ts';

export interface LogoutDeps extends Pick<SignInContext, 'removeState' | 'lock'> {
  readonly store: TokenStore;
  readonly io: Pick<SignInContext['io'], 'stdout'>;
}

/** Throws a `BudgetError` if the store cannot be read. The sign-in may still be stored then. */
export async function runLogout({ profile }: { profile: string }, deps: LogoutDeps): Promise<void> {
  const { store, removeState, lock, io } = deps;
  // Only needed for the message and for the state. A sign-in that cannot be read is removed too.
  const signIn = await store.read(profile).catch((error: unknown) => {
    if (error instanceof BudgetError && error.code === 'sign_in_unreadable') return undefined;
    throw error;
  });
  const wasThere = await lock(profile, async () => {
    const wasThere = await store.remove(profile);
    // Its content cannot be read without the key, so the state of a sign-in that cannot be read may stay.
    await removeState(profile, signIn);
    return wasThere;
  });
  io.stdout.write(
    wasThere
      ? `The sign-in of profile "${profile}" was removed from ${store.place}. A running server stops using it within two minutes. The token was not revoked: the service does not let this program do that. ${revocationAdvice(signIn)}\n`
      : `Profile "${profile}" has no sign-in in ${store.place}. Nothing was changed.\n`,
  );
}

function revocationAdvice(signIn: SignIn | undefined): string {
  const copies = 'A copy of the token can be used until you revoke it in';
  if (!signIn) return `${copies} the service.`;
  if (signIn.kind === 'personal') return `${copies} ${developerSettings(signIn.appUrl)}.`;
  return `To end the application's access, revoke it in the settings of ${signIn.appUrl}.`;
}
