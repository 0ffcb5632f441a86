/** What every place for sign-ins promises. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { type SignIn, signInSchema, type TokenStore } from '../../src/auth/token-store.ts';

/** A store that another process can open as well. */
export interface SharedStore {
  readonly store: TokenStore;
  /** The arguments by which `store-process.ts` opens it. */
  readonly opened: readonly string[];
}

const personal: SignIn = {
  kind: 'personal',
  id: 'first',
  baseUrl: 'https://api.example.com/v1',
  accessToken: 'personal-token',
};

export const granted = {
  kind: 'authorization_code',
  id: 'second',
  baseUrl: 'https://api.example.com/v1',
  appUrl: 'https://app.example.com',
  clientId: 'budgét 予算 💶',
  clientSecret: 'quotes "\'`, a \\ and\na line',
  scope: 'read-only',
  accessToken: 'access-token',
  refreshToken: 'refresh-token',
  grantedAt: 1_700_000_000_000,
  expiresAt: 1_700_007_200_000,
} satisfies SignIn;

const numbered = (count: number): SignIn[] =>
  Array.from({ length: count }, (_, i) => ({ ...granted, accessToken: `access-${i}`.repeat(10 * (i + 1)) }));

export function describeTokenStore(name: string, open: () => Promise<{ store: TokenStore }>): void {
  describe(`a sign-in in ${name}`, () => {
    test('is read as it was written', async () => {
      const { store } = await open();
      await store.write('default', personal);
      expect(await store.read('default')).toEqual(personal);
    });

    test('keeps every character', async () => {
      const { store } = await open();
      await store.write('default', granted);
      expect(await store.read('default')).toEqual(granted);
    });

    test('is not there for a profile that has never signed in', async () => {
      const { store } = await open();
      expect(await store.read('default')).toBeUndefined();
      expect(await store.remove('default')).toBe(false);
    });

    test('is not seen, replaced or removed by another profile', async () => {
      const { store } = await open();
      await store.write('work', personal);
      expect(await store.read('work-2')).toBeUndefined();
      await store.write('work-2', granted);
      await store.remove('work-2');
      expect(await store.read('work')).toEqual(personal);
    });

    test('is replaced as a whole', async () => {
      const { store } = await open();
      await store.write('default', granted);
      await store.write('default', personal);
      expect(await store.read('default')).toEqual(personal);
    });

    test('is replaced only where what is there may be', async () => {
      const { store } = await open();
      const seen: unknown[] = [];
      const onlyOver = (expected: SignIn | undefined) => (there: SignIn | undefined) => {
        seen.push(there);
        return there?.id === expected?.id;
      };
      expect(await store.write('default', personal, onlyOver(granted))).toBe(false);
      expect(await store.read('default')).toBeUndefined();
      expect(await store.write('default', personal, onlyOver(undefined))).toBe(true);
      expect(await store.write('default', granted, onlyOver(granted))).toBe(false);
      expect(await store.read('default')).toEqual(personal);
      expect(await store.write('default', granted, onlyOver(personal))).toBe(true);
      expect(await store.read('default')).toEqual(granted);
      expect(seen).toEqual([undefined, undefined, personal, personal]);
    });

    test('is gone when it was removed', async () => {
      const { store } = await open();
      await store.write('default', granted);
      expect(await store.remove('default')).toBe(true);
      expect(await store.read('default')).toBeUndefined();
      expect(await store.remove('default')).toBe(false);
    });

    test('is a whole one, and one only, after several have written at once', async () => {
      const { store } = await open();
      const signIns = numbered(5);
      await Promise.all(signIns.map((signIn) => store.write('default', signIn)));
      expect(signIns).toContainEqual(await store.read('default'));
      await store.remove('default');
      expect(await store.read('default')).toBeUndefined();
    });
  });
}

export function describeSharedTokenStore(name: string, open: () => Promise<SharedStore>): void {
  describeTokenStore(name, open);

  describe(`a sign-in in ${name}`, () => {
    test('is read by another process', async () => {
      const { store, opened } = await open();
      await store.write('default', granted);
      expect(signInSchema.parse(JSON.parse(await inAnotherProcess(['read', ...opened])))).toEqual(granted);
    });

    test('may have been written by another process', async () => {
      const { store, opened } = await open();
      await inAnotherProcess(['write', ...opened, JSON.stringify(granted)]);
      expect(await store.read('default')).toEqual(granted);
    });
  });
}

/** What `store-process.ts` prints. */
async function inAnotherProcess(args: readonly string[]): Promise<string> {
  const script = new URL('store-process.ts', import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', script, ...args]);
  return stdout;
}
