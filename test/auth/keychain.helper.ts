/** The keychain store with the child process of the built program. */
import { KeychainTokenStore, type KeychainTokenStoreOptions } from '../../src/auth/keychain-token-store.ts';
import { systemClock } from '../../src/platform/clock.ts';

export const childPath = new URL('../../dist/auth/keychain-child.js', import.meta.url).pathname;

export const openKeychain = (
  env: KeychainTokenStoreOptions['env'],
  options: Partial<KeychainTokenStoreOptions> = {},
) => new KeychainTokenStore({ childPath, env, clock: systemClock, timeoutMs: 60_000, ...options });
