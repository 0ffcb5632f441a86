/**
 * The key that seals the shared state of a stored sign-in: random, and stored beside the sign-in, in the same kind of store.
 * This file does not know what the state is.
 */
import { randomBytes } from 'node:crypto';
import { BudgetError } from '../base/errors.ts';
import type { StoredTokensOptions } from './stored-tokens.ts';
import type { TokenProvider } from './token-provider.ts';
import type { SecretStore } from './token-store.ts';

const KEY_BYTES = 32;

interface StoredStateKeyOptions extends Pick<StoredTokensOptions, 'profile' | 'lock'> {
  readonly secrets: SecretStore;
}

export function storedStateKey({ secrets, profile, lock }: StoredStateKeyOptions) {
  const read = () => secrets.read(profile);
  let wasBegun = false;
  let begun: Promise<string | undefined> | undefined;
  const begin = () => {
    if (wasBegun) return;
    wasBegun = true;
    begun = read();
    // An error is thrown by `get`, if anything calls it.
    begun.catch(() => {});
  };

  /** Under the lock, because two processes may find no key at the same time. */
  const create = () =>
    lock(profile, async () => {
      const stored = await read();
      if (stored !== undefined) return stored;
      const key = randomBytes(KEY_BYTES).toString('base64url');
      const isWritten = await secrets.write(profile, key, (current) => current === undefined);
      // Another process may have taken over the lock.
      return isWritten ? key : ((await read()) ?? key);
    });

  return {
    /** Wraps a provider. Its first call reads the key for the first `get`, at the same time as the sign-in. */
    readAlong: (tokens: TokenProvider): TokenProvider => ({
      credential(signal) {
        begin();
        return tokens.credential(signal);
      },
      renewed: (refused, signal) => tokens.renewed(refused, signal),
      describe: () => tokens.describe(),
    }),
    /** Creates the key if there is none. Throws a `BudgetError` if it can be neither read nor created. */
    async get(): Promise<Uint8Array> {
      const first = begun;
      begun = undefined;
      const key = Buffer.from((await (first ?? read())) ?? (await create()), 'base64url');
      if (key.length === KEY_BYTES) return new Uint8Array(key);
      throw new BudgetError(
        'sign_in_unreadable',
        `The key of the shared state in ${secrets.place} is not a key.`,
      );
    },
  };
}
