import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  databaseOf,
  prepareDirectory,
  removeState,
  removeUnused,
  stateNameOf,
  touch,
} from '../../src/store/state-directory.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { expectMode, isPosix } from '../posix.helper.ts';
import { failureOf } from '../session/sending.helper.ts';
import { sqlite, temporaryDirectory } from './sqlite.helper.ts';

const DAY = 24 * 3_600_000;

const owner = { signIn: 'one', baseUrl: 'https://api.example.com/v1' };
const otherOwner = { ...owner, signIn: 'two' };

/** Why the directory is refused. */
async function refusal(directory: string, uid?: number): Promise<string> {
  try {
    await prepareDirectory(directory, uid);
  } catch (error) {
    if (error instanceof Error) return error.message;
  }
  throw new Error('It was accepted.');
}

describe('the name of a state', () => {
  it('is the same for the same sign-in at the same service, and another one for any other', () => {
    const names = [
      stateNameOf(owner),
      stateNameOf(otherOwner),
      stateNameOf({ ...owner, baseUrl: 'http://localhost/v1' }),
    ];
    expect(stateNameOf({ ...owner })).toBe(names[0]);
    expect(new Set(names).size).toBe(3);
  });

  it('tells neither the sign-in nor the service', () => {
    expect(stateNameOf(owner)).toMatch(/^[0-9a-f]{32}$/);
  });
});

describe('the directory of the state', () => {
  it('is created with the directories above it, for this user only', async () => {
    const directory = join(temporaryDirectory(), 'above', 'state');
    await prepareDirectory(directory);
    for (const path of [directory, join(directory, '..')]) await expectMode(path, 0o700);
    await prepareDirectory(directory);
  });

  it('is created with the directories above it, for this user only, also by two processes at once', async () => {
    const directory = join(temporaryDirectory(), 'of', 'programs', 'state');
    await Promise.all([prepareDirectory(directory), prepareDirectory(directory)]);
    for (const path of [directory, join(directory, '..'), join(directory, '..', '..')])
      await expectMode(path, 0o700);
  });

  it('is refused if its path is not absolute, and is not created then', async () => {
    expect(await refusal('some/state')).toBe(
      'some/state is not an absolute path: name one with --state-dir.',
    );
    expect(existsSync('some')).toBe(false);
  });

  it('is refused if it belongs to another user', async () => {
    const directory = temporaryDirectory();
    expect(await refusal(directory, 12_345)).toBe(`${directory} belongs to another user.`);
  });

  it.runIf(isPosix).each([0o770, 0o707, 0o1777])(
    'is refused with mode %o, because other users can write to it',
    async (mode) => {
      const directory = temporaryDirectory();
      await chmod(directory, mode);
      expect(await refusal(directory)).toBe(`${directory} can be written by other users.`);
    },
  );

  it('is accepted if other users can read it, because they cannot read the files', async () => {
    const directory = temporaryDirectory();
    await chmod(directory, 0o755);
    await prepareDirectory(directory);
  });

  it('is refused if it cannot be created, with the code of the system', async () => {
    const file = join(temporaryDirectory(), 'file');
    await writeFile(file, '');
    expect(await refusal(join(file, 'state'))).toMatch(/state cannot be used \(ENOTDIR\)\.$/);
    if (isPosix) expect(await refusal('/sys/state')).toMatch(/^\/sys\/state cannot be used \(E[A-Z]+\)\.$/);
  });
});

/** The files of a state, as SQLite and this program write them, last used at a time of the clock. */
async function createState(directory: string, start: string, usedAt: number): Promise<void> {
  for (const end of ['.db', '.db-wal', '.db-shm', '.db.unusable']) {
    await writeFile(join(directory, `${start}${end}`), '');
    await utimes(join(directory, `${start}${end}`), usedAt / 1_000, usedAt / 1_000);
  }
  const locks = join(directory, `${start}.db.locks`);
  await mkdir(locks);
  await writeFile(join(locks, 'opening.lock'), '');
  await utimes(locks, usedAt / 1_000, usedAt / 1_000);
}

