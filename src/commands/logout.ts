/** `budget-mcp logout`: takes a sign-in of ours away, and says what it could not take away. */
import type { WithRefreshLock } from '../auth/refresh-lock.ts';
import type { SignIn, TokenStore } from '../auth/token-store.ts';
import { BudgetError } from '../errors.ts';

export interface LogoutDeps {
  readonly store: TokenStore;
  readonly lock: WithRefreshLock;
  readonly io: { readonly stdout: NodeJS.WritableStream };
}

/** Throws a `BudgetError` where the store cannot be asked: what is there may still be there. */
export async function runLogout({ profile }: { profile: string }, parts: LogoutDeps): Promise<void> {
  const { store, lock, io } = parts;
  // Only for the words: what is there and cannot be read is removed all the same.
  const signIn = await store.read(profile).catch((error: unknown) => {
    if (error instanceof BudgetError && error.code === 'sign_in_unreadable') return undefined;
    throw error;
  });
  const wasThere = await lock(profile, () => store.remove(profile));
  io.stdout.write(
    wasThere
      ? `The sign-in of profile "${profile}" is gone from ${store.place}. A server that is running uses it for two minutes at most. Nothing was revoked: the service lets nobody do that from here. ${revoking(signIn)}\n`
      : `Profile "${profile}" has no sign-in in ${store.place}. Nothing was changed.\n`,
  );
}

function revoking(signIn: SignIn | undefined): string {
  const copies = 'Whoever has a copy of the token can use it until you revoke it in';
  if (!signIn) return `${copies} the service.`;
  if (signIn.kind === 'personal')
    return `${copies} the developer settings of ${signIn.appUrl ?? 'the service'}.`;
  return `To end what was granted, revoke the application's access in the settings of ${signIn.appUrl}.`;
}
