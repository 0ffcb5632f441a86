import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { storedStateKey } from '../../src/auth/state-key.ts';
import { fixedTokenProvider } from '../../src/auth/token-provider.ts';
import { BudgetError } from '../../src/base/errors.ts';
import { failureOf } from '../session/sending.helper.ts';
import { MemorySecretStore } from './memory-secret-store.helper.ts';
import { temporaryDirectory } from './temporary-directory.helper.ts';

const keyIn = (secrets: MemorySecretStore) =>
  storedStateKey({ secrets, profile: 'default', lock: (_, work) => work() });

const tokens = fixedTokenProvider({ baseUrl: 'https://api.example.com/v1', token: 'token' });

describe('the key of a stored sign-in', () => {
  test('the key is created when it is first read, and is the same afterwards', async () => {
    const secrets = new MemorySecretStore();
    const key = await keyIn(secrets).get();
    expect(key).toHaveLength(32);
    expect(await keyIn(secrets).get()).toEqual(key);
    expect(await keyIn(new MemorySecretStore()).get()).not.toEqual(key);
  });

  test('a key that another process has created while this one waited for the lock is used', async () => {
    const secrets = new MemorySecretStore();
    let other: Uint8Array | undefined;
    const key = storedStateKey({
      secrets,
      profile: 'default',
      async lock(_, work) {
        other = await keyIn(secrets).get();
        return work();
      },
    });
    expect(await key.get()).toEqual(other);
  });

  test('processes that create the key at once have the same key', async () => {
    const directory = join(await temporaryDirectory(), 'sign-ins');
    const script = fileURLToPath(new URL('state-key-process.helper.ts', import.meta.url));
    const keys = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const args = ['--import', 'tsx', script, directory];
        return (await promisify(execFile)(process.execPath, args)).stdout;
      }),
    );
    expect(keys[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(new Set(keys).size).toBe(1);
  });

  test.each(['', 'short', 'x'.repeat(200)])(
    'a stored text %j that is not a key is neither used nor replaced nor shown',
    async (text) => {
      const secrets = new MemorySecretStore();
      await secrets.write('default', text);
      const failure = await failureOf(keyIn(secrets).get());
      expect(failure.code).toBe('sign_in_unreadable');
      expect(failure.message).toBe('The key of the shared state in memory is not a key.');
      expect(await secrets.read('default')).toBe(text);
    },
  );

  test('the first call reads the key at the same time as the sign-in, and the next calls do not read it', async () => {
    const secrets = new MemorySecretStore();
    const key = keyIn(secrets);
    const along = key.readAlong(tokens);
    expect(secrets.reads).toBe(0);
    const first = along.credential();
    expect(secrets.reads).toBe(1);
    expect(await first).toEqual(await tokens.credential());
    await along.credential();
    expect(secrets.reads).toBe(1);
  });

  test('a keychain that fails does not disturb the calls, and the error says why there is no key', async () => {
    const secrets = new MemorySecretStore();
    const locked = new BudgetError('keychain_locked', 'The keychain of this computer is locked.');
    secrets.read = () => Promise.reject(locked);
    const key = keyIn(secrets);
    expect((await key.readAlong(tokens).credential()).token).toBe('token');
    await expect(key.get()).rejects.toBe(locked);
  });
});