describe('a state that is not used', () => {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const name = stateNameOf(owner);
  const other = stateNameOf(otherOwner);
  const notInUse = () => false;

  it('is removed with all its files after 90 days, and not before', async () => {
    const directory = temporaryDirectory();
    await createState(directory, `${name}.v1`, clock.now() - 90 * DAY);
    await createState(directory, `${other}.v1`, clock.now() - 90 * DAY - 1_000);
    await removeUnused(directory, clock, notInUse);
    expect((await readdir(directory)).toSorted()).toEqual(
      ['.db', '.db-shm', '.db-wal', '.db.locks', '.db.unusable'].map((end) => `${name}.v1${end}`),
    );
  });

  it('is kept if any of its files was used', async () => {
    const directory = temporaryDirectory();
    await createState(directory, `${name}.v1`, clock.now() - 100 * DAY);
    await touch(join(directory, `${name}.v1.db-wal`), clock);
    await removeUnused(directory, clock, notInUse);
    expect(await readdir(directory)).toHaveLength(5);
  });

  it('is kept while a process uses it', async () => {
    const directory = temporaryDirectory();
    await createState(directory, `${name}.v1`, clock.now() - 100 * DAY);
    await createState(directory, `${other}.v1`, clock.now() - 100 * DAY);
    const locks = join(directory, `${name}.v1.db.locks`);
    await removeUnused(directory, clock, (path) => path === locks);
    const files = await readdir(directory);
    expect(files).toHaveLength(5);
    expect(files.every((file) => file.startsWith(name))).toBe(true);
  });

  it('is removed in an old format although the state is used in a newer one', async () => {
    const directory = temporaryDirectory();
    await createState(directory, `${name}.v1`, clock.now() - 100 * DAY);
    await createState(directory, `${name}.v2`, clock.now());
    await removeUnused(directory, clock, notInUse);
    expect((await readdir(directory)).every((file) => file.startsWith(`${name}.v2.`))).toBe(true);
  });

  it('is kept for 90 days more each time it is opened', async () => {
    const directory = temporaryDirectory();
    const later = new ManualClock(clock.now());
    await createState(directory, `${name}.v1`, clock.now());
    for (let i = 0; i < 3; i++) {
      later.advance(89 * DAY);
      await touch(databaseOf(directory, owner), later);
      await removeUnused(directory, later, notInUse);
    }
    expect(await readdir(directory)).toHaveLength(5);
  });

  it('is removed without other files of the directory', async () => {
    const directory = temporaryDirectory();
    const others = ['notes.txt', 'budget.db', `${name}.db`, 'v1.db'];
    for (const file of others) {
      await writeFile(join(directory, file), '');
      await utimes(join(directory, file), 0, 0);
    }
    await removeUnused(directory, clock, notInUse);
    expect((await readdir(directory)).toSorted()).toEqual(others.toSorted());
  });
});

describe('the state of a sign-in that has ended', () => {
  const clock = new ManualClock('2026-11-21T12:00:00Z');

  it('is removed in all formats, and no other state is', async () => {
    const directory = temporaryDirectory();
    await createState(directory, `${stateNameOf(owner)}.v1`, 0);
    await createState(directory, `${stateNameOf(owner)}.v12`, 0);
    await createState(directory, `${stateNameOf(otherOwner)}.v1`, 0);
    expect(await removeState(directory, owner)).toBe(true);
    const files = await readdir(directory);
    expect(files).toHaveLength(5);
    expect(files.every((file) => file.startsWith(stateNameOf(otherOwner)))).toBe(true);
  });

  it('is no error if there is none', async () => {
    await removeState(join(temporaryDirectory(), 'nowhere'), owner);
  });

  it('loses its content where Windows keeps open files, and the files with the first start after their program has ended', async () => {
    const directory = temporaryDirectory();
    await createState(directory, `${stateNameOf(owner)}.v1`, 0);
    const busy = (_: string, file: string) =>
      file.endsWith('.db') ? Promise.reject(Object.assign(new Error(), { code: 'EBUSY' })) : remove(file);
    const remove = (file: string) => rm(join(directory, file), { recursive: true });
    const options = { sqlite, remove: busy } as const;
    expect(await removeState(directory, owner, { ...options, platform: 'win32' })).toBe(false);
    const left = [`${stateNameOf(owner)}.v1.db`, `${stateNameOf(owner)}.v1.removed`];
    expect(await readdir(directory)).toEqual(left);
    await removeUnused(directory, clock, () => true);
    expect(await readdir(directory), 'while the program runs').toEqual(left);
    await removeUnused(directory, clock, () => false);
    expect(await readdir(directory)).toEqual([]);
  });

  it('gives an error where the system refuses for another reason', async () => {
    const directory = temporaryDirectory();
    await createState(directory, `${stateNameOf(owner)}.v1`, 0);
    const refuse = () => Promise.reject(Object.assign(new Error(), { code: 'EPERM' }));
    const failure = await failureOf(removeState(directory, owner, { remove: refuse, platform: 'linux' }));
    expect(failure.message).toContain('cannot be removed (EPERM)');
  });

  it('gives an error that names the directory if it cannot be removed', async () => {
    const file = join(temporaryDirectory(), 'file');
    await writeFile(file, '');
    const failure = await failureOf(removeState(file, owner));
    expect(failure.code).toBe('file_unusable');
    expect(failure.message).toBe(`The shared state of the sign-in in ${file} cannot be removed (ENOTDIR).`);
  });
});
