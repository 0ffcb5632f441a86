/** Another process: `PATH`. It tries to take the lock once, and prints "taken" or "refused". */
import { systemClock } from '../../src/base/clock.ts';
import { FileLocks } from '../../src/store/file-lock.ts';
import { findSqlite } from '../../src/store/sqlite.ts';

const [path = ''] = process.argv.slice(2);
const sqlite = findSqlite();
const release = sqlite && (await new FileLocks(sqlite, systemClock).take(path, { waitMs: 0 }));
process.stdout.write(release ? 'taken' : 'refused');
await release?.();
