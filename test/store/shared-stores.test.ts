import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { BudgetError } from '../../src/base/errors.ts';
import { type ReadKey, SharedStores, type Sharing } from '../../src/store/shared-stores.ts';
import { databaseOf, stateNameOf } from '../../src/store/state-directory.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { expectMode } from '../posix.helper.ts';
import { key, sqlite, temporaryDirectory } from './sqlite.helper.ts';

const owner = { signIn: 'one', baseUrl: 'https://api.example.com/v1' };
const readKey: ReadKey = async () => key;

function startStores(sharing: Sharing, clock = new ManualClock('2026-11-21T12:00:00Z')) {
  const warnings: string[] = [];
  const stores = new SharedStores({ sharing, clock, warn: (message) => warnings.push(message) });
  onTestFinished(() => stores.close());
  return { stores, warnings };
}

describe('a state that is not to be shared', () => {
  it('is in memory, and the status says why, before and after it is opened', async () => {
    const { stores, warnings } = startStores({ reason: 'The demo keeps none.' });
    expect(stores.statusOf(owner)).toEqual({ shared: false, reason: 'The demo keeps none.' });
    const readNoKey = () => Promise.reject(new Error('The key is not needed.'));
    const store = await stores.open(owner, readNoKey);
    expect(await stores.open(owner, readNoKey)).toBe(store);
    expect(stores.statusOf(owner)).toEqual({ shared: false, reason: 'The demo keeps none.' });
    expect(warnings).toEqual([]);
  });
});

describe.skipIf(!sqlite)('with SQLite', () => {
  const start = (directory = join(temporaryDirectory(), 'state'), clock?: ManualClock) => {
    if (!sqlite) throw new Error('This test needs Node.js 22.13 or newer.');
    return { directory, ...startStores({ sqlite, directory }, clock) };
  };

  const startWithReason = async (prepare: (directory: string) => void, read = readKey) => {
    const { directory, stores, warnings } = start();
    prepare(directory);
    const store = await stores.open(owner, read);
    await store.update('a', () => ({ value: 1, result: undefined }));
    expect(await store.read('a')).toBe(1);
    const { shared, reason } = stores.statusOf(owner);
    expect(shared).toBe(false);
    expect(warnings).toEqual([`The state is not shared with other processes. ${reason}`]);
    return { directory, reason };
  };

  describe('a shared state', () => {
    it('is used by every process that has the same sign-in and key', async () => {
      const { directory, stores, warnings } = start();
      expect(stores.statusOf(owner).shared).toBe(false);
      const one = await stores.open(owner, readKey);
      const other = await start(directory).stores.open(owner, readKey);
      await one.update('a', () => ({ value: 1, result: undefined }));
      expect(await other.read('a')).toBe(1);
      expect(stores.statusOf(owner)).toEqual({ shared: true });
      expect(warnings).toEqual([]);
    });

    it('is opened once, however many calls need it at once', async () => {
      const { stores } = start();
      const [one, other] = await Promise.all([stores.open(owner, readKey), stores.open(owner, readKey)]);
      expect(one).toBe(other);
    });

    it('is another one for another sign-in or another service', async () => {
      const { directory, stores } = start();
      await stores.open(owner, readKey);
      await stores.open({ ...owner, signIn: 'two' }, readKey);
      await stores.open({ ...owner, baseUrl: 'http://localhost/v1' }, readKey);
      expect(readdirSync(directory).filter((file) => file.endsWith('.db'))).toHaveLength(3);
    });

    it('lies in files that only the user can read, and their names and content do not tell the sign-in', async () => {
      const { directory, stores } = start();
      const secretOwner = { signIn: 'SECRET-sign-in', baseUrl: 'https://SECRET.example.com/v1' };
      const store = await stores.open(secretOwner, readKey);
      await store.update('SECRET', () => ({ value: 'SECRET', result: undefined }));
      const files = readdirSync(directory, { recursive: true, encoding: 'utf8' });
      expect(files.length).toBeGreaterThan(3);
      for (const file of files) {
        expect(file).not.toContain('SECRET');
        const stats = statSync(join(directory, file));
        await expectMode(join(directory, file), stats.isFile() ? 0o600 : 0o700);
        if (stats.isFile()) expect(readFileSync(join(directory, file), 'latin1')).not.toContain('SECRET');
      }
    });

    it('removes states that were not used for 90 days when it is opened, but not itself', async () => {
      const clock = new ManualClock(Date.now());
      const { directory, stores } = start(undefined, clock);
      await stores.open(owner, readKey);
      await stores.close();
      const next = { ...owner, signIn: 'two' };
      clock.advance(90 * 24 * 3_600_000 + 60_000);
      await start(directory, clock).stores.open(next, readKey);
      const files = readdirSync(directory);
      expect(files.length).toBeGreaterThan(0);
      expect(files.filter((file) => !file.startsWith(stateNameOf(next)))).toEqual([]);
    });

    it('is not removed while a process uses it, also if the wall clock is set months ahead', async () => {
      const clock = new ManualClock(Date.now());
      const { directory, stores } = start(undefined, clock);
      const store = await stores.open(owner, readKey);
      await store.update('a', () => ({ value: 1, result: undefined }));
      clock.advance(100 * 24 * 3_600_000);
      await start(directory, clock).stores.open({ ...owner, signIn: 'two' }, readKey);
      expect(await store.read('a')).toBe(1);
      expect(stores.statusOf(owner)).toEqual({ shared: true });
    });

    it('goes on in memory if its file is removed while it is open, and the status says so', async () => {
      const clock = new ManualClock(Date.now());
      const { directory, stores, warnings } = start(undefined, clock);
      const store = await stores.open(owner, readKey);
      await store.update('a', () => ({ value: 1, result: undefined }));
      rmSync(databaseOf(directory, owner));
      clock.advance(60_000);
      expect(store.version).toEqual(expect.any(Number));
      expect(await store.read('a')).toBe(1);
      expect(stores.statusOf(owner)).toEqual({
        shared: false,
        reason: 'Its file is removed or replaced.',
        hasFailed: true,
      });
      expect(warnings).toHaveLength(1);
      expect(readdirSync(directory)).not.toContain(databaseOf(directory, owner));
    });
  });

  describe('a state that cannot be shared', () => {
    it('is in memory without a key, and the reason is that of the keychain', async () => {
      const locked = new BudgetError('keychain_locked', 'The keychain of this computer is locked.');
      const { reason } = await startWithReason(
        () => {},
        () => Promise.reject(locked),
      );
      expect(reason).toBe('The keychain of this computer is locked.');
    });

    it('is in memory if its directory is refused', async () => {
      const { directory, reason } = await startWithReason((path) => writeFileSync(path, ''));
      expect(reason).toBe(`${directory} cannot be used (EEXIST).`);
    });

    it('is in memory if its file cannot be opened', async () => {
      const { reason } = await startWithReason((path) =>
        mkdirSync(databaseOf(path, owner), { recursive: true, mode: 0o700 }),
      );
      expect(reason).toMatch(/^Its file is not /);
    });

    it('does not hide a bug', async () => {
      const { stores } = start();
      const bug = new TypeError('internals');
      await expect(stores.open(owner, () => Promise.reject(bug))).rejects.toBe(bug);
    });
  });
});
