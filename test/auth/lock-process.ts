/**
 * Another process with the lock: `DIRECTORY TIMES`. It notes in a file when it comes in and when it goes; with 0 times
 * it comes in once, says so, and stays until it is told to go.
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
