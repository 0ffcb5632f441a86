/** The state that processes share needs the SQLite of a newer Node.js. */
import { execFile } from 'node:child_process';
import { chmod, readdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { findSqlite } from '../../../src/store/sqlite.ts';
import { temporaryDirectory } from '../../auth/temporary-directory.helper.ts';
import { newHome } from '../../home.helper.ts';
import { program } from '../../hosts.helper.ts';
import { isPosix } from '../../posix.helper.ts';
import { runProgram } from '../../run-program.helper.ts';

async function diagnose(stateDirectory: string) {
  const args = ['doctor', '--insecure-storage', '--state-dir', stateDirectory];
  return runProgram(args, { env: await newHome() });
}

const hasSqlite = findSqlite() !== undefined;

test.runIf(hasSqlite)('doctor names the directory that processes share', async () => {
  const directory = await temporaryDirectory();
  const { stdout } = await diagnose(directory);
  expect(stdout).toContain(`ok   state    processes of this user share ${directory}\n`);
});

test.runIf(hasSqlite && isPosix)(
  'doctor warns that the state is not shared where its files cannot be written',
  async () => {
    const directory = await temporaryDirectory();
    const args = ['doctor', '--insecure-storage', '--state-dir', directory];
    const env = { PATH: process.env['PATH'] ?? '', ...(await newHome()) };
    // The largest file that the program may write has no bytes, so that every write fails.
    const { stdout } = await promisify(execFile)(
      'sh',
      ['-c', 'ulimit -f 0; exec "$@"', 'sh', process.execPath, program, ...args],
      { env },
    );
    expect(stdout).toMatch(/^warn state .* Its file is (on a full disk|not readable or not writable)\.$/m);
    expect(await readdir(directory)).toEqual([]);
  },
);

test.runIf(hasSqlite && isPosix)(
  'doctor warns that a directory which others can write to is not shared',
  async () => {
    const directory = await temporaryDirectory();
    await chmod(directory, 0o777);
    const { exitCode, stdout } = await diagnose(directory);
    expect(stdout).toMatch(/^warn state .* can be written by other users.$/m);
    expect(exitCode).toBe(0);
  },
);

test.skipIf(hasSqlite)('doctor warns that an older Node.js has no shared state', async () => {
  const { exitCode, stdout } = await diagnose(await temporaryDirectory());
  expect(stdout).toMatch(/^warn state .* needs Node.js 22.13 or newer.$/m);
  expect(exitCode).toBe(0);
});
