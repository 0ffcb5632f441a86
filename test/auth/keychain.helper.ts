/** The keychain with the child process of the built program. */

import { fileURLToPath } from 'node:url';
import {
  KeychainSecretStore,
  type KeychainSecretStoreOptions,
} from '../../src/auth/keychain-secret-store.ts';
import { signInStore } from '../../src/auth/token-store.ts';
import { systemClock } from '../../src/base/clock.ts';
import { builtProgram } from '../built-program.helper.ts';

export const childPath = fileURLToPath(new URL('auth/keychain-child.js', builtProgram));

export const openKeychainSecrets = (
  env: KeychainSecretStoreOptions['env'],
  options: Partial<KeychainSecretStoreOptions> = {},
) => new KeychainSecretStore({ childPath, env, clock: systemClock, timeoutMs: 60_000, ...options });

/** Stores sign-ins in the keychain. */
export const openKeychain = (...options: Parameters<typeof openKeychainSecrets>) =>
  signInStore(openKeychainSecrets(...options));
