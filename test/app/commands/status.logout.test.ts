import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { runLogout } from '../../../src/app/commands/status.ts';
import type { SignIn } from '../../../src/auth/token-store.ts';
import { BudgetError } from '../../../src/base/errors.ts';
import { MemoryTokenStore } from '../../auth/memory-token-store.helper.ts';

const personal: SignIn = {
  kind: 'personal',
  id: '1',
  baseUrl: 'https://api.example.com/v1',
  accessToken: 'SECRET',
};

async function loggedOut(
  store: MemoryTokenStore,
  profile = 'default',
  deps: Partial<Parameters<typeof runLogout>[1]> = {},
) {
  const stdout = new PassThrough({ encoding: 'utf8' });
  const removeState = async () => true;
  await runLogout({ profile }, { store, removeState, lock: (_, work) => work(), io: { stdout }, ...deps });
  return String(stdout.read());
}

async function storeWith(signIn: SignIn): Promise<MemoryTokenStore> {
  const store = new MemoryTokenStore();
  await store.write('default', signIn);
  return store;
}

describe('budget-mcp logout', () => {
  test('logout removes the sign-in, and says that the token was not revoked', async () => {
    const store = await storeWith(personal);
    const output = await loggedOut(store);
    expect(await store.read('default')).toBeUndefined();
    expect(output).toMatch(
      /^The sign-in of profile "default" was removed from memory\. .*The token was not revoked: /,
    );
    expect(output).toContain('can be used until you revoke it in the developer settings of the service.');
    expect(output).not.toContain('SECRET');
  });

  test('logout says where the tokens of the service are revoked', async () => {
    const store = await storeWith({ ...personal, appUrl: 'https://app.example.com' });
    expect(await loggedOut(store)).toContain(
      'the developer settings, https://app.example.com/settings/developer.',
    );
  });

  test('logout says where the access of an application is revoked', async () => {
    const store = await storeWith({
      ...personal,
      kind: 'implicit',
      appUrl: 'https://app.example.com',
      clientId: 'c1',
      grantedAt: 0,
      expiresAt: 1,
      scope: 'full',
    });
    expect(await loggedOut(store)).toContain(
      "To end the application's access, revoke it in the settings of https://app.example.com.",
    );
  });

  test('logout leaves other profiles unchanged', async () => {
    const store = await storeWith(personal);
    expect(await loggedOut(store, 'work')).toBe(
      'Profile "work" has no sign-in in memory. Nothing was changed.\n',
    );
    expect(await store.read('default')).toEqual(personal);
  });

  test('logout removes a sign-in that it cannot read', async () => {
    const store = await storeWith(personal);
    const unreadable = new BudgetError('sign_in_unreadable', 'The entry is not one of ours.');
    store.read = () => Promise.reject(unreadable);
    expect(await loggedOut(store)).toContain('was removed from memory');
    expect(await store.remove('default')).toBe(false);
  });

  test('logout does not ask the keychain again after it did not answer', async () => {
    const store = await storeWith(personal);
    const silent = new BudgetError('keychain_timed_out', 'The keychain does not answer.');
    store.read = () => Promise.reject(silent);
    await expect(loggedOut(store)).rejects.toBe(silent);
    expect(await store.remove('default')).toBe(true);
  });

  test('logout fails if it cannot be sure that the sign-in is removed', async () => {
    const store = await storeWith(personal);
    const locked = new BudgetError('invalid_configuration', 'The keychain is locked.');
    store.remove = () => Promise.reject(locked);
    await expect(loggedOut(store)).rejects.toBe(locked);
  });

  test('logout removes the sign-in while no other process changes the profile', async () => {
    const store = await storeWith(personal);
    const seen: unknown[] = [];
    await runLogout(
      { profile: 'default' },
      {
        store,
        async removeState() {
          seen.push('state');
          return true;
        },
        io: { stdout: new PassThrough() },
        async lock(profile, work) {
          seen.push(profile, await store.read(profile));
          const result = await work();
          seen.push(await store.read(profile));
          return result;
        },
      },
    );
    expect(seen).toEqual(['default', personal, 'state', undefined]);
  });

  test('logout removes the shared state of the sign-in and its key', async () => {
    const removed: unknown[] = [];
    const removeState = async (...args: unknown[]) => {
      removed.push(args);
      return true;
    };
    await loggedOut(await storeWith(personal), 'default', { removeState });
    expect(removed).toEqual([['default', personal]]);
  });

  test('logout removes the key of the shared state even if the sign-in is removed already', async () => {
    const removed: unknown[] = [];
    const removeState = async (...args: unknown[]) => {
      removed.push(args);
      return true;
    };
    await loggedOut(new MemoryTokenStore(), 'default', { removeState });
    expect(removed).toEqual([['default', undefined]]);
  });

  test('logout removes the sign-in even if its shared state cannot be removed, and says so', async () => {
    const store = await storeWith(personal);
    const stuck = new BudgetError('file_unusable', 'The shared state cannot be removed.');
    const removeState = () => Promise.reject(stuck);
    const stdout = new PassThrough({ encoding: 'utf8' });
    await expect(loggedOut(store, 'default', { removeState, io: { stdout } })).rejects.toBe(stuck);
    expect(await store.read('default')).toBeUndefined();
    expect(stdout.read()).toContain('The sign-in of profile "default" was removed from memory.');
  });

  test('logout says what goes later, because a running server has it open', async () => {
    const output = await loggedOut(await storeWith(personal), 'default', { removeState: async () => false });
    expect(output).toMatch(/^The sign-in .* was removed .*\nA running server still has files .* open\./);
  });
});
