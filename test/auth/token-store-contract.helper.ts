/** The contract of every token store. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { type SignIn, signInSchema, type TokenStore } from '../../src/auth/token-store.ts';

/** A store that another process can open too. */
export interface SharedStore {
  readonly store: TokenStore;
  /** The arguments with which `store-process.helper.ts` opens it. */
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
    test(`a sign-in in ${name} is read as it was written`, async () => {
      const { store } = await open();
      await store.write('default', personal);
      expect(await store.read('default')).toEqual(personal);
    });

    test(`a sign-in in ${name} keeps every character`, async () => {
      const { store } = await open();
      await store.write('default', granted);
      expect(await store.read('default')).toEqual(granted);
    });

    test(`${name} has no sign-in for a profile that has never signed in`, async () => {
      const { store } = await open();
      expect(await store.read('default')).toBeUndefined();
      expect(await store.remove('default')).toBe(false);
    });

    test(`a sign-in in ${name} is not visible to another profile, nor replaced or removed by it`, async () => {
      const { store } = await open();
      await store.write('work', personal);
      expect(await store.read('work-2')).toBeUndefined();
      await store.write('work-2', granted);
      await store.remove('work-2');
      expect(await store.read('work')).toEqual(personal);
    });

    test(`a sign-in in ${name} is replaced completely`, async () => {
      const { store } = await open();
      await store.write('default', granted);
      await store.write('default', personal);
      expect(await store.read('default')).toEqual(personal);
    });

    test(`a sign-in in ${name} is replaced only if mayReplace permits it`, async () => {
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

    test(`a sign-in in ${name} cannot be read after it was removed`, async () => {
      const { store } = await open();
      await store.write('default', granted);
      expect(await store.remove('default')).toBe(true);
      expect(await store.read('default')).toBeUndefined();
      expect(await store.remove('default')).toBe(false);
    });

    test(`${name} has exactly one complete sign-in after several concurrent writes`, async () => {
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
    test(`a sign-in in ${name} is read by another process`, async () => {
      const { store, opened } = await open();
      await store.write('default', granted);
      expect(signInSchema.parse(JSON.parse(await inAnotherProcess(['read', ...opened])))).toEqual(granted);
    });

    test(`a sign-in in ${name} that another process has written can be read`, async () => {
      const { store, opened } = await open();
      await inAnotherProcess(['write', ...opened, JSON.stringify(granted)]);
      expect(await store.read('default')).toEqual(granted);
    });
  });
}

/** What `store-process.helper.ts` prints. */
async function inAnotherProcess(args: readonly string[]): Promise<string> {
  const script = fileURLToPath(new URL('store-process.helper.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', script, ...args]);
  return stdout;
}
