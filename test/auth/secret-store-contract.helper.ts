/** The contract of every store of secrets. */
import { describe, expect, test } from 'vitest';
import type { SecretStore } from '../../src/auth/token-store.ts';

/** `open` opens two stores at the same place, for two kinds of secret. */
export function describeSecretStore(
  name: string,
  open: () => Promise<{ readonly store: SecretStore; readonly other: SecretStore }>,
): void {
  describe(`a secret in ${name}`, () => {
    test(`a secret in ${name} is read as it was written, until it is removed`, async () => {
      const { store } = await open();
      expect(await store.read('default')).toBeUndefined();
      expect(await store.remove('default')).toBe(false);
      expect(await store.write('default', 'quotes "\'`, 予算 💶 and\na line')).toBe(true);
      expect(await store.read('default')).toBe('quotes "\'`, 予算 💶 and\na line');
      expect(await store.remove('default')).toBe(true);
      expect(await store.read('default')).toBeUndefined();
    });

    test(`secrets of one profile in ${name} do not replace or remove each other`, async () => {
      const { store, other } = await open();
      await store.write('default', 'a sign-in');
      expect(await other.read('default')).toBeUndefined();
      await other.write('default', 'a key');
      expect(await store.read('default')).toBe('a sign-in');
      await store.remove('default');
      expect(await other.read('default')).toBe('a key');
    });

    test(`secrets of different profiles in ${name} do not replace or remove each other`, async () => {
      const { store } = await open();
      await store.write('work', 'one');
      await store.write('work-2', 'two');
      await store.remove('work');
      expect(await store.read('work-2')).toBe('two');
    });

    test(`a secret in ${name} is replaced only if mayReplace permits it and does not throw`, async () => {
      const { store } = await open();
      await store.write('default', 'one');
      expect(await store.write('default', 'two', (stored) => stored === undefined)).toBe(false);
      const error = new Error('not now');
      const failing = store.write('default', 'two', () => {
        throw error;
      });
      await expect(failing).rejects.toThrow();
      expect(await store.read('default')).toBe('one');
      expect(await store.write('default', 'two', (stored) => stored === 'one')).toBe(true);
      expect(await store.read('default')).toBe('two');
    });
  });
}
