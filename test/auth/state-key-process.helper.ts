/** Another process that reads the key of the profile "default" in files of a directory: `DIRECTORY`. It prints the key. */
import { FileSecretStore } from '../../src/auth/file-secret-store.ts';
import { createRefreshLock } from '../../src/auth/refresh-lock.ts';
import { storedStateKey } from '../../src/auth/state-key.ts';
import { systemClock } from '../../src/base/clock.ts';

const [directory = ''] = process.argv.slice(2);
const key = storedStateKey({
  secrets: new FileSecretStore(directory, '.key'),
  profile: 'default',
  lock: createRefreshLock({ directory: `${directory}/locks`, clock: systemClock, waitMs: 60_000 }),
});
process.stdout.write(Buffer.from(await key.get()).toString('hex'));
