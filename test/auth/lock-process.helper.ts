/**
 * Another process that takes the lock: `DIRECTORY TIMES`. It writes to a file when it takes and releases the lock. With 0
 * times it takes the lock once, prints that, and keeps it until the process is stopped.
 */
import { once } from 'node:events';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRefreshLock } from '../../src/auth/refresh-lock.ts';
import { systemClock } from '../../src/platform/clock.ts';

const [directory = '', times = ''] = process.argv.slice(2);
const withRefreshLock = createRefreshLock({ directory, clock: systemClock, waitMs: 60_000 });
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
  });
  process.stdin.destroy();
}
