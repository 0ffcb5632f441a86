/**
 * Another process that takes the lock: `DIRECTORY TIMES [sqlite]`. It writes to a file when it takes and releases the lock.
 * With 0 times it takes the lock once, prints that, keeps it until it gets any input, and writes to the file before it
 * releases it. With "sqlite" it also takes the lock of the operating system.
 */
import { once } from 'node:events';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRefreshLock } from '../../src/auth/refresh-lock.ts';
import { systemClock } from '../../src/base/clock.ts';
import { FileLocks } from '../../src/store/file-lock.ts';
import { findSqlite } from '../../src/store/sqlite.ts';

const [directory = '', times = '', kind] = process.argv.slice(2);
const sqlite = kind === 'sqlite' ? findSqlite() : undefined;
const fileLocks = sqlite && new FileLocks(sqlite, systemClock);
const withRefreshLock = createRefreshLock({ directory, clock: systemClock, waitMs: 60_000, fileLocks });
const note = (text: string) => appendFile(join(directory, 'notes'), `${text}\n`);

for (let i = 0; i < Number(times); i++) {
  await withRefreshLock('default', async () => {
    await note('in');
    await note('out');
  });
}
if (times === '0') {
  await withRefreshLock('default', async () => {
    process.stdout.write('in\n');
    await once(process.stdin, 'data');
    await note('holder');
  });
  process.stdin.destroy();
}
