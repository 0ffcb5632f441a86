/**
 * The key that seals the shared state of a stored sign-in: random, and stored beside the sign-in, in the same kind of store.
 * This file does not know what the state is.
 */
import { randomBytes } from 'node:crypto';
import { BudgetError } from '../base/errors.ts';
import type { WithRefreshLock } from './refresh-lock.ts';
import type { SecretStore } from './secret-store.ts';
import type { TokenProvider } from './token-provider.ts';

const KEY_BYTES = 32;

export interface StoredStateKeyOptions {
  readonly secrets: SecretStore;
  readonly profile: string;
  /** Runs the work while no other process of the user changes the profile. */
  readonly lock: WithRefreshLock;
}

export class StoredStateKey {
  readonly #options: StoredStateKeyOptions;
  #begun: Promise<string | undefined> | undefined;
  #wasBegun = false;

  constructor(options: StoredStateKeyOptions) {
    this.#options = options;
  }

  /** Wraps a provider. Its first call reads the key for the first `get`, at the same time as the sign-in. */
  readAlong(tokens: TokenProvider): TokenProvider {
    return {
      credential: (signal) => {
        this.#begin();
        return tokens.credential(signal);
      },
      renewed: (refused, signal) => tokens.renewed(refused, signal),
      describe: () => tokens.describe(),
    };
  }

  /** Creates the key if there is none. Throws a `BudgetError` if it can be neither read nor created. */
  async get(): Promise<Uint8Array> {
    const begun = this.#begun;
    this.#begun = undefined;
    const { place } = this.#options.secrets;
    const key = Buffer.from((await (begun ?? this.#read())) ?? (await this.#create()), 'base64url');
    if (key.length === KEY_BYTES) return new Uint8Array(key);
    throw new BudgetError('sign_in_unreadable', `The key of the shared state in ${place} is not a key.`);
  }

  #begin(): void {
    if (this.#wasBegun) return;
    this.#wasBegun = true;
    this.#begun = this.#read();
    // An error is thrown by `get`, if anything calls it.
    this.#begun.catch(() => {});
  }

  #read(): Promise<string | undefined> {
    const { secrets, profile } = this.#options;
    return secrets.read(profile);
  }

  /** Under the lock, because two processes may find no key at the same time. */
  #create(): Promise<string> {
    const { secrets, profile, lock } = this.#options;
    return lock(profile, async () => {
      const stored = await this.#read();
      if (stored !== undefined) return stored;
      const key = randomBytes(KEY_BYTES).toString('base64url');
      await secrets.write(profile, key, (current) => current === undefined);
      return key;
    });
  }
}
