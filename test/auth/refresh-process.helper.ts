/**
 * A process that reads a token, refreshes the sign-in if necessary, and uses the token, as the server does. It is killed
 * at the given step, if any. It prints whether the service has accepted the token.
 */
import { z } from 'zod';
import { OAuth } from '../../src/auth/oauth.ts';
import { createRefreshLock } from '../../src/auth/refresh-lock.ts';
import { StoredTokens } from '../../src/auth/stored-tokens.ts';
import { systemClock as clock } from '../../src/base/clock.ts';
import { HttpSender } from '../../src/session/http/http-sender.ts';
import { signInFiles } from './sign-in-files.helper.ts';

const { directory, profile, dieAt } = z
  .object({ directory: z.string(), profile: z.string(), dieAt: z.string().optional() })
  .parse(JSON.parse(process.argv[2] ?? ''));

const step = (name: string) => {
  if (name === dieAt) process.kill(process.pid, 'SIGKILL');
};

const sender = new HttpSender({ clock });
const oauth = new OAuth({ send: (request, signal) => sender.send(request, signal), clock });
const files = signInFiles(`${directory}/sign-ins`);
const lock = createRefreshLock({ directory: `${directory}/locks`, clock });

const tokens = new StoredTokens({
  store: {
    place: files.place,
    read: (profile) => files.read(profile),
    async write(profile, signIn, mayReplace) {
      step('refreshed');
      const isWritten = await files.write(profile, signIn, mayReplace);
      step('stored');
      return isWritten;
    },
    remove: (profile) => files.remove(profile),
  },
  profile,
  clock,
  async refresh(signIn) {
    step('locked');
    return oauth.refresh(signIn);
  },
  lock: (profile, work) => {
    step('read');
    return lock(profile, work);
  },
});

const { baseUrl, token } = await tokens.credential();
step('released');
const { ok } = await fetch(`${baseUrl}/user`, { headers: { Authorization: `Bearer ${token}` } });
step('used');
process.stdout.write(ok ? 'accepted' : 'refused');
await sender.close();
