/** `budget-mcp logout`: takes a sign-in of ours away, and says what it could not take away. */
import { knownServices } from '../auth/known-services.ts';
import type { WithRefreshLock } from '../auth/refresh-lock.ts';
import type { SignIn, TokenStore } from '../auth/token-store.ts';

export interface LogoutParts {
  readonly store: TokenStore;
  readonly lock: WithRefreshLock;
  readonly io: { readonly stdout: NodeJS.WritableStream };
}

/** @throws BudgetError where the store cannot be asked: what is there may still be there */
export async function runLogout({ profile }: { profile: string }, parts: LogoutParts): Promise<void> {
  const { store, lock, io } = parts;
  // Only for the words: what cannot be read is removed all the same.
  const signIn = await store.read(profile).catch(() => undefined);
  const wasThere = await lock(profile, () => store.remove(profile));
  io.stdout.write(
    wasThere
      ? `The sign-in of profile "${profile}" is gone from ${store.place}. Nothing was revoked: the service lets nobody do that from here. ${revoking(signIn)}\n`
      : `Profile "${profile}" has no sign-in in ${store.place}. Nothing was changed.\n`,
  );
}

function revoking(signIn: SignIn | undefined): string {
  if (!signIn) return 'Whoever has a copy of the token can use it until you revoke it in the service.';
  if (signIn.kind === 'personal') {
    const { appUrl = 'the service' } =
      [...knownServices.values()].find(({ baseUrl }) => baseUrl === signIn.baseUrl) ?? {};
    return `Whoever has a copy of the token can use it until you revoke it in the developer settings of ${appUrl}.`;
  }
  return `To end what was granted, revoke the application's access in the settings of ${signIn.appUrl}.`;
}
