import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { replaceFile } from '../../src/base/replace-file.ts';
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';
import { ManualClock } from '../manual-clock.helper.ts';

const refused = (code: string) => Object.assign(new Error(code), { code });

/** A clock that moves on by itself, and a rename that fails `times` times. */
function startFailing(times: number, code = 'EPERM') {
  const clock = new ManualClock(0);
  let calls = 0;
  const move = async () => {
    calls += 1;
    if (calls <= times) throw refused(code);
  };
  const sleep = async (ms: number) => clock.advance(ms);
  return {
    options: { clock: { now: () => clock.now(), monotonic: () => clock.monotonic(), sleep }, move },
    calls: () => calls,
    passed: () => clock.monotonic(),
  };
}

test('a file is replaced as a whole, and nothing is left of the new one under its own name', async () => {
  const directory = await temporaryDirectory();
  const [draft, path] = [join(directory, 'draft'), join(directory, 'file')];
  await writeFile(path, 'old');
  await writeFile(draft, 'new');
  await replaceFile(draft, path);
  expect(await readFile(path, 'utf8')).toBe('new');
  expect(await readdir(directory)).toEqual(['file']);
});

test.each(['EPERM', 'EACCES', 'EBUSY'])(
  'on Windows a file that another process has open (%s) is replaced once it is closed',
  async (code) => {
    const { options, calls } = startFailing(3, code);
    await replaceFile('a', 'b', { ...options, platform: 'win32' });
    expect(calls()).toBe(4);
  },
);

test('on Windows a file that stays open is given up after two seconds', async () => {
  const { options, passed } = startFailing(Number.POSITIVE_INFINITY);
  await expect(replaceFile('a', 'b', { ...options, platform: 'win32' })).rejects.toThrow('EPERM');
  expect(passed()).toBe(2_000);
});

test.each([
  ['linux', 'EPERM'],
  ['darwin', 'EACCES'],
  ['win32', 'ENOENT'],
] as const)('on %s %s is final', async (platform, code) => {
  const { options, calls } = startFailing(1, code);
  await expect(replaceFile('a', 'b', { ...options, platform })).rejects.toThrow(code);
  expect(calls()).toBe(1);
});
